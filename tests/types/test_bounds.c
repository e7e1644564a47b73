/* This file tests lower bounds and extents, and what overflows. */
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "types/made.h"

static void expect(MPJ_Datatype type, MPJ_Aint lb, MPJ_Aint extent)
{
  ck_assert_int_eq(lb_of(type), lb);
  ck_assert_int_eq(extent_of(type), extent);
  must(MPJ_Type_free(&type));
  nothing_lives();
}

START_TEST(struct_extent_is_rounded_up_to_the_alignment)
{
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8};
  const MPJ_Datatype types[] = {MPJ_DOUBLE, MPJ_CHAR};
  MPJ_Datatype type;
  must(MPJ_Type_create_struct(2, ones, displs, types, &type));
  expect(type, 0, 16);
}
END_TEST

/* The padding of the inner type does not count twice: its data ends at byte 10. */
START_TEST(rounding_is_of_the_whole_map)
{
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint displs[] = {0, 8}, outer[] = {1, 0};
  const MPJ_Datatype types[] = {MPJ_DOUBLE, MPJ_CHAR};
  MPJ_Datatype inner, type;
  must(MPJ_Type_create_struct(2, ones, displs, types, &inner));
  const MPJ_Datatype both[] = {inner, MPJ_CHAR};
  must(MPJ_Type_create_struct(2, ones, outer, both, &type));
  must(MPJ_Type_free(&inner));
  expect(type, 0, 16);
}
END_TEST

START_TEST(vector_negative_stride_lowers_lb)
{
  expect(vector(3, 2, -4, MPJ_INT), -32, 40);
}
END_TEST

START_TEST(zero_length_blocks_do_not_move_bounds)
{
  const MPJ_Count lens[] = {0, 2, 0}, displs[] = {-100, 3, 100};
  expect(indexed(3, lens, displs, MPJ_INT), 12, 8);
}
END_TEST

START_TEST(empty_types_have_no_extent)
{
  expect(contiguous(0, MPJ_INT), 0, 0);
  expect(vector(5, 0, 7, MPJ_INT), 0, 0);
}
END_TEST

START_TEST(marks_are_sticky)
{
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint displs[] = {0, 100};
  MPJ_Datatype marked = resized(MPJ_INT, -3, 11), type;
  const MPJ_Datatype types[] = {marked, MPJ_DOUBLE};
  must(MPJ_Type_create_struct(2, ones, displs, types, &type));
  must(MPJ_Type_free(&marked));
  expect(type, -3, 11);
}
END_TEST

START_TEST(marks_without_data_count)
{
  MPJ_Datatype none = contiguous(0, MPJ_INT), marked = resized(none, 4, 10);
  MPJ_Datatype type = contiguous(3, marked), gone = contiguous(0, marked);
  ck_assert_int_eq(extent_of(gone), 0);
  MPJ_Datatype old[] = {none, marked, gone};
  free_types(3, old);
  expect(type, 4, 30);
}
END_TEST

START_TEST(negative_extents_run_backwards)
{
  MPJ_Datatype back = resized(MPJ_INT, 0, -8), type = contiguous(3, back);
  ck_assert_int_eq(extent_of(back), -8);
  must(MPJ_Type_free(&back));
  MPJ_Aint lb, extent;
  must(MPJ_Type_get_true_extent(type, &lb, &extent));
  ck_assert_int_eq(lb, -16);
  ck_assert_int_eq(extent, 20);
  expect(type, -16, 8);
}
END_TEST

START_TEST(repeated_blocks_that_run_backwards_have_their_true_bounds)
{
  enum { N = 40 };
  MPJ_Count lens[N];
  MPJ_Aint displs[N], lb, extent;
  MPJ_Datatype back = resized(MPJ_INT, 0, -8), type;
  for (int i = 0; i < N; i++) { /* the first of two is the lower one: 4 copies, 24 bytes down */
    lens[i] = i % 2 ? 2 : 4;
    displs[i] = 100 * (i / 2) + i % 2 * 30;
  }
  must(MPJ_Type_create_hindexed(N, lens, displs, back, &type));
  must(MPJ_Type_free(&back));
  must(MPJ_Type_get_true_extent(type, &lb, &extent));
  ck_assert_int_eq(lb, -24);
  ck_assert_int_eq(lb + extent, 100 * (N / 2 - 1) + 30 + 4);
  must(MPJ_Type_free(&type));
}
END_TEST

START_TEST(subarray_has_the_bounds_of_the_whole_array)
{
  const MPJ_Count sizes[] = {4, 5}, subsizes[] = {2, 2}, starts[] = {1, 3};
  MPJ_Datatype type;
  must(MPJ_Type_create_subarray(2, sizes, subsizes, starts, MPJ_ORDER_C, MPJ_INT, &type));
  MPJ_Aint lb, extent;
  must(MPJ_Type_get_true_extent(type, &lb, &extent));
  ck_assert_int_eq(lb, 32);
  ck_assert_int_eq(extent, 28);
  expect(type, 0, 80);
}
END_TEST

