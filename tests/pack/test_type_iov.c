/* This file tests the public lists of segments, and the packed size. */
#include <mpj/mpj.h>

#include <string.h>

#include "base/suite.h"
#include "pack/maps.h"
#include "pack/run/address.h"
#include "types/random_type.h"

enum { MOST = 2000 };

/* Where every byte of the stream lies. */
static MPJ_Count places(const struct mpj_ref *ref, MPJ_Aint at[])
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < ref->n; i++) {
    if (ref->map[i].basic < 0) continue;
    const struct mpj_ref_entry *e = &ref->map[i];
    struct mpj_ref *basic = mpj_ref_basic(e->basic);
    for (MPJ_Count b = 0; b < mpj_ref_bytes(basic); b++)
      at[n++] = e->displ + b;
    mpj_ref_release(basic);
  }
  return n;
}

/* The end of the segment that byte i of the stream lies in. */
static MPJ_Count segment_end(const MPJ_Aint at[], MPJ_Count n, MPJ_Count i)
{
  do
    i++;
  while (i < n && at[i] == at[i - 1] + 1);
  return i;
}

/* List from `offset` on, `max` segments a call, to the end. */
static void check_lists(const struct mpj_random_type *t, const MPJ_Aint at[], MPJ_Count bytes,
                        MPJ_Count offset, MPJ_Count max)
{
  static char base[16];
  struct iovec iov[16];
  while (offset < bytes) {
    MPJ_Count n;
    ck_assert_int_eq(MPJ_Type_iov_at(base, t->type, offset, iov, max, &n), MPJ_SUCCESS);
    ck_assert_int_ge(n, 1);
    ck_assert_int_le(n, max);
    for (MPJ_Count i = 0; i < n; i++) {
      MPJ_Count end = segment_end(at, bytes, offset);
      ck_assert_msg(iov[i].iov_base == mpj_at(base, at[offset]), "%s", t->text);
      ck_assert_int_eq((MPJ_Count)iov[i].iov_len, end - offset);
      offset = end;
    }
  }
}

/* List from segment `first` on, and hold it against the list by bytes. */
static void check_by_number(const struct mpj_random_type *t, const MPJ_Aint at[], MPJ_Count bytes,
                            MPJ_Count first, MPJ_Count max)
{
  static char base[16];
  struct iovec iov[16];
  MPJ_Count n, offset = 0, passed = 0;
  for (; passed < first && offset < bytes; passed++)
    offset = segment_end(at, bytes, offset);
  int status = MPJ_Type_iov(base, t->type, first, iov, max, &n);
  ck_assert_int_eq(status, passed < first ? MPJ_ERR_ARG : MPJ_SUCCESS);
  for (MPJ_Count i = 0; status == MPJ_SUCCESS && i < max; i++) {
    ck_assert_msg((i < n) == (offset < bytes), "%s", t->text);
    if (i >= n) return;
    MPJ_Count end = segment_end(at, bytes, offset);
    ck_assert_msg(iov[i].iov_base == mpj_at(base, at[offset]), "%s", t->text);
    ck_assert_int_eq((MPJ_Count)iov[i].iov_len, end - offset);
    offset = end;
  }
}

static void check_lengths(const struct mpj_random_type *t, const MPJ_Aint at[], MPJ_Count bytes,
                          MPJ_Count most)
{
  MPJ_Count n, sum, expected = 0, end = 0;
  while (end < bytes && segment_end(at, bytes, end) <= most) {
    end = segment_end(at, bytes, end);
    expected++;
  }
  ck_assert_int_eq(MPJ_Type_iov_len(t->type, most, &n, &sum), MPJ_SUCCESS);
  ck_assert_msg(n == expected && sum == end, "%s", t->text);
}

