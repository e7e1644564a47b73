/* This file tests distributions: every small one against the reference, large
 * grids for their cost, and local arrays. */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "types/made.h"
#include "types/reference.h"
#include "types/walk.h"

static const int blocks[3] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_BLOCK};
static const MPJ_Count dflt[3] = {MPJ_DISTRIBUTE_DFLT_DARG, MPJ_DISTRIBUTE_DFLT_DARG,
                                  MPJ_DISTRIBUTE_DFLT_DARG};

static MPJ_Datatype distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                 const MPJ_Count dargs[], const int psizes[], int order,
                                 MPJ_Datatype old)
{
  MPJ_Datatype made;
  must(MPJ_Type_create_distribution(ndims, gsizes, distribs, dargs, psizes, order, old, &made));
  return made;
}

static void compare_local(MPJ_Datatype whole, MPJ_Count part, const struct mpj_ref *ref)
{
  MPJ_Count sizes[3] = {-1, -1, -1}, expected[3] = {-1, -1, -1};
  MPJ_Datatype local;
  int ndims = mpj_ref_local_sizes(ref, part, expected);
  must(MPJ_Type_distribution_local(whole, part, sizes));
  for (int d = 0; d < ndims; d++)
    ck_assert_int_eq(sizes[d], expected[d]);
  struct mpj_ref *local_ref = mpj_ref_local(ref, part);
  must(MPJ_Type_create_local(whole, part, &local));
  struct mpj_view view = mpj_type_view(object_of(local));
  ck_assert(mpj_walk_matches(&view, 0, local_ref));
  ck_assert(mpj_ref_same_signature(local_ref, ref->parts[part].type));
  ck_assert_int_eq(extent_of(local), mpj_ref_extent(local_ref));
  ck_assert_int_eq(parts_of(local), local_ref->nparts);
  must(MPJ_Type_free(&local));
  mpj_ref_release(local_ref);
}

static void compare_all(int ndims, const MPJ_Count gsizes[], const int distribs[],
                        const MPJ_Count dargs[], const int psizes[], int order, MPJ_Datatype old,
                        struct mpj_ref *old_ref)
{
  MPJ_Datatype whole = distribution(ndims, gsizes, distribs, dargs, psizes, order, old);
  struct mpj_ref *ref =
      mpj_ref_distribution(ndims, gsizes, distribs, dargs, NULL, psizes, order, old_ref);
  const struct mpj_type *type = object_of(whole);
  struct mpj_view view = mpj_type_view(type);
  ck_assert(mpj_type_check(type) && mpj_walk_matches(&view, 0, ref));
  ck_assert_int_eq(type->parts->count, ref->nparts);
  for (MPJ_Count i = 0; i < ref->nparts; i++) {
    must(mpj_type_part_view(type, i, &view));
    ck_assert(mpj_walk_matches(&view, 0, ref->parts[i].type));
    compare_local(whole, i, ref);
  }
  mpj_ref_release(ref);
  must(MPJ_Type_free(&whole));
}

/* gsize 1..9 over 1..5 processes, block lengths by default and 1..4. */
START_TEST(every_small_dimension_equals_its_reference)
{
  struct mpj_ref *ref = mpj_ref_basic(6);
  for (MPJ_Count g = 1; g <= 9; g++) {
    for (int p = 1; p <= 5; p++) {
      for (MPJ_Count k = 0; k <= 4; k++) {
        const MPJ_Count darg = k ? k : MPJ_DISTRIBUTE_DFLT_DARG;
        const int kinds[] = {MPJ_DISTRIBUTE_CYCLIC, MPJ_DISTRIBUTE_BLOCK};
        compare_all(1, &g, &kinds[0], &darg, &p, MPJ_ORDER_C, MPJ_INT, ref);
        if (k == 0 || k * p >= g)
          compare_all(1, &g, &kinds[1], &darg, &p, MPJ_ORDER_FORTRAN, MPJ_INT, ref);
      }
    }
  }
  mpj_ref_release(ref);
  nothing_lives();
}
END_TEST

