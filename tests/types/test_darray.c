/* This file tests shares of global arrays, general block lengths, blocks of one
 * length, and the limit of nesting. */
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/made.h"

static const int block[] = {MPJ_DISTRIBUTE_BLOCK}, general[] = {MPJ_DISTRIBUTE_GENERAL};
static const MPJ_Count dflt[] = {MPJ_DISTRIBUTE_DFLT_DARG}, ten[] = {10};

START_TEST(darray_is_the_part_of_its_distribution)
{
  const int grid[] = {3};
  MPJ_Datatype whole, part, mine;
  MPJ_Aint displ;
  must(MPJ_Type_create_distribution(1, ten, block, dflt, grid, MPJ_ORDER_C, MPJ_INT, &whole));
  must(MPJ_Type_part(whole, 2, &displ, &part));
  must(MPJ_Type_create_darray(3, 2, 1, ten, block, dflt, grid, MPJ_ORDER_C, MPJ_INT, &mine));
  ck_assert(same_map(part, mine) && extent_of(mine) == 40 && parts_of(mine) == 1);
  MPJ_Datatype all[] = {whole, part, mine};
  free_types(3, all);
  nothing_lives();
}
END_TEST

START_TEST(general_blocks_lie_one_after_another)
{
  const int grid[] = {4};
  const MPJ_Count lens[] = {3, 0, 3, 4}, *const blocks[] = {lens};
  MPJ_Datatype whole, part;
  MPJ_Count local, bytes;
  MPJ_Aint displ, lb, extent;
  must(MPJ_Type_create_general_distribution(1, ten, general, dflt, blocks, grid, MPJ_ORDER_C,
                                            MPJ_INT, &whole));
  MPJ_Datatype plain = contiguous(10, MPJ_INT);
  ck_assert(same_map(whole, plain) && parts_of(whole) == 4);
  must(MPJ_Type_distribution_local(whole, 3, &local));
  ck_assert_int_eq(local, 4);
  must(MPJ_Type_part(whole, 2, &displ, &part));
  must(MPJ_Type_size(part, &bytes));
  must(MPJ_Type_get_true_extent(part, &lb, &extent));
  ck_assert(displ == 0 && bytes == 12 && lb == 12 && extent == 12);
  MPJ_Datatype all[] = {whole, part, plain};
  free_types(3, all);
  nothing_lives();
}
END_TEST

START_TEST(a_million_general_blocks_of_one_length_are_one_shape)
{
  enum { P = 1000000 };
  const int grid[] = {P};
  const MPJ_Count n[] = {3 * (MPJ_Count)P};
  MPJ_Count *lens = malloc(P * sizeof *lens);
  const MPJ_Count *const blocks[] = {lens};
  MPJ_Datatype whole, plain;
  ck_assert_ptr_nonnull(lens);
  for (int c = 0; c < P; c++)
    lens[c] = 3;
  long before = mpj_memory_outstanding();
  must(MPJ_Type_create_general_distribution(1, n, general, dflt, blocks, grid, MPJ_ORDER_C, MPJ_INT,
                                            &whole));
  ck_assert_int_lt(mpj_memory_outstanding() - before, 10);
  must(MPJ_Type_contiguous(n[0], MPJ_INT, &plain));
  ck_assert(same_map(whole, plain) && parts_of(whole) == P);
  free(lens);
  MPJ_Datatype all[] = {whole, plain};
  free_types(2, all);
}
END_TEST

