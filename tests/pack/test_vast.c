/* This file tests types whose few elements lie gigabytes apart, made by every
 * constructor that can: what is touched is the data alone, so the memory is address
 * space without pages. */
#include <mpj/mpj.h>

#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/run/address.h"
#include "pack/run/cursor.h"
#include "types/expand.h"
#include "types/random_type.h"
#include "types/type.h"

enum { MOST = 256, SEGMENTS = 32 };

/* More than 5 GiB from first to last, forward and backward. */
static const char *const texts[] = {
    "vector(4,3,700000000,int)",
    "hvector(3,2,-2900000001,double)",
    "contiguous(3,resized(0,2684354560,double))",
    "indexed([2,1,3],[0,1400000000,900000001],int)",
    "hindexed([1,2],[5700000003,-5],c_double_complex)",
    "indexed_block(2,[700000000,0,350000000,2],double)",
    "hindexed_block(1,[0,5368709121,2684354561,7,4294967297],short)",
    "struct([1,2,1],[0,5500000000,3],[byte,vector(2,1,3,float),short])",
    "struct([1*6],[0,8,5368709120,16,2684354560,4294967296],[int*6])",
    "subarray([3,4],[2,3],[1,0],C,resized(0,900000000,byte))",
    "subarray([3,4,2],[3,1,2],[0,3,0],F,resized(-3,600000000,short))",
    "bucket_index([1,3],[0,1,0],[0,1000000000,1500000000],int)",
    "hbucket_index([2,1],[0,1,1],[5368709123,0,9],long)",
    "bucket_struct([1,2],[int,vector(2,1,3,double)],[0,1,0],[0,5400000000,64])",
    "segment([2,1,1],resized(0,1800000000,float))",
    "slice(1,3,vector(5,1,700000000,double))",
    "dup(resized(-8,99,vector(2,1,5500000000,byte)))",
    "vector(2,1,2,vector(3,2,400000000,vector(2,1,3,short)))",
    "darray(4,3,[2,4],[block,cyclic],[dflt,1],[2,2],C,resized(0,3000000000,int))",
    "distribution([4],[cyclic],[1],[2],C,resized(0,2000000000,int))",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

struct subject {
  MPJ_Datatype type;
  struct mpj_ref *ref;
  MPJ_Count bytes;
  char *base;
};

/* Address space for any of the types, kept: two stretches, for copies. */
static char *space(int which, size_t bytes)
{
  static char *spaces[2];
  static const size_t most = (size_t)40 << 30;
  ck_assert_uint_lt(bytes, most);
  if (!spaces[which]) spaces[which] = guarded_reserve(most);
  return spaces[which];
}

static void lay(struct subject *s, int which)
{
  const MPJ_Aint lb = mpj_ref_true_lb(s->ref), ub = mpj_ref_true_ub(s->ref);
  s->bytes = mpj_ref_bytes(s->ref);
  ck_assert_int_le(s->bytes, MOST);
  s->base = mpj_at(space(which, (size_t)(ub - lb)), -lb);
}

static void subject_make(struct subject *s, int i)
{
  ck_assert_msg(MPJ_Type_parse(texts[i], &s->type) == MPJ_SUCCESS, "%s: %s", texts[i],
                MPJ_Error_detail());
  ck_assert_int_eq(MPJ_Type_commit(&s->type), MPJ_SUCCESS);
  s->ref = mpj_ref_of_type(s->type, MOST);
  ck_assert_msg(s->ref != NULL, "%s", texts[i]);
  ck_assert_int_gt(mpj_ref_true_ub(s->ref) - mpj_ref_true_lb(s->ref), (MPJ_Aint)5 << 30);
  lay(s, 0);
}

static void subject_free(struct subject *s)
{
  mpj_ref_release(s->ref);
  MPJ_Type_free(&s->type);
}

/* Random data for the layout; `stream` is what it packs to. */
static void scatter(const struct subject *s, struct mpj_random *rng, char stream[MOST])
{
  fill_randomly(rng, stream, (size_t)s->bytes);
  mpj_ref_unpack(s->ref, stream, s->base);
}

static void check_stream(const struct subject *s, const char expected[MOST], const char *text)
{
  char stream[MOST];
  mpj_ref_pack(s->ref, s->base, stream);
  ck_assert_msg(memcmp(stream, expected, (size_t)s->bytes) == 0, "%s", text);
}

START_TEST(vast_types_pack_and_unpack_from_every_byte)
{
  struct mpj_random rng = {91};
  struct subject s;
  char stream[MOST], packed[MOST];
  subject_make(&s, _i);
  scatter(&s, &rng, stream);
  for (MPJ_Count split = 0; split <= s.bytes; split++) {
    ck_assert_int_eq(MPJ_Pack_range(s.base, s.type, split, packed + split, s.bytes - split), 0);
    ck_assert_int_eq(MPJ_Pack_range(s.base, s.type, 0, packed, split), 0);
    ck_assert_msg(memcmp(packed, stream, (size_t)s.bytes) == 0, "%s", texts[_i]);
    fill_randomly(&rng, stream, (size_t)s.bytes);
    ck_assert_int_eq(MPJ_Unpack_range(stream, split, s.base, s.type, 0), 0);
    ck_assert_int_eq(MPJ_Unpack_range(stream + split, s.bytes - split, s.base, s.type, split), 0);
    check_stream(&s, stream, texts[_i]);
  }
  subject_free(&s);
}
END_TEST

START_TEST(vast_types_are_copied)
{
  struct mpj_random rng = {92};
  struct subject s;
  struct mpj_random_type t;
  char stream[MOST];
  subject_make(&s, _i);
  mpj_random_type_like(&rng, s.ref, &t);
  struct subject like = {.type = t.type, .ref = t.ref}, twin = s;
  ck_assert_int_eq(MPJ_Type_commit(&like.type), MPJ_SUCCESS);
  t.type = like.type;
  lay(&like, 1);
  scatter(&s, &rng, stream);
  ck_assert_int_eq(MPJ_Copy(s.base, s.type, like.base, like.type), MPJ_SUCCESS);
  check_stream(&like, stream, t.text);
  scatter(&like, &rng, stream);
  ck_assert_int_eq(MPJ_Copy(like.base, like.type, s.base, s.type), MPJ_SUCCESS);
  check_stream(&s, stream, texts[_i]);
  lay(&twin, 1);
  scatter(&s, &rng, stream);
  ck_assert_int_eq(MPJ_Copy(s.base, s.type, twin.base, twin.type), MPJ_SUCCESS);
  check_stream(&twin, stream, texts[_i]);
  mpj_random_type_free(&t);
  subject_free(&s);
}
END_TEST

START_TEST(vast_types_are_listed)
{
  struct subject s;
  struct mpj_random rng = {93};
  struct iovec iov[SEGMENTS];
  MPJ_Count n, bytes, at = 0, all;
  char stream[MOST];
  subject_make(&s, _i);
  scatter(&s, &rng, stream);
  ck_assert_int_eq(MPJ_Type_iov_len(s.type, -1, &all, &bytes), MPJ_SUCCESS);
  ck_assert_int_eq(bytes, s.bytes);
  ck_assert_int_eq(MPJ_Type_iov(s.base, s.type, 0, iov, SEGMENTS, &n), MPJ_SUCCESS);
  ck_assert_int_eq(n, all);
  for (MPJ_Count i = 0; i < n; at += (MPJ_Count)iov[i++].iov_len)
    ck_assert_msg(memcmp(iov[i].iov_base, stream + at, iov[i].iov_len) == 0, "%s", texts[_i]);
  ck_assert_int_eq(at, s.bytes);
  subject_free(&s);
}
END_TEST

START_TEST(vast_types_are_reduced_into)
{
  struct subject s;
  struct mpj_random rng = {94};
  struct mpj_type *type;
  struct mpj_cursor c;
  char before[MOST], stream[MOST];
  subject_make(&s, _i);
  scatter(&s, &rng, before);
  fill_randomly(&rng, stream, MOST);
  ck_assert_int_eq(mpj_type_resolve(s.type, "type", &type), MPJ_SUCCESS);
  const struct mpj_view view = mpj_type_view(type);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, s.base), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_reduce(&c, stream, s.bytes, MPJ_REDUCE_REPLACE), MPJ_SUCCESS);
  mpj_cursor_end(&c);
  check_stream(&s, stream, texts[_i]);
  subject_free(&s);
}
END_TEST

