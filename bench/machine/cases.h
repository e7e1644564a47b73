/* This header declares what `mpj-bench tune --machine` measures of movers. */
#ifndef MPJ_BENCH_MACHINE_CASES_H
#define MPJ_BENCH_MACHINE_CASES_H

/* In the order of mpj_pull_kind_names: dense to dense; blocks of 256 bytes to dense; and both added
 * to what is there. */
enum machine_kind {
  MACHINE_DENSE,
  MACHINE_GAPS,
  MACHINE_COMBINED,
  MACHINE_COMBINED_GAPS,
  MACHINE_KINDS
};

/* Buffers used before and unchanged; written by their owner before each call; in new pages. */
enum machine_state { MACHINE_REUSED, MACHINE_REWRITTEN, MACHINE_FRESH, MACHINE_STATES };

enum { MACHINE_SIZES = 8 };
static const long machine_sizes[MACHINE_SIZES] = {16384,  32768,  65536,   131072,
                                                  262144, 524288, 1048576, 4194304};

#endif
