/* This file times packing in pieces of 8 KiB against the same engine's whole
 * message: forward, backward, and in an order shuffled once. */
#include "bench_case.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 8192 };

struct pieces {
  struct pack_case *whole;
  long n;
  int *order; /* [n], which piece comes when */
};

static enum pack_row row_now; /* which order pack_cases is running for */

static void run_pieces(void *arg)
{
  const struct pieces *p = arg;
  const struct pack_case *c = p->whole;
  for (long i = 0; i < p->n; i++) {
    size_t at = (size_t)p->order[i] * PIECE, left = c->shape.bytes - at;
    pack_pack_range(c->mem, c->type, at, c->packed + at, left < PIECE ? left : PIECE);
  }
}

static void put_in_order(struct pieces *p, enum pack_row row)
{
  p->order = pack_index_shuffled(p->n, p->n);
  if (row == PACK_ROW_RANDOM) return;
  for (long i = 0; i < p->n; i++)
    p->order[i] = (int)(row == PACK_ROW_FORWARD ? i : p->n - 1 - i);
}

static void measure(struct pack_case *c, double seconds)
{
  struct pieces p = {c, (long)((c->shape.bytes + PIECE - 1) / PIECE), NULL};
  struct pack_subject s[PACK_NSUBJECTS] = {{run_pieces, &p, 0, 0},
                                           {pack_case_engine_pack, c, 0, 0},
                                           {NULL, NULL, 0, 0},
                                           {NULL, NULL, 0, 0}};
  put_in_order(&p, row_now);
  memset(c->packed, 0, c->shape.bytes);
  run_pieces(&p);
  pack_must_equal(c->packed, c->reference, c->shape.bytes, row_now, c->name, c->size);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(row_now, c->name, c->size, c->shape.bytes, s);
  free(p.order);
}

void pack_row_pieces(const struct pack_options *o, enum pack_row row)
{
  row_now = row;
  pack_cases(o, measure);
}
