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

/* The patterns, in the order of the table: those of applications, and lists of blocks of k
 * bytes. */
#define PACK_FOR_APPLICATIONS(row)                                                                 \
  row(nas_mg_x) row(nas_mg_y) row(nas_mg_z) row(nas_lu_x) row(nas_lu_y) row(wrf_x_vec)             \
      row(wrf_x_sa) row(wrf_y_sa) row(milc_su3) row(lammps_full) row(lammps_atomic)                \
          row(specfem_oc) row(specfem_cm) row(specfem_mt) row(fft2) row(column) row(index4)        \
              row(index8) row(vector8_16) row(vector64_128) row(struct12_16) row(contiguous)
#define PACK_FOR_LISTS_OF(k, row)                                                                  \
  row(one_longer_##k) row(one_moved_##k) row(jitter_##k) row(period4_##k) row(struct4_##k)         \
      row(random_##k)
#define PACK_FOR_LISTS(row)                                                                        \
  PACK_FOR_LISTS_OF(4, row)                                                                        \
  PACK_FOR_LISTS_OF(8, row) PACK_FOR_LISTS_OF(12, row) PACK_FOR_LISTS_OF(64, row)
#define PACK_FOR_ALL(row) PACK_FOR_APPLICATIONS(row) PACK_FOR_LISTS(row)

enum {
  PACK_NAPPLICATIONS = 22,
  PACK_NLISTS = 24,
  PACK_NPATTERNS = PACK_NAPPLICATIONS + PACK_NLISTS
};

struct pack_options {
  struct bench_list rows;     /* of enum pack_row */
  struct bench_list patterns; /* indices of pack_patterns */
  struct bench_list sizes;    /* of enum pack_size */
  double seconds;             /* for one engine in one case */
  const char *other;          /* the library of another build of MPJ, to compare with; or NULL */
};

/* "pack", "unpack", "forward", "backward", "random", "copy", "transpose",
 * "small", "sum". */
extern const char *const pack_row_names[PACK_NROWS];

extern const char *const pack_size_names[PACK_NSIZES];       /* "S", "M", "B" */
extern const char *const pack_pattern_names[PACK_NPATTERNS]; /* "nas_mg_x", ... */

/* Each reads one option's text; false if it is malformed or out of range. */
bool pack_options_rows(struct pack_options *o, const char *text);
/* Patterns by name, or the word "applications" or "lists". */
bool pack_options_patterns(struct pack_options *o, const char *text);
/* The numbers first, ..., first + n - 1; true. */
bool pack_options_all(struct bench_list *list, int first, int n);
bool pack_options_sizes(struct pack_options *o, const char *text);
bool pack_options_seconds(struct pack_options *o, const char *text);

#endif
