/* This header declares the store of what was measured: for every case, the times over the
 * rounds in each column: of each engine, in `mpj-bench coll`. */
#ifndef MPJ_BENCH_RESULTS_H
#define MPJ_BENCH_RESULTS_H

#include "engines.h"

enum { BENCH_NAME_BYTES = 48, BENCH_COLUMNS = BENCH_NENGINES };

struct bench_times {
  int n; /* rounds that brought a time */
  struct bench_time {
    int round;
    double us;
  } * at; /* [n], rounds rising */
};

struct bench_row {
  char name[BENCH_NAME_BYTES]; /* of the case: "gather", "scatter_rows_512" */
  char timing[BENCH_NAME_BYTES];
  int p;
  long bytes; /* of a rank's block */
  struct bench_times times[BENCH_COLUMNS];
};

struct bench_results {
  int nrows, room;
  struct bench_row *rows; /* in the order in which they first came */
};

struct bench_summary {
  bool known;                 /* false: no round brought a time, and the rest is 0 */
  double median, least, most; /* us */
};

/* Note the time that one round brought in a column. False if there is no memory. */
bool bench_results_add(struct bench_results *r, int column, int round, const char *name,
                       const char *timing, int p, long bytes, double us);
void bench_results_free(struct bench_results *r);

struct bench_summary bench_summarise(const struct bench_times *times);

/* How many times as long the peer took. Each round in which both brought a time gives a ratio,
 * since what disturbs a machine for a while then meets both. */
struct bench_ratio {
  bool known;       /* there was such a round */
  double median;    /* of the ratios */
  bool bounded;     /* there were enough rounds (6) for the interval */
  double low, high; /* the median of all such ratios lies between these with a probability of at
                       least 95 %, whatever their distribution: two of the ratios by rank, as in
                       the sign test */
};
struct bench_ratio bench_compare(const struct bench_times *mpj, const struct bench_times *peer);

/* GB/s of the data that crosses from rank to rank, (p - 1) blocks in the time of
 * one operation; 0 for a barrier or an unknown time. */
double bench_gbs(const struct bench_row *row, double us);

#endif
