/* This file times the transpose of 4096 x 4096 doubles by types against a tiled
 * loop by hand: as one copy, to dense rows and to rows with padding, and packed in
 * pieces of 256 KiB. */
#include "hand_copy.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum { ORDER = 4096, PADDED = ORDER + 8, PIECE = 256 * 1024 };

static const size_t matrix_bytes = (size_t)ORDER * ORDER * sizeof(double);
static const size_t padded_bytes = (size_t)ORDER * PADDED * sizeof(double);

struct transpose {
  pack_type columns, dense, padded;
  double *src, *dst, *bounce;
};

static void hand(void *arg)
{
  const struct transpose *t = arg;
  pack_hand_transpose(t->src, t->dst, ORDER, ORDER);
}

static void hand_padded(void *arg)
{
  const struct transpose *t = arg;
  pack_hand_transpose(t->src, t->dst, ORDER, PADDED);
}

static void copy_padded(void *arg)
{
  const struct transpose *t = arg;
  pack_copy(t->src, t->columns, t->dst, t->padded, t->bounce, matrix_bytes);
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

/* Run it once and compare all of dst with what the loop leaves there. */
static void measure(struct transpose *t, void (*run)(void *arg), void (*by_hand)(void *arg),
                    const char *name, double seconds)
{
  struct pack_subject s[PACK_NSUBJECTS] = {{run, t, 0, 0}, {by_hand, t, 0, 0}, {NULL, NULL, 0, 0}};
  void *expected = pack_buffer(padded_bytes);
  memset(t->dst, 0, padded_bytes);
  by_hand(t);
  memcpy(expected, t->dst, padded_bytes);
  memset(t->dst, 0, padded_bytes);
  run(t);
  pack_must_equal(t->dst, expected, padded_bytes, PACK_ROW_TRANSPOSE, name, PACK_B);
  free(expected);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_TRANSPOSE, name, PACK_B, matrix_bytes, s);
}

void pack_row_transpose(const struct pack_options *o)
{
  struct transpose t = {.src = pack_buffer(matrix_bytes),
                        .dst = pack_buffer(padded_bytes),
                        .bounce = pack_buffer(matrix_bytes)};
  pack_type column = pack_vector(ORDER, 1, ORDER, pack_double());
  t.columns = pack_contiguous(ORDER, pack_resized(column, sizeof(double)));
  t.dense = pack_contiguous((long)ORDER * ORDER, pack_double());
  t.padded = pack_vector(ORDER, ORDER, PADDED, pack_double());
  pack_commit(&t.columns);
  pack_commit(&t.dense);
  pack_commit(&t.padded);
  pack_fill(t.src, matrix_bytes, 1);
  measure(&t, copy, hand, "copy", o->seconds);
  measure(&t, copy_padded, hand_padded, "copy_padded", o->seconds);
  if (pack_has_ranges) measure(&t, pieces, hand, "pieces", o->seconds);
  pack_types_free();
  free(t.bounce);
  free(t.dst);
  free(t.src);
}