START_TEST(vast_types_have_an_external_form)
{
  struct subject s;
  struct mpj_random rng = {95};
  char before[MOST], packed[2 * MOST];
  MPJ_Count size, position = 0;
  subject_make(&s, _i);
  scatter(&s, &rng, before);
  for (MPJ_Count i = 0; i < s.bytes; i++)
    before[i] &= i % 8 < 4 ? 0x3f : 0; /* a long that fits four bytes */
  mpj_ref_unpack(s.ref, before, s.base);
  ck_assert_int_eq(MPJ_Pack_external_size(s.type, &size), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Pack_external(s.base, s.type, packed, size, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, size);
  char zeros[MOST] = {0};
  mpj_ref_unpack(s.ref, zeros, s.base);
  position = 0;
  ck_assert_int_eq(MPJ_Unpack_external(packed, size, &position, s.base, s.type), MPJ_SUCCESS);
  check_stream(&s, before, texts[_i]);
  subject_free(&s);
}
END_TEST

/* Sums of one basic type, so that the operation's own kernels run. */
START_TEST(sums_reach_elements_gigabytes_apart)
{
  MPJ_Datatype type;
  struct mpj_type *object;
  struct mpj_cursor c;
  const MPJ_Count far = 700000000;
  int in[6] = {1, 2, 3, 4, 5, 6}, *memory = (int *)(void *)space(0, (size_t)(8 * far));
  ck_assert_int_eq(MPJ_Type_vector(3, 2, far, MPJ_INT, &type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  for (MPJ_Count i = 0; i < 6; i++)
    memory[i / 2 * far + i % 2] = 100;
  ck_assert_int_eq(mpj_type_resolve(type, "type", &object), MPJ_SUCCESS);
  const struct mpj_view view = mpj_type_view(object);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, memory), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_reduce(&c, in, sizeof in, MPJ_REDUCE_SUM), MPJ_SUCCESS);
  mpj_cursor_end(&c);
  for (MPJ_Count i = 0; i < 6; i++)
    ck_assert_int_eq(memory[i / 2 * far + i % 2], 101 + i);
  MPJ_Type_free(&type);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pack/vast");
  TCase *each = tcase_create("each type"), *single = tcase_create("single");
  tcase_add_loop_test(each, vast_types_pack_and_unpack_from_every_byte, 0, TEXTS);
  tcase_add_loop_test(each, vast_types_are_copied, 0, TEXTS);
  tcase_add_loop_test(each, vast_types_are_listed, 0, TEXTS);
  tcase_add_loop_test(each, vast_types_are_reduced_into, 0, TEXTS);
  tcase_add_loop_test(each, vast_types_have_an_external_form, 0, TEXTS);
  tcase_add_test(single, sums_reach_elements_gigabytes_apart);
  suite_add_tcase(suite, each);
  suite_add_tcase(suite, single);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
