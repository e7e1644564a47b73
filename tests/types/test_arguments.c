/* This file tests handles, bad arguments, and the sentences that come of them. */
#include <string.h>

#include "base/suite.h"
#include "types/basic.h"
#include "types/made.h"

START_TEST(basic_types_are_what_c_says)
{
  ck_assert_int_eq(extent_of(MPJ_INT), sizeof(int));
  ck_assert_int_eq(extent_of(MPJ_LONG_DOUBLE), sizeof(long double));
  ck_assert_int_eq(extent_of(MPJ_COUNT), sizeof(MPJ_Count));
  ck_assert_int_eq(extent_of(MPJ_DOUBLE_INT), sizeof(struct {
                     double value;
                     int index;
                   }));
  ck_assert(!same_signature(MPJ_FLOAT16, MPJ_BFLOAT16) && same_signature(MPJ_PACKED, MPJ_BYTE));
  ck_assert(!same_signature(MPJ_2INT, MPJ_SHORT_INT) && !same_signature(MPJ_2INT, MPJ_FLOAT_INT));
  for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
    struct mpj_type *type;
    must(mpj_type_resolve_committed(MPJ_BASIC_(b), "type", &type));
    ck_assert(mpj_type_check(type));
    ck_assert_int_eq(type->basic, b);
    ck_assert_int_eq(type->parts->count, 1);
  }
  ck_assert(same_signature(MPJ_LONG, MPJ_INT64) && !same_signature(MPJ_LONG, MPJ_DOUBLE));
  ck_assert(!same_signature(MPJ_BYTE, MPJ_UINT8));
}
END_TEST

START_TEST(null_and_unknown_handles_are_named)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  MPJ_Count n;
  must_fail(MPJ_Type_contiguous(1, MPJ_DATATYPE_NULL, &type), MPJ_ERR_TYPE,
            "oldtype is MPJ_DATATYPE_NULL");
  must_fail(MPJ_Type_size(MPJ_BASIC_(MPJ_BASIC_COUNT), &n), MPJ_ERR_TYPE, "no datatype");
  must_fail(MPJ_Type_size((MPJ_Datatype)(uintptr_t)0x7fff0001, &n), MPJ_ERR_TYPE, "no datatype");
  must_fail(MPJ_Type_free(&type), MPJ_ERR_TYPE, "MPJ_DATATYPE_NULL");
  must_fail(MPJ_Type_free(NULL), MPJ_ERR_ARG, "type is NULL");
}
END_TEST

START_TEST(freed_handles_are_recognised)
{
  MPJ_Datatype type = contiguous(2, MPJ_INT), stale = type;
  MPJ_Count n;
  must(MPJ_Type_free(&type));
  ck_assert_ptr_null(type);
  must_fail(MPJ_Type_size(stale, &n), MPJ_ERR_TYPE, "freed");
  must_fail(MPJ_Type_free(&stale), MPJ_ERR_TYPE, "freed");
}
END_TEST

START_TEST(freeing_a_basic_type_nulls_the_handle_alone)
{
  MPJ_Datatype type = MPJ_INT;
  MPJ_Count size, length;
  char message[64];
  must(MPJ_Type_free(&type));
  ck_assert_ptr_null(type);
  must_fail(MPJ_Type_free(&type), MPJ_ERR_TYPE, "MPJ_DATATYPE_NULL");
  must(MPJ_Type_parse("int", &type));
  must(MPJ_Type_free(&type));
  must(MPJ_Type_encode(MPJ_INT, message, sizeof message, &length));
  must(MPJ_Type_decode(message, length, &type));
  must(MPJ_Type_free(&type));
  must(MPJ_Type_share(MPJ_INT, &type));
  must(MPJ_Type_free(&type));
  must(MPJ_Type_size(MPJ_INT, &size));
  ck_assert_int_eq(size, sizeof(int));
}
END_TEST

START_TEST(a_type_that_is_not_committed_is_named)
{
  MPJ_Datatype type = contiguous(2, MPJ_INT);
  struct mpj_type *object;
  must_fail(mpj_type_resolve_committed(type, "sendtype", &object), MPJ_ERR_TYPE, "sendtype is");
  must(MPJ_Type_free(&type));
}
END_TEST

START_TEST(negative_counts_are_named_with_their_value)
{
  MPJ_Datatype t = MPJ_DATATYPE_NULL;
  const MPJ_Count lens[] = {1, -2}, zeros[] = {0, 0};
  const MPJ_Aint bytes[] = {0, 0};
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_CHAR};
  must_fail(MPJ_Type_contiguous(-1, MPJ_INT, &t), MPJ_ERR_ARG, "count is -1");
  must_fail(MPJ_Type_vector(-3, 1, 1, MPJ_INT, &t), MPJ_ERR_ARG, "count is -3");
  must_fail(MPJ_Type_vector(1, -4, 1, MPJ_INT, &t), MPJ_ERR_ARG, "blocklen is -4");
  must_fail(MPJ_Type_create_hvector(1, -4, 1, MPJ_INT, &t), MPJ_ERR_ARG, "blocklen is -4");
  must_fail(MPJ_Type_indexed(2, lens, zeros, MPJ_INT, &t), MPJ_ERR_ARG, "blocklens[1] is -2");
  must_fail(MPJ_Type_create_hindexed(2, lens, bytes, MPJ_INT, &t), MPJ_ERR_ARG, "blocklens[1]");
  must_fail(MPJ_Type_create_struct(2, lens, bytes, types, &t), MPJ_ERR_ARG, "blocklens[1] is -2");
  ck_assert_ptr_null(t);
}
END_TEST