START_TEST(lists_from_anywhere_have_the_fewest_segments)
{
  struct mpj_random rng = {81};
  for (int i = 0; i < 1500; i++) {
    struct mpj_random_options options = {.depth = (int)mpj_random_in(&rng, 0, 4),
                                         .max_elements = 60};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    ck_assert_int_eq(MPJ_Type_commit(&t.type), MPJ_SUCCESS);
    if (mpj_ref_bytes(t.ref) <= MOST) {
      MPJ_Aint at[MOST];
      MPJ_Count bytes = places(t.ref, at), size;
      ck_assert_int_eq(MPJ_Pack_size(t.type, &size), MPJ_SUCCESS);
      ck_assert_int_eq(size, bytes);
      for (int j = 0; j < 5; j++) {
        check_lists(&t, at, bytes, mpj_random_in(&rng, 0, bytes), mpj_random_in(&rng, 1, 16));
        check_lengths(&t, at, bytes, mpj_random_in(&rng, 0, bytes));
        check_by_number(&t, at, bytes, mpj_random_in(&rng, 0, 20), mpj_random_in(&rng, 0, 16));
      }
      check_lengths(&t, at, bytes, bytes);
    }
    mpj_random_type_free(&t);
  }
}
END_TEST

/* More segments than are counted at once. */
START_TEST(long_lists_are_counted_whole)
{
  MPJ_Datatype type;
  MPJ_Count n, bytes;
  ck_assert_int_eq(MPJ_Type_vector(1000, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_iov_len(type, -1, &n, &bytes), MPJ_SUCCESS);
  ck_assert_int_eq(n, 1000);
  ck_assert_int_eq(bytes, 4000);
  ck_assert_int_eq(MPJ_Type_iov_len(type, 2003, &n, &bytes), MPJ_SUCCESS);
  ck_assert_int_eq(n, 500);
  ck_assert_int_eq(bytes, 2000);
  MPJ_Type_free(&type);
}
END_TEST

/* 10^12 segments: they are passed over by batches, in milliseconds. */
START_TEST(segments_of_a_loop_are_passed_over_at_once)
{
  static char base[16];
  const MPJ_Count many = 1000000000000;
  MPJ_Datatype type;
  struct iovec iov[2];
  MPJ_Count n, bytes;
  ck_assert_int_eq(MPJ_Type_vector(many, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_iov_len(type, -1, &n, &bytes), MPJ_SUCCESS);
  ck_assert(n == many && bytes == 4 * many);
  ck_assert_int_eq(MPJ_Type_iov(base, type, many - 1, iov, 2, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, 1);
  ck_assert(iov[0].iov_base == mpj_at(base, 8 * (many - 1)) && iov[0].iov_len == 4);
  ck_assert_int_eq(MPJ_Type_iov(base, type, many, iov, 2, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(wrong_arguments_are_named)
{
  const int data[2] = {0};
  struct iovec iov[1];
  MPJ_Count n, bytes;
  ck_assert_int_eq(MPJ_Type_iov_at(data, MPJ_INT, 5, iov, 1, &n), MPJ_ERR_ARG);
  ck_assert(strstr(MPJ_Error_detail(), "offset is 5") != NULL);
  ck_assert_int_eq(MPJ_Type_iov_at(data, MPJ_INT, -1, iov, 1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov_at(data, MPJ_INT, 0, iov, -1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov_at(NULL, MPJ_INT, 0, iov, 1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_INT, 2, iov, 1, &n), MPJ_ERR_ARG);
  ck_assert(strstr(MPJ_Error_detail(), "first_segment is 2, the type has 1") != NULL);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_INT, -1, iov, 1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_INT, 0, iov, -1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_INT, 0, NULL, 1, &n), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_INT, 0, iov, 1, NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov(data, MPJ_DATATYPE_NULL, 0, iov, 1, &n), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Type_iov_len(MPJ_INT, -2, &n, &bytes), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov_len(MPJ_INT, 1, NULL, &bytes), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Pack_size(MPJ_DATATYPE_NULL, &bytes), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Pack_size(MPJ_INT, NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Type_iov_at(data, MPJ_INT, 4, iov, 1, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/type_iov", lists_from_anywhere_have_the_fewest_segments,
                   long_lists_are_counted_whole, segments_of_a_loop_are_passed_over_at_once,
                   wrong_arguments_are_named);
}
