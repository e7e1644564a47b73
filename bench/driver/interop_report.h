/* This header declares what `mpj-bench interop` has measured and how that is shown. */
#ifndef MPJ_BENCH_INTEROP_REPORT_H
#define MPJ_BENCH_INTEROP_REPORT_H

#include "results.h"

enum interop_row { INTEROP_TYPES, INTEROP_OVERHEAD, INTEROP_COLL, INTEROP_PROGRAM, INTEROP_ROWS };

/* Columns of the results: by way of MPJ; what that is compared with, the MPI library alone or
 * MPJ's own call; the interposer serving nothing, where only its way of waiting is left. */
enum interop_way { INTEROP_MPJ, INTEROP_BESIDE, INTEROP_WAITS, INTEROP_WAYS };

struct interop_session {
  struct bench_options options; /* peers: the MPI libraries */
  bool rows[INTEROP_ROWS];
  struct bench_results results[INTEROP_ROWS][BENCH_NPEERS];
  bool mpj_failed;
};

/* "types", "overhead", "coll", "program". */
extern const char *const interop_row_names[INTEROP_ROWS];

/* Tables for people: one for each row and MPI library. */
void interop_report_table(const struct interop_session *s, FILE *f);

/* An array of objects, one for each case: bench "interop", row, mpi, case, timing, p, bytes, and
 * for each way ("mpj", "beside", "waits") its median, least and most, null where there is none,
 * with ratio = beside_us / mpj_us. Returns 0, or 1 after a sentence on stderr. */
int interop_report_json(const struct interop_session *s);

#endif
