/* This header declares the cases of `mpj-bench array`, and what a worker's peer is: whoever moves
 * the data. The data and its layout are the same for all peers, so the bits that arrive are, too.
 */
#ifndef MPJ_BENCH_ARRAY_PEER_H
#define MPJ_BENCH_ARRAY_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum array_kind {
  ARRAY_REMAP,     /* n x n doubles, block-cyclic, column-major, to another block-cyclic layout */
  ARRAY_TRANSPOSE, /* n x n elements of `width` doubles in blocks of rows, transposed */
  ARRAY_HALO,      /* n^3 doubles in blocks into local arrays with ghosts, C order, periodic */
  ARRAY_GATHER,    /* every rank wants n / p elements of 10 n, in blocks, by random subscripts */
  ARRAY_SCATTER    /* and adds to them */
};

struct array_case {
  const char *name;
  enum array_kind kind;
  long n;
  int width;    /* TRANSPOSE: doubles an element; HALO: ghosts */
  bool corners; /* HALO */
  int nb[2];    /* REMAP: block lengths of both layouts */
};
extern const struct array_case array_cases[]; /* the last has no name */

/* A layout of REMAP: blocks of nb x nb on a grid of prow x pcol, ranks row-major. */
struct array_layout {
  int nb, prow, pcol;
};
struct array_layout array_layout_of(const struct array_case *c, int which, int p);
/* Rows (columns) that coordinate `at` of `of` holds of n in blocks of nb. */
long array_share(long n, int nb, int at, int of);

/* HALO: the grid of p ranks, row-major; the local shape without ghosts. */
void array_grid(int p, int grid[3]);

/* One rank's data of a case. */
struct array_data {
  double *from, *to;
  size_t from_count, to_count; /* doubles */
  int64_t *wanted;             /* GATHER, SCATTER: [to_count] */
};

/* Who moves it. */
struct array_peer {
  const char *name;
  void (*begin)(int *argc, char ***argv);
  void (*end)(void);
  int rank, size;
  bool (*serves)(const struct array_case *c);
  void (*create)(const struct array_case *c, struct array_data *data); /* what is made once */
  void (*run)(void);
  void (*destroy)(void);
  void (*barrier)(void);
  double (*most)(double mine);
  uint64_t (*sum)(uint64_t mine);
};
extern struct array_peer array_peer;

#endif
