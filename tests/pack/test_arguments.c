/* This file calls every public function of packing with each argument wrong in
 * each way: by its code, by the argument that the sentence names, and with nothing
 * touched. */
#include <mpj/mpj.h>

#include <string.h>

#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "types/random_type.h"

enum { PACK, UNPACK, PACK_EXTERNAL, UNPACK_EXTERNAL, CALLS };
enum { ROOM = 16 };

/* Two ints; what they are packed to or from. */
static int data[4];
static char packed[ROOM];

static void reset(void)
{
  for (int i = 0; i < 4; i++)
    data[i] = i + 1;
  memset(packed, 'x', ROOM);
}

static bool untouched(void)
{
  bool same = true;
  for (int i = 0; i < 4; i++)
    same = same && data[i] == i + 1;
  for (int i = 0; i < ROOM; i++)
    same = same && packed[i] == 'x';
  return same;
}

/* The calls that take a whole type and a place in a packed buffer. */
static int call_whole(int call, void *buf, MPJ_Datatype type, void *at, MPJ_Count size,
                      MPJ_Count *position)
{
  switch (call) {
  case PACK:
    return MPJ_Pack(buf, type, at, size, position);
  case UNPACK:
    return MPJ_Unpack(at, size, position, buf, type);
  case PACK_EXTERNAL:
    return MPJ_Pack_external(buf, type, at, size, position);
  default:
    return MPJ_Unpack_external(at, size, position, buf, type);
  }
}

static void must_refuse(int status, int code, const char *word)
{
  ck_assert_msg(status == code, "%d, not %d, for \"%s\": %s", status, code, word,
                MPJ_Error_detail());
  ck_assert_msg(strstr(MPJ_Error_detail(), word) != NULL, "\"%s\" has no \"%s\"",
                MPJ_Error_detail(), word);
  ck_assert(untouched());
}

static void refuse_whole(int call, void *buf, MPJ_Datatype type, void *at, MPJ_Count size,
                         MPJ_Count start, int code, const char *word)
{
  MPJ_Count position = start;
  must_refuse(call_whole(call, buf, type, at, size, &position), code, word);
  ck_assert_int_eq(position, start);
}

