/* This header declares what the rows of `mpj-bench am` share: ranks, which are processes of this
 * program on one segment with a common page (am_run) or those of an MPJ job (machine.c), and the
 * clock. */
#ifndef MPJ_BENCH_AM_H
#define MPJ_BENCH_AM_H

#include <stdatomic.h>
#include <stdio.h>

#include "net/net.h"

enum { AM_RANKS_MAX = 64, AM_BATCHES = 15, AM_HANDLER = MPJ_AM_FIRST_FREE + 4 };

/* Memory that all ranks of a row share; zeroed. */
struct am_common {
  _Alignas(64) _Atomic int arrived; /* at barriers, ever */
  _Atomic unsigned agreed;          /* calls in a batch */
  _Alignas(64) _Atomic unsigned flag[2];
  _Alignas(64) unsigned char slot[2][65536]; /* of the bare copies */
  unsigned char address[2][4096];            /* of UCX workers */
  _Atomic unsigned address_bytes[2];
};

struct am_rank {
  int rank, size;
  struct mpj_net *net;
  struct am_common *common; /* NULL: the ranks of an MPJ job, which agree by its collectives */
  double seconds;           /* that one row may take */
  int barriers;             /* passed so far */
  bool quiet_part;          /* of what one call takes, not the median: a lower quartile, which other
                               programs' work is mostly not in; and after LATE times `seconds` no
                               more than a few batches */
  /* What a rank does while it waits for others: lets what it has sent leave; or NULL. */
  void (*progress)(void *arg);
  void *progress_arg;
};

typedef void am_row_fn(struct am_rank *r, long param);

/* Run fn(r, param) in `size` processes; those from `active` on attach to nothing. */
void am_run(int size, int active, double seconds, am_row_fn *fn, long param);

/* Let r->net reach the other over UCX over TCP; false without UCX. */
bool am_over_network(struct am_rank *r);

/* Wait for all active ranks. */
void am_barrier(struct am_rank *r, int active);

/* Nanoseconds, monotone. */
double am_now(void);

/* What is reported of values, which are sorted. */
double am_of_values(const struct am_rank *r, double *values, int n);

/* Time `step` in batches: median (see quiet_part) of the ns that one call takes. Every rank of
 * `active` must call it with the same arguments; each call of step is one round. */
double am_time(struct am_rank *r, int active, void (*step)(void *arg), void *arg);

/* Print one result: row, who ("mpj" or a peer), us. */
void am_report(const char *row, const char *who, double us);

static inline void am_poll_until(struct mpj_net *net, const unsigned *count, unsigned until)
{
  while ((int)(*count - until) < 0)
    mpj_net_poll(net);
  net->enough = false;
}

/* Read every byte, as a receiver would. */
static inline uint64_t am_sum(const void *data, long bytes)
{
  const uint64_t *words = data;
  uint64_t total = 0;
  for (long i = 0; i < bytes / 8; i++)
    total += words[i];
  return total;
}

/* What the param of am_long says, besides bytes << AM_HOW_BITS: the source is written anew before
 * each transfer, which is not timed; memory of the library; what has come is what is sent on; what
 * comes is added up, as doubles. */
enum { AM_REWRITTEN = 1, AM_LIBRARY = 2, AM_PASSED_ON = 4, AM_COMBINED = 8, AM_HOW_BITS = 4 };

/* The rows. */
am_row_fn am_short, am_burst, am_raw_cell, am_eager, am_raw_slot, am_long, am_raw_read, am_layout,
    am_all_pairs;
/* UCX's active messages through its own interface, over shared memory or TCP; report
 * nothing without UCX. */
am_row_fn am_ucx, am_ucx_network;
/* Ours over UCX over TCP; without UCX nothing. */
am_row_fn am_network_short, am_network_long;

#endif
