/* This header declares what the command line says. */
#ifndef MPJ_TOOLS_MPJ_SIM_OPTIONS_H
#define MPJ_TOOLS_MPJ_SIM_OPTIONS_H

#include "run.h"

enum { LIST_MOST = 32, ALGORITHM_BYTES = 64 }; /* of a word, with its end */
struct list {
  int n;
  int64_t at[LIST_MOST]; /* rising */
};

enum command { RUN, SWEEP, TUNE };

struct options {
  enum command command;
  struct run_options run;
  /* Of sweeps: */
  unsigned ops;              /* 1 << enum mpj_operation of each */
  struct list counts, sizes; /* of ranks; bytes */
  /* As MPJ_COLL_<OPERATION> takes it; of a run one at most. */
  const char *algorithms[LIST_MOST];
  int nalgorithms;
  const char *json, *csv, *svg, *trace, *messages; /* paths, or NULL */
  int trace_ranks;
  bool cost, quiet;
  const char *shape, *dims; /* the option that gave the machine's shape, and its value, or NULL */
  const char *bytes;        /* the text of --bytes, or NULL */
};

/* -1: go on; else the program's exit code. What is wrong has been said. */
int options_read(int argc, char **argv, struct options *o);
/* Fill in what follows from the rest, whose parts have been read. false: it makes no sense, and
 * why[size] is a sentence that says so. */
bool options_complete(struct options *o, char *why, size_t size);
void options_end(struct options *o);

#endif
