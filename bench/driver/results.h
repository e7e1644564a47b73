/* This header declares the store of what was measured: for every case, the times over the
 * rounds in each column: of each engine, in `mpj-bench coll`. */
#ifndef MPJ_BENCH_RESULTS_H
#define MPJ_BENCH_RESULTS_H

#include "engines.h"

enum { BENCH_NAME_BYTES = 48, BENCH_COLUMNS = BENCH_NENGINES };

struct bench_times {
  int n;      /* rounds that brought a time */
  double *us; /* [n] */
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

/* Note one time in a column. False if there is no memory. */
bool bench_results_add(struct bench_results *r, int column, const char *name, const char *timing,
                       int p, long bytes, double us);
void bench_results_free(struct bench_results *r);

struct bench_summary bench_summarise(const struct bench_times *times);

/* GB/s of the data that crosses from rank to rank, (p - 1) blocks in the time of
 * one operation; 0 for a barrier or an unknown time. */
double bench_gbs(const struct bench_row *row, double us);

#endif