START_TEST(two_dimensions_equal_their_reference_in_both_orders)
{
  const int kinds[] = {MPJ_DISTRIBUTE_CYCLIC, MPJ_DISTRIBUTE_BLOCK};
  struct mpj_ref *basic = mpj_ref_basic(21), *ref = mpj_ref_resized(basic, -3, 20);
  MPJ_Datatype old = resized(MPJ_DOUBLE, -3, 20);
  for (int n = 0; n < 4 * 4 * 3 * 3 * 2; n++) {
    const MPJ_Count gsizes[] = {4 + n % 4, 3 + n / 4 % 4};
    const int psizes[] = {1 + n / 16 % 3, 1 + n / 48 % 3},
              distribs[] = {kinds[n % 2], kinds[n % 3 % 2]};
    const MPJ_Count dargs[] = {n % 2 ? dflt[0] : 2, dflt[0]};
    compare_all(2, gsizes, distribs, dargs, psizes, n < 144 ? MPJ_ORDER_C : MPJ_ORDER_FORTRAN, old,
                ref);
  }
  must(MPJ_Type_free(&old));
  mpj_ref_release(ref);
  mpj_ref_release(basic);
  nothing_lives();
}
END_TEST

START_TEST(uneven_blocks_have_few_shapes)
{
  const MPJ_Count gsizes[] = {1000, 777};
  const int grid[] = {4, 4};
  MPJ_Datatype whole = distribution(2, gsizes, blocks, dflt, grid, MPJ_ORDER_C, MPJ_DOUBLE);
  MPJ_Count sizes[2], total = 0;
  for (MPJ_Count i = 0; i < 16; i++) {
    must(MPJ_Type_distribution_local(whole, i, sizes));
    ck_assert_int_eq(sizes[0], 250);
    ck_assert_int_eq(sizes[1], i % 4 < 3 ? 195 : 192);
    total += sizes[0] * sizes[1];
  }
  ck_assert_int_eq(total, 777000);
  const struct mpj_layout *l = layout_of(whole);
  ck_assert_int_eq(l->signature.bytes, 777000 * 8);
  ck_assert_int_le(l->depth, 5);
  must(MPJ_Type_free(&whole));
  nothing_lives();
}
END_TEST

START_TEST(more_processes_than_elements_leave_parts_empty)
{
  const MPJ_Count gsizes[] = {3, 2};
  const int grid[] = {7, 5};
  MPJ_Datatype whole = distribution(2, gsizes, blocks, dflt, grid, MPJ_ORDER_C, MPJ_INT), local;
  MPJ_Count empty = 0;
  for (MPJ_Count i = 0; i < 35; i++) {
    struct mpj_view view;
    must(mpj_type_part_view(object_of(whole), i, &view));
    if (mpj_view_bytes(&view) == 0) empty++;
  }
  ck_assert_int_eq(empty, 35 - 6);
  must(MPJ_Type_create_local(whole, 34, &local));
  ck_assert_int_eq(extent_of(local), 0);
  must(MPJ_Type_free(&local));
  must(MPJ_Type_free(&whole));
  nothing_lives();
}
END_TEST

START_TEST(a_million_parts_cost_little_memory)
{
  const MPJ_Count gsizes[] = {123457, 98765};
  const int grid[] = {1000, 1000}, kinds[] = {MPJ_DISTRIBUTE_CYCLIC, MPJ_DISTRIBUTE_BLOCK};
  const MPJ_Count dargs[] = {7, MPJ_DISTRIBUTE_DFLT_DARG};
  MPJ_Datatype warm = contiguous(2, MPJ_INT);
  size_t before = mallinfo2().uordblks;
  MPJ_Datatype whole = distribution(2, gsizes, kinds, dargs, grid, MPJ_ORDER_C, MPJ_DOUBLE);
  size_t used = mallinfo2().uordblks - before;
  ck_assert_uint_le(used, 16384);
  ck_assert_int_eq(parts_of(whole), 1000000);
  ck_assert_uint_le(mpj_layout_live(), 40);
  const struct mpj_type *type = object_of(whole);
  before = mallinfo2().uordblks;
  MPJ_Count bytes = 0, failed = 0;
  for (MPJ_Count i = 0; i < 1000000; i++) {
    struct mpj_view view;
    failed += mpj_type_part_view(type, i, &view) != MPJ_SUCCESS;
    bytes += mpj_view_bytes(&view);
  }
  ck_assert_int_eq(failed, 0);
  ck_assert_uint_eq(mallinfo2().uordblks, before);
  ck_assert_int_eq(bytes, 123457 * INT64_C(98765) * 8);
  ck_assert_int_eq(bytes, type->map.layout->signature.bytes);
  must(MPJ_Type_free(&whole));
  must(MPJ_Type_free(&warm));
  nothing_lives();
}
END_TEST

