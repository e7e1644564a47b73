/* This file tests the maps from numbers to words. */
#include "base/map.h"

#include <string.h>

#include "base/memory.h"
#include "base/suite.h"

START_TEST(an_empty_map_has_nothing_and_takes_no_memory)
{
  struct mpj_map map = {0};
  ck_assert_ptr_null(mpj_map_find(&map, 0));
  ck_assert_ptr_null(mpj_map_pointer(&map, 7));
  ck_assert_ptr_null(mpj_map_next(&map, NULL));
  mpj_map_remove(&map, 3);
  ck_assert_ptr_null(map.entries);
  mpj_map_end(&map);
}
END_TEST

/* Against an array, by keys that lie close together or far apart. */
static void play(uint32_t stride)
{
  enum { KEYS = 300, PLAYS = 20000 };
  static uint64_t reference[KEYS]; /* 0: none */
  struct mpj_map map = {0};
  uint64_t random = 1, n = 0;
  memset(reference, 0, sizeof reference);
  for (unsigned i = 0; i < PLAYS; i++) {
    random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    const uint32_t k = (uint32_t)(random >> 33) % KEYS, key = k * stride;
    struct mpj_map_entry *e =
        i % 2 ? mpj_map_find(&map, key) : mpj_map_find_recent(&map, key);
    ck_assert_uint_eq(e ? e->number : 0, reference[k]);
    if (random >> 62 < 2) {
      e = mpj_map_add(&map, key);
      ck_assert(e->key == key && e->number == reference[k]);
      e->number = reference[k] = i + 1;
    } else {
      mpj_map_remove(&map, key);
      reference[k] = 0;
    }
  }
  for (struct mpj_map_entry *e = mpj_map_next(&map, NULL); e; e = mpj_map_next(&map, e), n++)
    ck_assert_uint_eq(e->number, reference[e->key / stride]);
  ck_assert_uint_eq(n, map.n);
  for (uint32_t k = 0; k < KEYS; k++) {
    const struct mpj_map_entry *e = mpj_map_find(&map, k * stride);
    ck_assert_uint_eq(e ? e->number : 0, reference[k]);
  }
  mpj_map_end(&map);
}

START_TEST(a_map_keeps_what_was_added_and_not_removed)
{
  play(1);
  play(1024);
  play(UINT32_C(14316557));
}
END_TEST

START_TEST(a_map_without_memory_stays_as_it_was)
{
  struct mpj_map map = {0};
  for (uint32_t key = 0; key < 3; key++)
    mpj_map_add(&map, key)->number = key + 1;
  mpj_memory_fail_after(0);
  ck_assert_ptr_null(mpj_map_add(&map, 3));
  ck_assert_ptr_nonnull(mpj_map_add(&map, 2));
  mpj_memory_fail_after(-1);
  for (uint32_t key = 0; key < 3; key++)
    ck_assert_uint_eq(mpj_map_find(&map, key)->number, key + 1);
  mpj_map_end(&map);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/map", an_empty_map_has_nothing_and_takes_no_memory,
                   a_map_keeps_what_was_added_and_not_removed,
                   a_map_without_memory_stays_as_it_was);
}
