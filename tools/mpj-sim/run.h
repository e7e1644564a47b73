/* This header declares a run: ranks of a simulated machine that go through a program. */
#ifndef MPJ_TOOLS_MPJ_SIM_RUN_H
#define MPJ_TOOLS_MPJ_SIM_RUN_H

#include "net/sim/sim.h"
#include "program.h"

/* A rank and a time, ps. */
struct rank_time {
  int rank;
  int64_t time;
};

struct run_options {
  struct mpj_sim_machine machine;
  uint64_t seed;
  enum mpj_operation operation;
  MPJ_Count bytes;
  const char *type; /* text; or NULL */
  enum payload payload;
  int root, repeat;
  struct rank_time *late; /* [nlate] when these enter; the others at 0, or: */
  int nlate;
  int64_t skew_ps;          /* rank i enters i * skew later */
  int64_t random_ps;        /* and up to so much later, by the seed */
  struct rank_time *deaths; /* [ndeaths] */
  int ndeaths;
  struct rank_time *shifted; /* [nshifted] whose buffers begin `time` bytes behind an even place */
  int nshifted;
  int64_t memory_bytes;    /* that the run may take */
  bool gives_nothing_back; /* if it fails: the process ends then. That many ranks leave calls which
                              have not ended takes a time as the square of their number */
  bool progress;           /* a bar on stderr */
};

/* Of a rank. */
struct outcome {
  int64_t entered_ps, left_ps; /* the first call; the last one. left -1: it died */
  int status;                  /* of its first call that failed, or MPJ_SUCCESS */
  struct mpj_sim_rank_counts counts;
  uint64_t put, fifo; /* messages that it has sent so, where neighbourhoods choose */
};

struct result {
  int ranks;
  struct outcome *of; /* [ranks] owned */
  int64_t last_ps;    /* the last rank left */
  struct mpj_sim_counts counts;
  int64_t peak_bytes;           /* of the process */
  double seconds, loop_seconds; /* it took; without making and ending the ranks */
  MPJ_Count bytes;              /* of data, as of run_options; of a type, its size */
  bool is_virtual;              /* the payload */
  const char *algorithm;        /* that ran; static text; NULL: none did */
  int failed;                   /* ranks whose call returned an error */
  char why[240];                /* the first one's */
};

/* Whether the machine and the ranks that are named can be: MPJ_SUCCESS or MPJ_ERR_ARG. */
int run_check(const struct run_options *options);

/* Errors: MPJ_ERR_ARG (also: it would take more than memory_bytes); MPJ_ERR_NO_MEM;
 * MPJ_ERR_INTERNAL: an outcome was wrong, or ranks never left. A rank whose call fails is in the
 * result.
 *   see  NULL, or told of each message */
int run_program(const struct run_options *options, mpj_sim_see_fn *see, void *ctx,
                struct result *result);
/* Whether what ran, if anything did, is what `word` asks for, as of MPJ_COLL_<OPERATION>. */
bool result_is_of(const struct result *result, const char *word);
void result_end(struct result *result);

#endif
