/* This file times copies from layout to layout against one loop by hand. An
 * engine that cannot copy so packs and unpacks, through a buffer. */
#include "hand_copy.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum copy_kind { STRIDE2_TO_3, INDEX_TO_STRIDE, BLOCKS64, STRUCT_TO_STRUCT, NKINDS };

static const char *const kind_names[NKINDS] = {"stride2_to_3", "index_to_stride", "blocks64",
                                               "struct_to_struct"};
static const size_t unit_bytes[NKINDS] = {8, 8, 64, 12};
static const size_t size_bytes[PACK_NSIZES] = {10240, 204800, 16800000};

struct copy {
  enum copy_kind kind;
  long n; /* units */
  size_t bytes, dst_bytes;
  int *list;
  pack_type from, to;
  void *src, *dst, *bounce;
};

static pack_type tiles(long n, ptrdiff_t extent)
{
  const pack_type types[] = {pack_double(), pack_int()};
  pack_type one =
      pack_struct(2, (const int[]){1, 1}, (const ptrdiff_t[]){0, sizeof(double)}, types);
  return pack_contiguous(n, pack_resized(one, extent));
}

static void make_types(struct copy *c)
{
  switch (c->kind) {
  case STRIDE2_TO_3:
    c->from = pack_vector(c->n, 1, 2, pack_double());
    c->to = pack_vector(c->n, 1, 3, pack_double());
    break;
  case INDEX_TO_STRIDE:
    c->list = pack_index_rising(c->n, 4 * c->n);
    c->from = pack_indexed(c->n, 1, c->list, pack_double());
    c->to = pack_vector(c->n, 1, 2, pack_double());
    break;
  case BLOCKS64:
    c->from = pack_vector(c->n, 8, 16, pack_double());
    c->to = pack_vector(c->n, 8, 24, pack_double());
    break;
  default:
    c->from = tiles(c->n, 2 * sizeof(double));
    c->to = tiles(c->n, 4 * sizeof(double));
  }
  pack_commit(&c->from);
  pack_commit(&c->to);
}

static void hand(void *arg)
{
  const struct copy *c = arg;
  switch (c->kind) {
  case STRIDE2_TO_3:
    pack_hand_stride2_to_3(c->src, c->dst, c->n);
    break;
  case INDEX_TO_STRIDE:
    pack_hand_index_to_stride(c->src, c->list, c->dst, c->n);
    break;
  case BLOCKS64:
    pack_hand_blocks64(c->src, c->dst, c->n);
    break;
  default:
    pack_hand_struct_to_struct(c->src, c->dst, c->n);
  }
}

static void engine(void *arg)
{
  const struct copy *c = arg;
  pack_copy(c->src, c->from, c->dst, c->to, c->bounce, c->bytes);
}

/* The units' holes in dst keep their zeros: the whole of it is compared. */
static void check(struct copy *c, enum pack_size size)
{
  void *expected = pack_buffer(c->dst_bytes);
  hand(c);
  memcpy(expected, c->dst, c->dst_bytes);
  memset(c->dst, 0, c->dst_bytes);
  engine(c);
  pack_must_equal(c->dst, expected, c->dst_bytes, PACK_ROW_COPY, kind_names[c->kind], size);
  free(expected);
}

static void measure(enum copy_kind kind, enum pack_size size, double seconds)
{
  struct copy c = {.kind = kind, .n = (long)(size_bytes[size] / unit_bytes[kind])};
  struct pack_subject s[PACK_NSUBJECTS] = {
      {engine, &c, 0, 0}, {hand, &c, 0, 0}, {NULL, NULL, 0, 0}};
  c.bytes = (size_t)c.n * unit_bytes[kind];
  c.dst_bytes = 4 * c.bytes;
  c.src = pack_buffer(4 * c.bytes);
  c.dst = pack_buffer(c.dst_bytes);
  c.bounce = pack_buffer(c.bytes);
  pack_fill(c.src, 4 * c.bytes, 1);
  make_types(&c);
  check(&c, size);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_COPY, kind_names[kind], size, c.bytes, s);
  pack_types_free();
  free(c.bounce);
  free(c.dst);
  free(c.src);
  free(c.list);
}

void pack_row_copy(const struct pack_options *o)
{
  for (int kind = 0; kind < NKINDS; kind++)
    for (int j = 0; j < o->sizes.n; j++)
      measure((enum copy_kind)kind, (enum pack_size)o->sizes.at[j], o->seconds);
}
