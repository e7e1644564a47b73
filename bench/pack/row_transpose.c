/* This file times the transpose of 4096 x 4096 doubles by types against a tiled
 * loop by hand: as one copy, and packed in pieces of 256 KiB. */
#include "hand_copy.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum { ORDER = 4096, PIECE = 256 * 1024 };

static const size_t matrix_bytes = (size_t)ORDER * ORDER * sizeof(double);

struct transpose {
  pack_type columns, dense;
  double *src, *dst, *bounce;
};

static void hand(void *arg)
{
  const struct transpose *t = arg;
  pack_hand_transpose(t->src, t->dst, ORDER);
}

static void copy(void *arg)
{
  const struct transpose *t = arg;
  pack_copy(t->src, t->columns, t->dst, t->dense, t->bounce, matrix_bytes);
}

static void pieces(void *arg)
{
  const struct transpose *t = arg;
  for (size_t at = 0; at < matrix_bytes; at += PIECE)
    pack_pack_range(t->src, t->columns, at, (char *)t->dst + at, PIECE);
}

static void measure(struct transpose *t, void (*run)(void *arg), const char *name,
                    const double *expected, double seconds)
{
  struct pack_subject s[PACK_NSUBJECTS] = {{run, t, 0, 0}, {hand, t, 0, 0}, {NULL, NULL, 0, 0}};
  memset(t->dst, 0, matrix_bytes);
  run(t);
  pack_must_equal(t->dst, expected, matrix_bytes, PACK_ROW_TRANSPOSE, name, PACK_B);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_TRANSPOSE, name, PACK_B, matrix_bytes, s);
}

void pack_row_transpose(const struct pack_options *o)
{
  struct transpose t = {.src = pack_buffer(matrix_bytes),
                        .dst = pack_buffer(matrix_bytes),
                        .bounce = pack_buffer(matrix_bytes)};
  double *expected = pack_buffer(matrix_bytes);
  pack_type column = pack_vector(ORDER, 1, ORDER, pack_double());
  t.columns = pack_contiguous(ORDER, pack_resized(column, sizeof(double)));
  t.dense = pack_contiguous((long)ORDER * ORDER, pack_double());
  pack_commit(&t.columns);
  pack_commit(&t.dense);
  pack_fill(t.src, matrix_bytes, 1);
  hand(&t);
  memcpy(expected, t.dst, matrix_bytes);
  measure(&t, copy, "copy", expected, o->seconds);
  if (pack_has_ranges) measure(&t, pieces, "pieces", expected, o->seconds);
  pack_types_free();
  free(expected);
  free(t.bounce);
  free(t.dst);
  free(t.src);
}
