/* This file tests copying from layout to layout. */
#include "base/least.h"
#include "base/suite.h"
#include "pack/fixture.h"
#include "types/basic.h"

#include <stdlib.h>
#include <string.h>

/* Copy `bytes` from the cursors' places; nothing else of dst may change. */
static void check_copy(struct fixture *dst, struct mpj_cursor *to, const struct fixture *src,
                       struct mpj_cursor *from, MPJ_Count bytes)
{
  char *expected = malloc(dst->extent + 1);
  memcpy(expected, dst->memory.at, dst->extent);
  for (MPJ_Count i = 0; i < bytes; i++)
    expected[dst->map.displs[to->offset + i] - dst->map.lb] = *fixture_byte(src, from->offset + i);
  MPJ_Count to_end = to->offset + bytes, from_end = from->offset + bytes;
  mpj_cursor_copy(to, from, bytes);
  ck_assert(memcmp(dst->memory.at, expected, dst->extent) == 0);
  ck_assert_int_eq(to->offset, to_end);
  ck_assert_int_eq(from->offset, from_end);
  free(expected);
}

/* The whole that both have, then pieces at random places. */
static void check_pair(struct fixture *dst, struct fixture *src, struct mpj_random *rng)
{
  struct mpj_cursor to = fixture_begin(dst), from = fixture_begin(src);
  check_copy(dst, &to, src, &from, mpj_least(to.bytes, from.bytes));
  for (int i = 0; i < 6; i++) {
    fixture_scramble(src, rng);
    mpj_cursor_seek(&to, mpj_random_in(rng, 0, to.bytes));
    mpj_cursor_seek(&from,
                    i % 2 ? mpj_random_in(rng, 0, from.bytes) : mpj_least(to.offset, from.bytes));
    MPJ_Count most = mpj_least(mpj_cursor_remaining(&to), mpj_cursor_remaining(&from));
    check_copy(dst, &to, src, &from, mpj_random_in(rng, 0, most));
  }
  mpj_cursor_end(&to);
  mpj_cursor_end(&from);
}

START_TEST(copy_between_any_two_layouts_follows_both_byte_maps)
{
  struct mpj_random rng = {11};
  int checked = 0;
  for (int i = 0; i < 2000; i++) {
    struct fixture dst, src;
    fixture_make(&dst, random_view(&rng, 3000), &rng);
    fixture_make(&src, random_view(&rng, 3000), &rng);
    if (!dst.map.overlaps) {
      check_pair(&dst, &src, &rng);
      checked++;
    }
    fixture_free(&dst);
    fixture_free(&src);
  }
  ck_assert_int_gt(checked, 1000);
}
END_TEST

START_TEST(copy_between_equal_layouts_follows_the_byte_map)
{
  struct mpj_random rng = {12};
  for (int i = 0; i < 1000; i++) {
    struct mpj_view view = random_view(&rng, 3000), same = view;
    mpj_layout_retain(same.layout);
    same.displ += 24;
    struct fixture dst, src;
    fixture_make(&dst, view, &rng);
    fixture_make(&src, same, &rng);
    if (!dst.map.overlaps) check_pair(&dst, &src, &rng);
    fixture_free(&dst);
    fixture_free(&src);
  }
}
END_TEST

static struct mpj_view strided(MPJ_Datatype basic, MPJ_Count elements, MPJ_Count count,
                               MPJ_Aint stride)
{
  return (struct mpj_view){run_of(basic, elements).layout, count, stride, 0};
}

START_TEST(strided_layouts_of_unlike_blocks_copy)
{
  const MPJ_Count blocks[] = {1, 2, 3, 5, 8, 16, 40};
  struct mpj_random rng = {13};
  for (int i = 0; i < 7; i++) {
    for (int j = 0; j < 7; j++) {
      struct fixture dst, src;
      fixture_make(&dst, strided(MPJ_INT, blocks[i], 240 / blocks[i], 4 * blocks[i] + 12), &rng);
      fixture_make(&src, strided(MPJ_INT, blocks[j], 240 / blocks[j], -4 * blocks[j] - 4), &rng);
      check_pair(&dst, &src, &rng);
      fixture_free(&dst);
      fixture_free(&src);
    }
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/copy", copy_between_any_two_layouts_follows_both_byte_maps,
                   copy_between_equal_layouts_follows_the_byte_map,
                   strided_layouts_of_unlike_blocks_copy);
}
