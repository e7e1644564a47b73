/* This file states what memory that is borrowed again and again is. */
#include "base/scratch.h"
#include "base/suite.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

START_TEST(a_block_has_room_and_a_border_and_little_beside)
{
  struct mpj_scratch s;
  mpj_scratch_begin(&s, 0);
  for (size_t bytes = 0; bytes < 5000; bytes++) {
    mpj_memory_meter_start();
    unsigned char *p = mpj_scratch_take(&s, bytes);
    const size_t taken = (size_t)mpj_memory_meter_stop().now;
    ck_assert_ptr_nonnull(p);
    memset(p, 1, bytes);
    const bool is_long = bytes > MPJ_SCRATCH_ALIGNMENT - 16;
    ck_assert_uint_eq((uintptr_t)p % (is_long ? MPJ_SCRATCH_ALIGNMENT : 8), 0);
    ck_assert(bytes == 0 || bytes % 16 != 0 || (uintptr_t)p % 16 == 0);
    ck_assert(bytes == 0 || bytes % 32 != 0 || (uintptr_t)p % 32 == 0);
    ck_assert_msg(taken <= 3 * (bytes + 16) / 2 + 112, "%zu for %zu bytes", taken, bytes);
    ck_assert_msg(bytes > 8 || taken <= 32, "%zu for %zu bytes", taken, bytes);
    ck_assert_msg(bytes > 16 || taken <= 48, "%zu for %zu bytes", taken, bytes);
    mpj_scratch_give(&s, p);
  }
  mpj_scratch_end(&s);
}
END_TEST

START_TEST(what_was_given_back_is_borrowed_again_by_its_size_and_up_to_the_limit)
{
  struct mpj_scratch s;
  void *p[64];
  mpj_scratch_begin(&s, 1 << 22);
  for (size_t i = 0; i < 64; i++)
    p[i] = mpj_scratch_take(&s, 16 * i * i + 1);
  for (size_t i = 0; i < 64; i++)
    mpj_scratch_give(&s, p[i]);
  const unsigned long made = mpj_memory_made();
  for (size_t i = 0; i < 64; i++) {
    p[i] = mpj_scratch_take(&s, 16 * i * i + 1);
    memset(p[i], (int)i, 16 * i * i + 1);
  }
  ck_assert_uint_eq(mpj_memory_made(), made);
  ck_assert_uint_eq(s.kept, 0);
  for (size_t i = 0; i < 64; i++) { /* none lies in another */
    size_t right = 0;
    for (size_t at = 0; at <= 16 * i * i; at++)
      right += ((unsigned char *)p[i])[at] == i;
    ck_assert_uint_eq(right, 16 * i * i + 1);
  }
  s.limit = 1000;
  for (size_t i = 0; i < 64; i++)
    mpj_scratch_give(&s, p[i]);
  ck_assert(s.kept > 0 && s.kept <= 1000);
  mpj_scratch_end(&s);
  ck_assert_uint_eq(s.kept, 0);
}
END_TEST

START_TEST(more_than_there_can_be_is_no_memory)
{
  struct mpj_scratch s;
  mpj_scratch_begin(&s, 0);
  ck_assert_ptr_null(mpj_scratch_take(&s, (size_t)1 << 46));
  ck_assert_ptr_null(mpj_scratch_take(&s, SIZE_MAX));
  mpj_scratch_end(&s);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/scratch", a_block_has_room_and_a_border_and_little_beside,
                   what_was_given_back_is_borrowed_again_by_its_size_and_up_to_the_limit,
                   more_than_there_can_be_is_no_memory);
}
