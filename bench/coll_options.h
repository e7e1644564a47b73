/* This header declares what a worker of `mpj-bench coll` is told: which cases,
 * and for how long. The driver checks the same texts before it passes them on. */
#ifndef MPJ_BENCH_COLL_OPTIONS_H
#define MPJ_BENCH_COLL_OPTIONS_H

#include "bench_list.h"

enum coll_family {
  COLL_FAMILY_BARRIER,
  COLL_FAMILY_BCAST,
  COLL_FAMILY_GATHER,
  COLL_FAMILY_SCATTER,
  COLL_FAMILY_ALLGATHER,
  COLL_FAMILY_ALLTOALL,
  COLL_FAMILY_REDUCE,
  COLL_FAMILY_ALLREDUCE,
  COLL_FAMILY_REDUCE_SCATTER,
  COLL_FAMILY_SCAN,
  COLL_FAMILY_EXSCAN,
  COLL_FAMILY_MATRIX,       /* gather and scatter, by rows and by blocks */
  COLL_FAMILY_TRANSPOSE,    /* alltoall by column types */
  COLL_FAMILY_REDISTRIBUTE, /* alltoall among groups, slabs to blocks */
  COLL_NFAMILIES
};

struct coll_options {
  struct bench_list ops;     /* of enum coll_family */
  struct bench_list sizes;   /* bytes of a rank's block */
  struct bench_list orders;  /* of the matrix: n means n x n doubles */
  struct bench_list timings; /* of enum coll_timing; none: all */
  double seconds;            /* for one case */
  double deadline;           /* seconds after which no further case is begun */
  bool library;              /* buffers are the library's, not the program's own */
  int nthreads;              /* ranks as threads; 0: as processes */
  int nranks;                /* of a job of processes, which is refused if it has others; 0: any */
};

/* "barrier", "bcast", ..., "exscan", "matrix", "transpose", "redistribute". */
extern const char *const coll_family_names[COLL_NFAMILIES];
#define COLL_TIMINGS_TEXT "back_to_back,dependent,rewritten,separate"
#define COLL_TIMINGS_DEFAULT "back_to_back,dependent,rewritten"
#define COLL_FAMILIES_TEXT                                                                         \
  "barrier,bcast,gather,scatter,allgather,alltoall,reduce,allreduce,reduce_scatter,scan,exscan,"   \
  "matrix,transpose,redistribute"

/* Each reads one option's text; false if it is malformed or out of range. */
bool coll_options_ops(struct coll_options *o, const char *text);
bool coll_options_sizes(struct coll_options *o, const char *text);
bool coll_options_orders(struct coll_options *o, const char *text);
bool coll_options_timings(struct coll_options *o, const char *text);
bool coll_options_buffers(struct coll_options *o, const char *text); /* private, library */
bool coll_options_seconds(struct coll_options *o, const char *text);
bool coll_options_deadline(struct coll_options *o, const char *text);
bool coll_options_threads(struct coll_options *o, const char *text);
bool coll_options_ranks(struct coll_options *o, const char *text);

#endif