START_TEST(bad_blocks_are_named)
{
  const int grid[] = {3};
  const MPJ_Count shorter[] = {3, 3, 3}, longer[] = {3, 8, 1}, negative[] = {11, -1, 0};
  const MPJ_Count *const none[] = {NULL}, *const b1[] = {shorter}, *const b2[] = {longer};
  const MPJ_Count *const b3[] = {negative};
  MPJ_Datatype t;
#define make(blocks_)                                                                              \
  MPJ_Type_create_general_distribution(1, ten, general, dflt, blocks_, grid, MPJ_ORDER_C, MPJ_INT, \
                                       &t)
  must_fail(make(NULL), MPJ_ERR_ARG, "blocks is NULL");
  must_fail(make(none), MPJ_ERR_ARG, "blocks[0] is NULL");
  must_fail(make(b1), MPJ_ERR_ARG, "blocks[0] sum to 9, gsizes[0] is 10");
  must_fail(make(b2), MPJ_ERR_ARG, "blocks[0][1] is 8, must be 0 to 7");
  must_fail(make(b3), MPJ_ERR_ARG, "blocks[0][0] is 11");
#undef make
  must_fail(MPJ_Type_create_distribution(1, ten, general, dflt, grid, MPJ_ORDER_C, MPJ_INT, &t),
            MPJ_ERR_ARG, "distribs[0] is 124");
  nothing_lives();
}
END_TEST

START_TEST(bad_grids_are_named)
{
  const int grid[] = {3};
  MPJ_Datatype t;
#define make(size, rank)                                                                           \
  MPJ_Type_create_darray(size, rank, 1, ten, block, dflt, grid, MPJ_ORDER_C, MPJ_INT, &t)
  must_fail(make(4, 0), MPJ_ERR_ARG, "size is 4, the grid of psizes has 3");
  must_fail(make(3, 3), MPJ_ERR_ARG, "rank is 3, must be 0 to 2");
  must_fail(make(3, -1), MPJ_ERR_ARG, "rank is -1");
#undef make
  nothing_lives();
}
END_TEST

START_TEST(blocks_of_one_length_are_indexed)
{
  const MPJ_Count displs[] = {4, 0, 9}, lens[] = {2, 2, 2};
  const MPJ_Aint bytes[] = {16, 0, 36};
  MPJ_Datatype a, b, c = indexed(3, lens, displs, MPJ_INT);
  must(MPJ_Type_create_indexed_block(3, 2, displs, MPJ_INT, &a));
  must(MPJ_Type_create_hindexed_block(3, 2, bytes, MPJ_INT, &b));
  ck_assert(same_map(a, c) && same_map(b, c) && parts_of(a) == 3);
  MPJ_Datatype all[] = {a, b, c}, t;
  free_types(3, all);
  must_fail(MPJ_Type_create_indexed_block(1, -1, displs, MPJ_INT, &t), MPJ_ERR_ARG,
            "blocklen is -1");
  must_fail(MPJ_Type_create_indexed_block(-1, 1, displs, MPJ_INT, &t), MPJ_ERR_ARG, "count is -1");
  must_fail(MPJ_Type_create_hindexed_block(1, 1, NULL, MPJ_INT, &t), MPJ_ERR_ARG, "displs is NULL");
  const MPJ_Count far[] = {INT64_MAX};
  must_fail(MPJ_Type_create_indexed_block(1, 1, far, MPJ_INT, &t), MPJ_ERR_OVERFLOW, "displs[0]");
  nothing_lives();
}
END_TEST

START_TEST(nesting_has_a_limit)
{
  MPJ_Datatype t = MPJ_INT, over;
  for (int depth = 0; depth < MPJ_DEPTH_MAX; depth++) {
    must(MPJ_Type_dup(t, &over));
    if (depth > 0) must(MPJ_Type_free(&t));
    t = over;
  }
  const MPJ_Count one[] = {1};
  const MPJ_Aint zero[] = {0};
  must_fail(MPJ_Type_dup(t, &over), MPJ_ERR_UNSUPPORTED, "oldtype is 1000 constructors deep");
  must_fail(MPJ_Type_create_struct(1, one, zero, &t, &over), MPJ_ERR_UNSUPPORTED, "types[0]");
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("darray", darray_is_the_part_of_its_distribution,
                   general_blocks_lie_one_after_another,
                   a_million_general_blocks_of_one_length_are_one_shape, bad_blocks_are_named,
                   bad_grids_are_named, blocks_of_one_length_are_indexed, nesting_has_a_limit);
}
