/* This file sets cases up and runs one step of each way to do them. */
#include "bench_case.h"

#include <stdlib.h>
#include <string.h>

void pack_case_open(struct pack_case *c, int pattern, enum pack_size size,
                    const struct pack_face *other)
{
  *c = (struct pack_case){.pattern = &pack_patterns[pattern],
                          .name = pack_pattern_names[pattern],
                          .size = size,
                          .other = other};
  pack_shape_make(c->pattern, size, &c->shape);
  c->memory = pack_buffer(c->shape.memory);
  c->mem = (char *)c->memory + c->shape.first;
  c->packed = pack_buffer(c->shape.bytes);
  c->reference = pack_buffer(c->shape.bytes);
  pack_fill(c->memory, c->shape.memory, 1);
  c->type = c->pattern->type(&c->shape);
  pack_commit(&c->type);
  if (other) c->other_type = other->type(pattern, &c->shape);
  c->pattern->pack(&c->shape, c->mem, c->reference);
}

void pack_case_close(struct pack_case *c)
{
  pack_types_free();
  if (c->other) c->other->types_free();
  free(c->reference);
  free(c->packed);
  free(c->memory);
  pack_shape_free(&c->shape);
}

void pack_case_hand_pack(void *arg)
{
  struct pack_case *c = arg;
  c->pattern->pack(&c->shape, c->mem, c->packed);
}

void pack_case_hand_unpack(void *arg)
{
  struct pack_case *c = arg;
  c->pattern->unpack(&c->shape, c->mem, c->packed);
}

void pack_case_engine_pack(void *arg)
{
  struct pack_case *c = arg;
  pack_pack(c->mem, c->type, c->packed, c->shape.bytes);
}

void pack_case_engine_unpack(void *arg)
{
  struct pack_case *c = arg;
  pack_unpack(c->packed, c->shape.bytes, c->mem, c->type);
}

void pack_case_other_pack(void *arg)
{
  struct pack_case *c = arg;
  c->other->pack(c->mem, c->other_type, c->packed, c->shape.bytes);
}

void pack_case_other_unpack(void *arg)
{
  struct pack_case *c = arg;
  c->other->unpack(c->packed, c->shape.bytes, c->mem, c->other_type);
}

void pack_case_memcpy(void *arg)
{
  struct pack_case *c = arg;
  memcpy(c->packed, c->reference, c->shape.bytes);
  __asm__ volatile("" : : "r"(c->packed) : "memory"); /* it is wanted, every time */
}

void pack_cases(const struct pack_options *o, void (*run)(struct pack_case *c, double seconds))
{
  const struct pack_face *other = o->other ? pack_other(o->other) : NULL;
  for (int i = 0; i < o->patterns.n; i++)
    for (int j = 0; j < o->sizes.n; j++) {
      struct pack_case c;
      pack_case_open(&c, (int)o->patterns.at[i], (enum pack_size)o->sizes.at[j], other);
      run(&c, o->seconds);
      pack_case_close(&c);
    }
}