static MPJ_Datatype two_ints(void)
{
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_vector(2, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  return type;
}

/* A handle that was freed. */
static MPJ_Datatype stale(void)
{
  MPJ_Datatype type = two_ints(), copy = type;
  ck_assert_int_eq(MPJ_Type_free(&type), MPJ_SUCCESS);
  return copy;
}

START_TEST(whole_types_need_a_place_in_the_buffer)
{
  MPJ_Datatype fresh = two_ints(), type = two_ints(), freed = stale();
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  reset();
  refuse_whole(_i, data, MPJ_DATATYPE_NULL, packed, ROOM, 0, MPJ_ERR_TYPE, "type");
  refuse_whole(_i, data, fresh, packed, ROOM, 0, MPJ_ERR_TYPE, "type");
  refuse_whole(_i, data, freed, packed, ROOM, 0, MPJ_ERR_TYPE, "type");
  refuse_whole(_i, NULL, type, packed, ROOM, 0, MPJ_ERR_ARG, "buf is NULL");
  refuse_whole(_i, MPJ_IN_PLACE, type, packed, ROOM, 0, MPJ_ERR_ARG, "buf is MPJ_IN_PLACE");
  refuse_whole(_i, data, type, NULL, ROOM, 0, MPJ_ERR_ARG, "packed is NULL");
  refuse_whole(_i, data, type, packed, -1, 0, MPJ_ERR_ARG, "size is -1");
  refuse_whole(_i, data, type, packed, INT64_MIN, 0, MPJ_ERR_ARG, "size");
  refuse_whole(_i, data, type, packed, ROOM, -1, MPJ_ERR_ARG, "position is -1");
  refuse_whole(_i, data, type, packed, ROOM, ROOM + 1, MPJ_ERR_ARG, "position is 17");
  refuse_whole(_i, data, type, packed, ROOM, INT64_MAX, MPJ_ERR_ARG, "position");
  must_refuse(call_whole(_i, data, type, packed, ROOM, NULL), MPJ_ERR_ARG, "position is NULL");
  MPJ_Type_free(&fresh);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(whole_types_that_do_not_fit_are_truncations)
{
  MPJ_Datatype type = two_ints();
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  reset();
  for (MPJ_Count size = 0; size < 8; size++)
    refuse_whole(_i, data, type, packed, size, 0, MPJ_ERR_TRUNCATE, "packed has");
  for (MPJ_Count position = ROOM - 7; position <= ROOM; position++)
    refuse_whole(_i, data, type, packed, ROOM, position, MPJ_ERR_TRUNCATE, "from position");
  MPJ_Type_free(&type);
}
END_TEST

/* Random types, a buffer one byte too short and then of their size, which ends at a
 * page that may not be touched. */
START_TEST(packing_ends_where_the_buffer_does)
{
  struct mpj_random rng = {71};
  for (int i = 0; i < 500; i++) {
    struct mpj_random_options options = {.depth = 1 + i % 4, .max_elements = 100};
    struct mpj_random_type t;
    MPJ_Count position = 0;
    mpj_random_type_make(&rng, &options, &t);
    ck_assert_int_eq(MPJ_Type_commit(&t.type), MPJ_SUCCESS);
    const MPJ_Count bytes = mpj_ref_bytes(t.ref);
    const MPJ_Aint lb = mpj_ref_true_lb(t.ref);
    struct guarded memory = guarded_make((size_t)(mpj_ref_true_ub(t.ref) - lb), i % 2);
    struct guarded stream = guarded_make((size_t)bytes, 0);
    char *base = (char *)((uintptr_t)memory.at - (uintptr_t)lb);
    memset(stream.at, 'x', (size_t)bytes);
    if (bytes > 0)
      ck_assert_int_eq(MPJ_Pack(base, t.type, stream.at, bytes - 1, &position), MPJ_ERR_TRUNCATE);
    for (MPJ_Count b = 0; b < bytes; b++)
      ck_assert_int_eq(stream.at[b], 'x');
    ck_assert_int_eq(MPJ_Pack(base, t.type, stream.at, bytes, &position), MPJ_SUCCESS);
    ck_assert_int_eq(position, bytes);
    guarded_free(&stream);
    guarded_free(&memory);
    mpj_random_type_free(&t);
  }
}
END_TEST

/* Both calls that take a range of the stream. */
static void refuse_range(void *buf, MPJ_Datatype type, MPJ_Count offset, void *at, MPJ_Count bytes,
                         int code, const char *word)
{
  must_refuse(MPJ_Pack_range(buf, type, offset, at, bytes), code, word);
  must_refuse(MPJ_Unpack_range(at, bytes, buf, type, offset), code, word);
}

START_TEST(ranges_lie_within_the_stream)
{
  MPJ_Datatype fresh = two_ints(), type = two_ints();
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  reset();
  refuse_range(data, MPJ_DATATYPE_NULL, 0, packed, 8, MPJ_ERR_TYPE, "type");
  refuse_range(data, fresh, 0, packed, 8, MPJ_ERR_TYPE, "type");
  refuse_range(data, stale(), 0, packed, 8, MPJ_ERR_TYPE, "type");
  refuse_range(NULL, type, 0, packed, 8, MPJ_ERR_ARG, "buf is NULL");
  refuse_range(MPJ_IN_PLACE, type, 0, packed, 8, MPJ_ERR_ARG, "buf is MPJ_IN_PLACE");
  refuse_range(data, type, 0, NULL, 8, MPJ_ERR_ARG, "packed is NULL");
  refuse_range(data, type, 0, packed, -1, MPJ_ERR_ARG, "bytes is -1");
  refuse_range(data, type, -1, packed, 4, MPJ_ERR_ARG, "offset is -1");
  refuse_range(data, type, 0, packed, 9, MPJ_ERR_ARG, "the type has 8 bytes");
  refuse_range(data, type, 8, packed, 1, MPJ_ERR_ARG, "offset is 8 and bytes 1");
  refuse_range(data, type, 9, packed, 0, MPJ_ERR_ARG, "offset is 9");
  refuse_range(data, type, 1, packed, INT64_MAX, MPJ_ERR_ARG, "offset is 1");
  refuse_range(data, type, INT64_MAX, packed, INT64_MAX, MPJ_ERR_ARG, "offset");
  refuse_range(data, type, INT64_MIN, packed, 1, MPJ_ERR_ARG, "offset");
  MPJ_Type_free(&fresh);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(copies_name_the_side_that_is_wrong)
{
  MPJ_Datatype fresh = two_ints(), type = two_ints();
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  reset();
  must_refuse(MPJ_Copy(data, MPJ_DATATYPE_NULL, packed, type), MPJ_ERR_TYPE, "srctype");
  must_refuse(MPJ_Copy(data, type, packed, MPJ_DATATYPE_NULL), MPJ_ERR_TYPE, "dsttype");
  must_refuse(MPJ_Copy(data, fresh, packed, type), MPJ_ERR_TYPE, "srctype");
  must_refuse(MPJ_Copy(data, type, packed, fresh), MPJ_ERR_TYPE, "dsttype");
  must_refuse(MPJ_Copy(data, stale(), packed, type), MPJ_ERR_TYPE, "srctype");
  must_refuse(MPJ_Copy(NULL, type, packed, type), MPJ_ERR_ARG, "src is NULL");
  must_refuse(MPJ_Copy(MPJ_IN_PLACE, type, packed, type), MPJ_ERR_ARG, "src is MPJ_IN_PLACE");
  must_refuse(MPJ_Copy(data, type, NULL, type), MPJ_ERR_ARG, "dst is NULL");
  must_refuse(MPJ_Copy(data, type, packed, MPJ_DOUBLE), MPJ_ERR_SIGNATURE,
              "srctype describes 2 int");
  must_refuse(MPJ_Copy(data, MPJ_INT, packed, MPJ_FLOAT), MPJ_ERR_SIGNATURE,
              "srctype describes 1 int; dsttype describes 1 float: they differ at element 0");
  must_refuse(MPJ_Copy(data, MPJ_INT, packed, type), MPJ_ERR_SIGNATURE,
              "dsttype describes 2 int: they differ at element 1");
  MPJ_Type_free(&fresh);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(sizes_need_a_type_and_a_place)
{
  MPJ_Count bytes = -7;
  reset();
  must_refuse(MPJ_Pack_size(MPJ_INT, NULL), MPJ_ERR_ARG, "bytes is NULL");
  must_refuse(MPJ_Pack_size(MPJ_DATATYPE_NULL, &bytes), MPJ_ERR_TYPE, "type");
  must_refuse(MPJ_Pack_size(stale(), &bytes), MPJ_ERR_TYPE, "type");
  must_refuse(MPJ_Pack_external_size(MPJ_INT, NULL), MPJ_ERR_ARG, "bytes is NULL");
  must_refuse(MPJ_Pack_external_size(MPJ_DATATYPE_NULL, &bytes), MPJ_ERR_TYPE, "type");
  must_refuse(MPJ_Pack_external_size(stale(), &bytes), MPJ_ERR_TYPE, "type");
  ck_assert_int_eq(bytes, -7);
}
END_TEST

START_TEST(lists_begin_and_end_within_the_type)
{
  MPJ_Datatype fresh = two_ints(), type = two_ints();
  struct iovec iov[2];
  MPJ_Count n = -7, bytes = -7;
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  reset();
  int (*const lists[])(const void *, MPJ_Datatype, MPJ_Count, struct iovec *, MPJ_Count,
                       MPJ_Count *) = {MPJ_Type_iov, MPJ_Type_iov_at};
  for (int i = 0; i < 2; i++) {
    const char *first = i ? "offset is -1" : "first_segment is -1";
    const char *past = i ? "offset is 9" : "first_segment is 3";
    must_refuse(lists[i](data, MPJ_DATATYPE_NULL, 0, iov, 2, &n), MPJ_ERR_TYPE, "type");
    must_refuse(lists[i](data, fresh, 0, iov, 2, &n), MPJ_ERR_TYPE, "type");
    must_refuse(lists[i](data, stale(), 0, iov, 2, &n), MPJ_ERR_TYPE, "type");
    must_refuse(lists[i](NULL, type, 0, iov, 2, &n), MPJ_ERR_ARG, "buf is NULL");
    must_refuse(lists[i](data, type, -1, iov, 2, &n), MPJ_ERR_ARG, first);
    must_refuse(lists[i](data, type, i ? 9 : 3, iov, 2, &n), MPJ_ERR_ARG, past);
    must_refuse(lists[i](data, type, 0, NULL, 2, &n), MPJ_ERR_ARG, "iov is NULL");
    must_refuse(lists[i](data, type, 0, iov, -2, &n), MPJ_ERR_ARG, "max is -2");
    must_refuse(lists[i](data, type, 0, iov, 2, NULL), MPJ_ERR_ARG, "n is NULL");
    ck_assert_int_eq(n, -7);
  }
  must_refuse(MPJ_Type_iov_len(MPJ_DATATYPE_NULL, 1, &n, &bytes), MPJ_ERR_TYPE, "type");
  must_refuse(MPJ_Type_iov_len(fresh, 1, &n, &bytes), MPJ_ERR_TYPE, "type");
  must_refuse(MPJ_Type_iov_len(type, -2, &n, &bytes), MPJ_ERR_ARG, "max_bytes is -2");
  must_refuse(MPJ_Type_iov_len(type, 1, NULL, &bytes), MPJ_ERR_ARG, "nsegments is NULL");
  must_refuse(MPJ_Type_iov_len(type, 1, &n, NULL), MPJ_ERR_ARG, "bytes is NULL");
  ck_assert(n == -7 && bytes == -7);
  MPJ_Type_free(&fresh);
  MPJ_Type_free(&type);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pack/arguments");
  TCase *each = tcase_create("each call"), *single = tcase_create("single");
  tcase_add_loop_test(each, whole_types_need_a_place_in_the_buffer, 0, CALLS);
  tcase_add_loop_test(each, whole_types_that_do_not_fit_are_truncations, 0, CALLS);
  tcase_add_test(single, packing_ends_where_the_buffer_does);
  tcase_add_test(single, ranges_lie_within_the_stream);
  tcase_add_test(single, copies_name_the_side_that_is_wrong);
  tcase_add_test(single, sizes_need_a_type_and_a_place);
  tcase_add_test(single, lists_begin_and_end_within_the_type);
  suite_add_tcase(suite, each);
  suite_add_tcase(suite, single);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