START_TEST(even_blocks_are_one_nest_of_loops)
{
  const MPJ_Count gsizes[] = {64, 64};
  const int grid[] = {4, 4};
  MPJ_Datatype whole = distribution(2, gsizes, blocks, dflt, grid, MPJ_ORDER_C, MPJ_INT);
  const struct mpj_layout *l = layout_of(whole);
  for (int depth = 0; depth < 2; depth++) {
    ck_assert_int_eq(l->kind, MPJ_LAYOUT_LOOP);
    l = l->u.loop.child;
  }
  ck_assert_int_eq(l->kind, MPJ_LAYOUT_LOOP);
  ck_assert_int_eq(l->u.loop.count, 16);
  ck_assert_int_eq(l->u.loop.child->u.run.count, 16);
  must(MPJ_Type_free(&whole));
}
END_TEST

START_TEST(dup_and_resized_remain_distributions)
{
  const MPJ_Count gsizes[] = {10};
  const int grid[] = {3};
  MPJ_Datatype whole = distribution(1, gsizes, blocks, dflt, grid, MPJ_ORDER_C, MPJ_INT), twin;
  must(MPJ_Type_dup(whole, &twin));
  MPJ_Datatype wide = resized(twin, 0, 400), other = contiguous(3, MPJ_INT), made;
  MPJ_Count size;
  must(MPJ_Type_free(&whole));
  must(MPJ_Type_distribution_local(wide, 2, &size));
  ck_assert_int_eq(size, 2);
  must_fail(MPJ_Type_distribution_local(other, 0, &size), MPJ_ERR_TYPE, "not a distribution");
  must_fail(MPJ_Type_create_local(MPJ_INT, 0, &made), MPJ_ERR_TYPE, "not a distribution");
  must_fail(MPJ_Type_create_local(wide, 3, &made), MPJ_ERR_ARG, "part is 3");
  MPJ_Datatype all[] = {twin, wide, other};
  free_types(3, all);
  nothing_lives();
}
END_TEST

START_TEST(bad_distributions_are_named)
{
  const MPJ_Count ten[] = {10}, zero[] = {0}, three[] = {3};
  const int block[] = {MPJ_DISTRIBUTE_BLOCK}, none[] = {MPJ_DISTRIBUTE_NONE}, odd[] = {5};
  const int two[] = {2}, no[] = {0};
  MPJ_Datatype t = MPJ_DATATYPE_NULL;
  must_fail(MPJ_Type_create_distribution(1, zero, block, dflt, two, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "gsizes[0] is 0");
  must_fail(MPJ_Type_create_distribution(1, ten, odd, dflt, two, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "distribs[0] is 5");
  must_fail(MPJ_Type_create_distribution(1, ten, block, three, two, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "dargs[0] is 3");
  must_fail(MPJ_Type_create_distribution(1, ten, block, zero, two, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "dargs[0] is 0");
  must_fail(MPJ_Type_create_distribution(1, ten, block, dflt, no, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "psizes[0] is 0");
  must_fail(MPJ_Type_create_distribution(1, ten, none, dflt, two, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "psizes[0] is 2");
  must_fail(MPJ_Type_create_distribution(1, ten, block, dflt, two, 0, MPJ_INT, &t), MPJ_ERR_ARG,
            "order is 0");
  ck_assert_ptr_null(t);
}
END_TEST

START_TEST(block_lengths_beyond_the_array_do_not_overflow)
{
  const MPJ_Count gsize[] = {10}, darg[] = {INT64_MAX};
  const int grid[] = {1000}, kind[] = {MPJ_DISTRIBUTE_CYCLIC};
  MPJ_Datatype whole = distribution(1, gsize, kind, darg, grid, MPJ_ORDER_C, MPJ_INT);
  MPJ_Count size;
  must(MPJ_Type_distribution_local(whole, 0, &size));
  ck_assert_int_eq(size, 10);
  must(MPJ_Type_distribution_local(whole, 999, &size));
  ck_assert_int_eq(size, 0);
  must(MPJ_Type_free(&whole));
}
END_TEST

int main(void)
{
  return RUN_SUITE("distribution", every_small_dimension_equals_its_reference,
                   two_dimensions_equal_their_reference_in_both_orders,
                   uneven_blocks_have_few_shapes, more_processes_than_elements_leave_parts_empty,
                   a_million_parts_cost_little_memory, even_blocks_are_one_nest_of_loops,
                   dup_and_resized_remain_distributions, bad_distributions_are_named,
                   block_lengths_beyond_the_array_do_not_overflow);
}
