/* This file times what a small message costs: 32 bytes, four doubles of eight. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>

enum { DOUBLES = 4, BYTES = DOUBLES * sizeof(double) };

struct small {
  pack_type type;
  double mem[2 * DOUBLES], packed[DOUBLES];
};

static void engine(void *arg)
{
  struct small *s = arg;
  pack_pack(s->mem, s->type, s->packed, BYTES);
}

static void hand(void *arg)
{
  struct small *s = arg;
  for (int i = 0; i < DOUBLES; i++)
    s->packed[i] = s->mem[2 * i];
}

void pack_row_small(const struct pack_options *o)
{
  struct small s = {.type = pack_vector(DOUBLES, 1, 2, pack_double())};
  struct pack_subject subjects[PACK_NSUBJECTS] = {
      {engine, &s, 0, 0}, {hand, &s, 0, 0}, {NULL, NULL, 0, 0}, {NULL, NULL, 0, 0}};
  double expected[DOUBLES];
  pack_commit(&s.type);
  pack_fill(s.mem, sizeof s.mem, 1);
  hand(&s);
  memcpy(expected, s.packed, BYTES);
  memset(s.packed, 0, BYTES);
  engine(&s);
  pack_must_equal(s.packed, expected, BYTES, PACK_ROW_SMALL, "vector_32", PACK_S);
  pack_measure(subjects, PACK_NSUBJECTS, o->seconds);
  pack_report(PACK_ROW_SMALL, "vector_32", PACK_S, BYTES, subjects);
  pack_types_free();
}
