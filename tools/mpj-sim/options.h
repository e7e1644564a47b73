/* This header declares what the command line says. */
#ifndef MPJ_TOOLS_MPJ_SIM_OPTIONS_H
#define MPJ_TOOLS_MPJ_SIM_OPTIONS_H

#include "run.h"

struct options {
  struct run_options run;
  const char *algorithm; /* as MPJ_COLL_<OPERATION> takes it; or NULL */
  const char *json, *csv, *svg, *trace; /* paths, or NULL */
  int trace_ranks;
  bool cost, quiet;
};

/* -1: go on; else the program's exit code. What is wrong has been said. */
int options_read(int argc, char **argv, struct options *o);
void options_end(struct options *o);

#endif
