/* This file gives a view memory between guard pages. */
#include "pack/fixture.h"

#include "base/assert.h"
#include "pack/run/address.h"

void fixture_make(struct fixture *f, struct mpj_view view, struct mpj_random *rng)
{
  f->view = view;
  byte_map_make(&f->map, &view);
  f->extent = (size_t)(f->map.ub - f->map.lb);
  f->memory = guarded_make(f->extent, (int)mpj_random_in(rng, 0, 1));
  f->base = mpj_at(f->memory.at, -f->map.lb);
  fill_randomly(rng, f->memory.at, f->extent);
}

void fixture_free(struct fixture *f)
{
  guarded_free(&f->memory);
  byte_map_free(&f->map);
  mpj_layout_release(f->view.layout);
}

struct mpj_cursor fixture_begin(const struct fixture *f)
{
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_cursor_begin(&c, &f->view, f->base), MPJ_SUCCESS);
  ck_assert_int_eq(c.bytes, f->map.bytes);
  return c;
}

char *fixture_byte(const struct fixture *f, MPJ_Count i)
{
  return f->memory.at + (f->map.displs[i] - f->map.lb);
}

void fixture_expect(const struct fixture *f, MPJ_Count offset, MPJ_Count bytes, char *packed)
{
  for (MPJ_Count i = 0; i < bytes; i++)
    packed[i] = *fixture_byte(f, offset + i);
}

void fixture_scramble(struct fixture *f, struct mpj_random *rng)
{
  fill_randomly(rng, f->memory.at, f->extent);
}
