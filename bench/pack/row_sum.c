/* This file times unpacking doubles with addition against a loop by hand. */
#include "hand_copy.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum sum_kind { CONTIGUOUS, STRIDE2, INDEX, NKINDS };

static const char *const kind_names[NKINDS] = {"sum_contiguous", "sum_stride2", "sum_index"};
static const size_t size_bytes[PACK_NSIZES] = {10240, 204800, 16800000};

struct sum {
  enum sum_kind kind;
  long n;
  size_t bytes;
  int *list;
  pack_type type;
  double *packed, *mem;
};

static void hand(void *arg)
{
  const struct sum *c = arg;
  if (c->kind == INDEX)
    pack_hand_sum_index(c->packed, c->mem, c->list, c->n);
  else
    pack_hand_sum(c->packed, c->mem, c->kind == STRIDE2 ? 2 : 1, c->n);
}

static void engine(void *arg)
{
  const struct sum *c = arg;
  pack_unpack_sum(c->packed, c->bytes, c->mem, c->type);
}

static void make_type(struct sum *c)
{
  if (c->kind == INDEX) {
    c->list = pack_index_rising(c->n, 4 * c->n);
    c->type = pack_indexed(c->n, 1, c->list, pack_double());
  } else {
    c->type = pack_vector(c->n, 1, c->kind == STRIDE2 ? 2 : 1, pack_double());
  }
  pack_commit(&c->type);
}

static void check(struct sum *c, enum pack_size size)
{
  double *before = pack_buffer(4 * c->bytes), *expected = pack_buffer(4 * c->bytes);
  memcpy(before, c->mem, 4 * c->bytes);
  hand(c);
  memcpy(expected, c->mem, 4 * c->bytes);
  memcpy(c->mem, before, 4 * c->bytes);
  engine(c);
  pack_must_equal(c->mem, expected, 4 * c->bytes, PACK_ROW_SUM, kind_names[c->kind], size);
  free(expected);
  free(before);
}

static void measure(enum sum_kind kind, enum pack_size size, double seconds)
{
  struct sum c = {.kind = kind, .bytes = size_bytes[size]};
  struct pack_subject s[PACK_NSUBJECTS] = {
      {engine, &c, 0, 0}, {hand, &c, 0, 0}, {NULL, NULL, 0, 0}};
  c.n = (long)(c.bytes / sizeof(double));
  c.packed = pack_buffer(c.bytes);
  c.mem = pack_buffer(4 * c.bytes);
  for (long i = 0; i < c.n; i++)
    c.packed[i] = (double)(i % 1000);
  make_type(&c);
  check(&c, size);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_SUM, kind_names[kind], size, c.bytes, s);
  pack_types_free();
  free(c.mem);
  free(c.packed);
  free(c.list);
}

void pack_row_sum(const struct pack_options *o)
{
  for (int kind = 0; kind < NKINDS; kind++)
    for (int j = 0; j < o->sizes.n; j++)
      measure((enum sum_kind)kind, (enum pack_size)o->sizes.at[j], o->seconds);
}