START_TEST(null_pointers_are_named)
{
  MPJ_Datatype t;
  const MPJ_Count one[] = {1};
  const MPJ_Aint bytes[] = {0};
  const int grid[] = {1};
  must_fail(MPJ_Type_contiguous(1, MPJ_INT, NULL), MPJ_ERR_ARG, "newtype is NULL");
  must_fail(MPJ_Type_dup(MPJ_INT, NULL), MPJ_ERR_ARG, "newtype is NULL");
  must_fail(MPJ_Type_indexed(1, NULL, one, MPJ_INT, &t), MPJ_ERR_ARG, "blocklens is NULL");
  must_fail(MPJ_Type_indexed(1, one, NULL, MPJ_INT, &t), MPJ_ERR_ARG, "displs is NULL");
  must_fail(MPJ_Type_create_struct(1, one, bytes, NULL, &t), MPJ_ERR_ARG, "types is NULL");
  must_fail(MPJ_Type_create_subarray(1, one, one, NULL, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "starts is NULL");
  must_fail(MPJ_Type_create_distribution(1, one, grid, NULL, grid, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "dargs is NULL");
  must_fail(MPJ_Type_get_extent(MPJ_INT, NULL, NULL), MPJ_ERR_ARG, "lb is NULL");
  must_fail(MPJ_Type_size(MPJ_INT, NULL), MPJ_ERR_ARG, "bytes is NULL");
}
END_TEST

START_TEST(a_bad_type_in_a_struct_is_named)
{
  MPJ_Datatype t = contiguous(1, MPJ_INT), stale = t;
  must(MPJ_Type_free(&t));
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint bytes[] = {0, 8};
  const MPJ_Datatype types[] = {MPJ_INT, stale}, same[] = {stale, stale};
  must_fail(MPJ_Type_create_struct(2, ones, bytes, types, &t), MPJ_ERR_TYPE, "types[1]");
  must_fail(MPJ_Type_create_struct(2, ones, bytes, same, &t), MPJ_ERR_TYPE, "types[0]");
  nothing_lives();
}
END_TEST

START_TEST(boxes_outside_the_array_are_errors)
{
  MPJ_Datatype t;
  const MPJ_Count sizes[] = {4, 5}, flat[] = {4, 0}, big[] = {4, 6}, two[] = {2, 2};
  const MPJ_Count zeros[] = {0, 0}, late[] = {0, 4}, early[] = {-1, 0};
  must_fail(MPJ_Type_create_subarray(2, flat, two, zeros, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "sizes[1] is 0");
  must_fail(MPJ_Type_create_subarray(2, sizes, big, zeros, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "subsizes[1] is 6");
  must_fail(MPJ_Type_create_subarray(2, sizes, two, late, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "starts[1] is 4");
  must_fail(MPJ_Type_create_subarray(2, sizes, two, early, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "starts[0] is -1");
  must_fail(MPJ_Type_create_subarray(0, sizes, two, zeros, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "ndims is 0");
  must_fail(MPJ_Type_create_subarray(65, sizes, two, zeros, MPJ_ORDER_C, MPJ_INT, &t), MPJ_ERR_ARG,
            "ndims is 65");
  must_fail(MPJ_Type_create_subarray(2, sizes, two, zeros, 3, MPJ_INT, &t), MPJ_ERR_ARG,
            "order is 3");
}
END_TEST

START_TEST(a_part_that_is_not_there_is_an_error)
{
  MPJ_Datatype t = vector(3, 1, 2, MPJ_INT), part = MPJ_DATATYPE_NULL;
  MPJ_Aint displ;
  must_fail(MPJ_Type_part(t, 3, &displ, &part), MPJ_ERR_ARG, "i is 3, type has 3 parts");
  must_fail(MPJ_Type_part(t, -1, &displ, &part), MPJ_ERR_ARG, "i is -1");
  ck_assert_ptr_null(part);
  must(MPJ_Type_free(&t));
}
END_TEST

START_TEST(parts_are_committed_and_outlive_their_type)
{
  MPJ_Datatype t = vector(3, 2, 4, MPJ_INT), part;
  struct mpj_type *object;
  MPJ_Aint displ;
  must(MPJ_Type_part(t, 2, &displ, &part));
  must(MPJ_Type_free(&t));
  ck_assert_int_eq(displ, 32);
  must(mpj_type_resolve_committed(part, "part", &object));
  ck_assert_int_eq(parts_of(part), 2);
  ck_assert_int_eq(extent_of(part), 8);
  must(MPJ_Type_free(&part));
  nothing_lives();
}
END_TEST

START_TEST(dup_is_committed_if_the_old_type_is)
{
  MPJ_Datatype plain = contiguous(2, MPJ_INT), from_plain, from_basic;
  must(MPJ_Type_dup(plain, &from_plain));
  must(MPJ_Type_dup(MPJ_INT, &from_basic));
  ck_assert(!object_of(from_plain)->committed);
  ck_assert(object_of(from_basic)->committed);
  MPJ_Datatype all[] = {plain, from_plain, from_basic};
  free_types(3, all);
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("arguments", basic_types_are_what_c_says, null_and_unknown_handles_are_named,
                   freed_handles_are_recognised, freeing_a_basic_type_nulls_the_handle_alone,
                   a_type_that_is_not_committed_is_named,
                   negative_counts_are_named_with_their_value, null_pointers_are_named,
                   a_bad_type_in_a_struct_is_named, boxes_outside_the_array_are_errors,
                   a_part_that_is_not_there_is_an_error, parts_are_committed_and_outlive_their_type,
                   dup_is_committed_if_the_old_type_is);
}
