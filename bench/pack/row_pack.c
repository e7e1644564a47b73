/* This file times packing and unpacking whole messages against loops by hand. */
#include "bench_case.h"

#include <string.h>

static void check_pack(struct pack_case *c)
{
  memset(c->packed, 0, c->shape.bytes);
  pack_case_engine_pack(c);
  pack_must_equal(c->packed, c->reference, c->shape.bytes, PACK_ROW_PACK, c->name, c->size);
}

/* Unpack other data with the engine, and pack it again by hand. */
static void check_unpack(struct pack_case *c)
{
  pack_fill(c->reference, c->shape.bytes, 7);
  memcpy(c->packed, c->reference, c->shape.bytes);
  pack_case_engine_unpack(c);
  memset(c->packed, 0, c->shape.bytes);
  pack_case_hand_pack(c);
  pack_must_equal(c->packed, c->reference, c->shape.bytes, PACK_ROW_UNPACK, c->name, c->size);
}

static void pack(struct pack_case *c, double seconds)
{
  struct pack_subject s[PACK_NSUBJECTS] = {{pack_case_engine_pack, c, 0, 0},
                                           {pack_case_hand_pack, c, 0, 0},
                                           {pack_case_memcpy, c, 0, 0},
                                           {c->other ? pack_case_other_pack : NULL, c, 0, 0}};
  check_pack(c);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_PACK, c->name, c->size, c->shape.bytes, s);
}

static void unpack(struct pack_case *c, double seconds)
{
  struct pack_subject s[PACK_NSUBJECTS] = {{pack_case_engine_unpack, c, 0, 0},
                                           {pack_case_hand_unpack, c, 0, 0},
                                           {pack_case_memcpy, c, 0, 0},
                                           {c->other ? pack_case_other_unpack : NULL, c, 0, 0}};
  check_unpack(c);
  pack_measure(s, PACK_NSUBJECTS, seconds);
  pack_report(PACK_ROW_UNPACK, c->name, c->size, c->shape.bytes, s);
}

void pack_row_pack(const struct pack_options *o)
{
  pack_cases(o, pack);
}

void pack_row_unpack(const struct pack_options *o)
{
  pack_cases(o, unpack);
}