static const MPJ_Count huge = INT64_MAX / 2;

START_TEST(sizes_beyond_64_bits_are_errors)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_contiguous(huge, MPJ_INT, &type), MPJ_ERR_OVERFLOW, "packed size");
  must_fail(MPJ_Type_vector(huge, 4, 0, MPJ_CHAR, &type), MPJ_ERR_OVERFLOW, "packed size");
  const MPJ_Count lens[] = {huge, huge, huge}, zeros[] = {0, 3, 0};
  must_fail(MPJ_Type_indexed(3, lens, zeros, MPJ_BYTE, &type), MPJ_ERR_OVERFLOW, "overflow");
  ck_assert_ptr_null(type);
  nothing_lives();
}
END_TEST

START_TEST(displacements_beyond_64_bits_are_errors)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  const MPJ_Count ones[] = {1, 1}, displs[] = {huge, huge};
  const MPJ_Aint far[] = {PTRDIFF_MIN, PTRDIFF_MAX - 8};
  must_fail(MPJ_Type_vector(2, 1, huge, MPJ_INT, &type), MPJ_ERR_OVERFLOW, "stride");
  must_fail(MPJ_Type_create_hvector(4, 1, huge, MPJ_INT, &type), MPJ_ERR_OVERFLOW, "overflow");
  must_fail(MPJ_Type_indexed(2, ones, displs, MPJ_INT, &type), MPJ_ERR_OVERFLOW, "displs[0]");
  must_fail(MPJ_Type_create_hindexed(2, ones, far, MPJ_INT, &type), MPJ_ERR_OVERFLOW, "bounds");
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_CHAR};
  must_fail(MPJ_Type_create_struct(2, ones, far, types, &type), MPJ_ERR_OVERFLOW, "bounds");
  must_fail(MPJ_Type_create_resized(MPJ_INT, PTRDIFF_MAX, 1, &type), MPJ_ERR_OVERFLOW, "extent");
  ck_assert_ptr_null(type);
  nothing_lives();
}
END_TEST

START_TEST(extents_beyond_64_bits_are_errors)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL, wide = resized(MPJ_INT, 0, huge);
  const MPJ_Count sizes[] = {huge, 5}, one[] = {1, 1}, zero[] = {0, 0};
  const int none[] = {MPJ_DISTRIBUTE_NONE, MPJ_DISTRIBUTE_NONE}, grid[] = {1, 1};
  must_fail(MPJ_Type_create_subarray(2, sizes, one, zero, MPJ_ORDER_C, MPJ_INT, &type),
            MPJ_ERR_OVERFLOW, "extent");
  must_fail(MPJ_Type_create_distribution(2, sizes, none, one, grid, MPJ_ORDER_C, MPJ_INT, &type),
            MPJ_ERR_OVERFLOW, "gsizes[0]");
  must_fail(MPJ_Type_contiguous(4, wide, &type), MPJ_ERR_OVERFLOW, "overflow");
  const MPJ_Count displs[] = {0, 2};
  must_fail(MPJ_Type_indexed(2, one, displs, wide, &type), MPJ_ERR_OVERFLOW, "overflow");
  ck_assert_ptr_null(type);
  must(MPJ_Type_free(&wide));
  nothing_lives();
}
END_TEST

START_TEST(the_largest_sizes_that_fit_are_accepted)
{
  MPJ_Datatype type = contiguous(INT64_MAX, MPJ_BYTE);
  ck_assert_int_eq(object_of(type)->map.layout->signature.bytes, INT64_MAX);
  must(MPJ_Type_free(&type));
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint far[] = {PTRDIFF_MAX - 7, 0};
  must(MPJ_Type_create_hindexed(2, ones, far, MPJ_INT, &type));
  expect(type, 0, PTRDIFF_MAX - 3);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bounds", struct_extent_is_rounded_up_to_the_alignment,
                   rounding_is_of_the_whole_map, vector_negative_stride_lowers_lb,
                   zero_length_blocks_do_not_move_bounds, empty_types_have_no_extent,
                   marks_are_sticky, marks_without_data_count, negative_extents_run_backwards,
                   repeated_blocks_that_run_backwards_have_their_true_bounds,
                   subarray_has_the_bounds_of_the_whole_array, sizes_beyond_64_bits_are_errors,
                   displacements_beyond_64_bits_are_errors, extents_beyond_64_bits_are_errors,
                   the_largest_sizes_that_fit_are_accepted);
}
