/* This header declares what `mpj-bench tune` tries. */
#ifndef MPJ_BENCH_TUNE_CASES_H
#define MPJ_BENCH_TUNE_CASES_H

enum { TUNE_CANDIDATES = 10 };

struct tune_operation {
  const char *name; /* as workers and rules know it */
  enum {
    TUNE_NO_SIZE,
    TUNE_OWN_SIZE,
    TUNE_ALL_RANKS
  } bytes;                                /* what a rule's bytes are: unknown
                        to some rank, one rank's, those of all ranks */
  const char *candidate[TUNE_CANDIDATES]; /* as MPJ_COLL_<OPERATION> takes them; NULL ends them */
};

static const struct tune_operation tune_operations[] = {
    {"barrier", TUNE_NO_SIZE, {"flat", "dissemination"}},
    {"bcast",
     TUNE_OWN_SIZE,
     {"flat", "binomial", "knomial:4", "binomial:segment=8192", "kary:3,segment=8192",
      "chain:segment=8192", "scatter_allgather"}},
    {"gather", TUNE_NO_SIZE, {"flat", "knomial:2", "knomial:4"}},
    {"scatter", TUNE_NO_SIZE, {"flat", "knomial:2", "knomial:4"}},
    {"allgather", TUNE_ALL_RANKS, {"flat", "ring", "bruck:2", "exchange:2", "circulant"}},
    {"alltoall", TUNE_NO_SIZE, {"flat", "pairwise:1", "pairwise:4", "bruck:2"}},
    {"reduce",
     TUNE_OWN_SIZE,
     {"flat", "segments", "knomial:2", "knomial:4", "chain:segment=8192", "rabenseifner",
      "circulant", "circulant:segment=8192"}},
    {"allreduce",
     TUNE_OWN_SIZE,
     {"flat", "segments", "exchange:2", "exchange:4", "knomial:2", "chain:segment=8192",
      "rabenseifner", "ring", "circulant"}},
    {"reduce_scatter", TUNE_ALL_RANKS, {"flat", "ring", "exchange:2", "exchange:4", "circulant"}},
    {"scan", TUNE_OWN_SIZE, {"flat", "exchange:2", "exchange:4"}},
    {"exscan", TUNE_OWN_SIZE, {"flat", "exchange:2", "exchange:4"}}};
enum { TUNE_OPERATIONS = sizeof tune_operations / sizeof *tune_operations };

#endif
