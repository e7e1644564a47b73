/* This header declares what a worker of `mpj-bench pack` is told. The driver
 * checks the same texts before it passes them on. */
#ifndef MPJ_BENCH_PACK_OPTIONS_H
#define MPJ_BENCH_PACK_OPTIONS_H

#include "bench_list.h"

/* Rows of the table: what is done to a pattern. */
enum pack_row {
  PACK_ROW_PACK,
  PACK_ROW_UNPACK,
  PACK_ROW_FORWARD, /* pack in pieces of 8 KiB */
  PACK_ROW_BACKWARD,
  PACK_ROW_RANDOM,
  PACK_ROW_COPY, /* from layout to layout */
  PACK_ROW_TRANSPOSE,
  PACK_ROW_SMALL, /* 32 bytes */
  PACK_ROW_SUM,   /* unpack and add */
  PACK_NROWS
};

enum pack_size { PACK_S, PACK_M, PACK_B, PACK_NSIZES };

/* The patterns, in the order of the table. */
#define PACK_FOR_ALL(row)                                                                          \
  row(nas_mg_x) row(nas_mg_y) row(nas_mg_z) row(nas_lu_x) row(nas_lu_y) row(wrf_x_vec)             \
      row(wrf_x_sa) row(wrf_y_sa) row(milc_su3) row(lammps_full) row(lammps_atomic)                \
          row(specfem_oc) row(specfem_cm) row(specfem_mt) row(fft2) row(column) row(index4)        \
              row(index8) row(vector8_16) row(vector64_128) row(struct12_16) row(contiguous)

enum { PACK_NPATTERNS = 22 };

struct pack_options {
  struct bench_list rows;     /* of enum pack_row */
  struct bench_list patterns; /* indices of pack_patterns */
  struct bench_list sizes;    /* of enum pack_size */
  double seconds;             /* for one engine in one case */
};

/* "pack", "unpack", "forward", "backward", "random", "copy", "transpose",
 * "small", "sum". */
extern const char *const pack_row_names[PACK_NROWS];

extern const char *const pack_size_names[PACK_NSIZES];       /* "S", "M", "B" */
extern const char *const pack_pattern_names[PACK_NPATTERNS]; /* "nas_mg_x", ... */

/* Each reads one option's text; false if it is malformed or out of range. */
bool pack_options_rows(struct pack_options *o, const char *text);
bool pack_options_patterns(struct pack_options *o, const char *text);
bool pack_options_sizes(struct pack_options *o, const char *text);
bool pack_options_seconds(struct pack_options *o, const char *text);

#endif
