/* This file tests the lists of dense segments. */
#include "base/suite.h"
#include "pack/fixture.h"

enum { MOST_SEGMENTS = 40000 };

/* Hold n segments against the byte map from `offset` on. */
static void check_segments(const struct fixture *f, MPJ_Count offset, const struct iovec *iov,
                           size_t n, MPJ_Count bytes)
{
  bool empty = false, wrong = false, adjoining = false;
  for (size_t i = 0; i < n; i++) {
    char *at = iov[i].iov_base;
    empty |= iov[i].iov_len == 0;
    adjoining |= i > 0 && (char *)iov[i - 1].iov_base + iov[i - 1].iov_len == at;
    for (size_t b = 0; b < iov[i].iov_len && bytes > 0; b++, bytes--)
      wrong |= at + b != fixture_byte(f, offset++);
  }
  ck_assert_int_eq(bytes, 0);
  ck_assert(!empty);
  ck_assert(!wrong);
  ck_assert(!adjoining);
}

/* Segments of [offset, end) as the byte map has them. */
static size_t count_segments(const struct byte_map *map, MPJ_Count offset, MPJ_Count end)
{
  size_t n = offset < end;
  for (MPJ_Count i = offset + 1; i < end; i++)
    n += map->displs[i] != map->displs[i - 1] + 1;
  return n;
}

START_TEST(the_list_of_the_whole_has_the_fewest_segments)
{
  static struct iovec iov[MOST_SEGMENTS];
  struct mpj_random rng = {21};
  for (int i = 0; i < 1500; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 4000), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    MPJ_Count bytes;
    size_t n = mpj_cursor_iov(&c, iov, MOST_SEGMENTS, INT64_MAX, &bytes);
    ck_assert_int_eq(bytes, f.map.bytes);
    ck_assert_int_eq(mpj_cursor_remaining(&c), 0);
    ck_assert_uint_eq(n, count_segments(&f.map, 0, bytes));
    check_segments(&f, 0, iov, n, bytes);
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(lists_in_pieces_are_as_long_as_they_may_be)
{
  static struct iovec iov[64];
  struct mpj_random rng = {22};
  for (int i = 0; i < 1000; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 2000), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    while (mpj_cursor_remaining(&c) > 0) {
      size_t max = (size_t)mpj_random_in(&rng, 1, 64);
      MPJ_Count offset = c.offset, most = mpj_random_in(&rng, 1, 700), bytes;
      size_t n = mpj_cursor_iov(&c, iov, max, most, &bytes);
      ck_assert_int_eq(c.offset, offset + bytes);
      ck_assert_uint_le(n, max);
      check_segments(&f, offset, iov, n, bytes);
      bool full = bytes == most || mpj_cursor_remaining(&c) == 0;
      ck_assert(full || count_segments(&f.map, offset, c.offset + 1) == max + 1);
      ck_assert_int_le(bytes, most);
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(lists_without_room_or_bytes_are_empty)
{
  struct mpj_random rng = {23};
  struct fixture f;
  fixture_make(&f, view_of(run_of(MPJ_INT, 4)), &rng);
  struct mpj_cursor c = fixture_begin(&f);
  struct iovec iov[1];
  MPJ_Count bytes = -1;
  ck_assert_uint_eq(mpj_cursor_iov(&c, iov, 0, 16, &bytes), 0);
  ck_assert_int_eq(bytes, 0);
  bytes = -1;
  ck_assert_uint_eq(mpj_cursor_iov(&c, iov, 1, 0, &bytes), 0);
  ck_assert_int_eq(bytes, 0);
  ck_assert_int_eq(c.offset, 0);
  ck_assert_uint_eq(mpj_cursor_iov(&c, iov, 1, 6, &bytes), 1);
  ck_assert_int_eq(bytes, 6);
  mpj_cursor_end(&c);
  fixture_free(&f);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/iov", the_list_of_the_whole_has_the_fewest_segments,
                   lists_in_pieces_are_as_long_as_they_may_be,
                   lists_without_room_or_bytes_are_empty);
}
