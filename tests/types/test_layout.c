/* This file tests the normal form: which layouts come out, and that one map
 * built in different ways gives one layout. */
#include "types/layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/layout/layout_make.h"
#include "types/made.h"

static MPJ_Datatype structure(MPJ_Count n, const MPJ_Count lens[], const MPJ_Aint displs[],
                              const MPJ_Datatype types[])
{
  MPJ_Datatype made;
  must(MPJ_Type_create_struct(n, lens, displs, types, &made));
  return made;
}

/* All n types have the map of the first; frees them. */
static void all_alike(int n, MPJ_Datatype types[])
{
  for (int i = 1; i < n; i++)
    ck_assert_msg(same_map(types[0], types[i]), "type %d has another layout", i);
  free_types(n, types);
  nothing_lives();
}

START_TEST(dense_types_are_one_run)
{
  const MPJ_Count lens[] = {2, 0, 4}, displs[] = {0, 50, 2};
  const MPJ_Aint bytes[] = {0, 4};
  const MPJ_Count ones[] = {1, 5}, sizes[] = {3, 2}, starts[] = {0, 0};
  const MPJ_Datatype ints[] = {MPJ_INT, MPJ_INT};
  MPJ_Datatype two = contiguous(2, MPJ_INT);
  MPJ_Datatype types[] = {contiguous(6, MPJ_INT),          contiguous(3, two),
                          vector(2, 3, 3, MPJ_INT),        vector(1, 6, 100, MPJ_INT),
                          vector(6, 1, 1, MPJ_INT),        indexed(3, lens, displs, MPJ_INT),
                          structure(2, ones, bytes, ints), NULL};
  must(MPJ_Type_create_subarray(2, sizes, sizes, starts, MPJ_ORDER_FORTRAN, MPJ_INT, &types[7]));
  must(MPJ_Type_free(&two));
  ck_assert_int_eq(layout_of(types[0])->kind, MPJ_LAYOUT_RUN);
  ck_assert_int_eq(layout_of(types[0])->u.run.count, 6);
  all_alike(8, types);
}
END_TEST

START_TEST(regular_types_are_one_loop)
{
  const MPJ_Count twos[] = {2, 2, 2, 2}, displs[] = {0, 5, 10, 15};
  const MPJ_Count lens[] = {1, 1, 0, 2, 2, 2}, split[] = {0, 1, 7, 5, 10, 15};
  const MPJ_Aint bytes[] = {0, 20, 40, 60};
  const MPJ_Datatype ints[] = {MPJ_INT, MPJ_INT, MPJ_INT, MPJ_INT};
  MPJ_Datatype two = contiguous(2, MPJ_INT), spaced = resized(two, 0, 20);
  MPJ_Datatype half = vector(2, 2, 5, MPJ_INT), wide = resized(half, 0, 40);
  MPJ_Datatype types[] = {vector(4, 2, 5, MPJ_INT),
                          contiguous(4, spaced),
                          contiguous(2, wide),
                          indexed(4, twos, displs, MPJ_INT),
                          indexed(6, lens, split, MPJ_INT),
                          structure(4, twos, bytes, ints)};
  MPJ_Datatype old[] = {two, spaced, half, wide};
  free_types(4, old);
  const struct mpj_layout *l = layout_of(types[0]);
  ck_assert_int_eq(l->kind, MPJ_LAYOUT_LOOP);
  ck_assert_int_eq(l->u.loop.count, 4);
  ck_assert_int_eq(l->u.loop.stride, 20);
  ck_assert_int_eq(l->u.loop.child->kind, MPJ_LAYOUT_RUN);
  all_alike(6, types);
}
END_TEST

START_TEST(irregular_types_are_one_index)
{
  const MPJ_Count lens[] = {2, 3, 0, 1}, displs[] = {7, 0, 9, 20};
  const MPJ_Count cut[] = {1, 1, 2, 1, 1}, cut_displs[] = {7, 8, 0, 2, 20};
  const MPJ_Aint bytes[] = {28, 0, 80};
  const MPJ_Count kept[] = {2, 3, 1}, ones[] = {1, 1, 1};
  const MPJ_Datatype ints[] = {MPJ_INT, MPJ_INT, MPJ_INT};
  MPJ_Datatype three = contiguous(3, MPJ_INT), two = contiguous(2, MPJ_INT);
  const MPJ_Datatype mixed[] = {two, three, MPJ_INT};
  MPJ_Datatype types[] = {indexed(4, lens, displs, MPJ_INT), indexed(5, cut, cut_displs, MPJ_INT),
                          structure(3, kept, bytes, ints), structure(3, ones, bytes, mixed)};
  must(MPJ_Type_free(&three));
  must(MPJ_Type_free(&two));
  const struct mpj_layout *l = layout_of(types[0]);
  ck_assert_int_eq(l->kind, MPJ_LAYOUT_INDEX);
  ck_assert_int_eq(l->u.index.nblocks, 3);
  ck_assert_int_eq(l->u.index.uniform, 0);
  all_alike(4, types);
}
END_TEST

START_TEST(equal_blocks_become_the_child_of_the_index)
{
  const MPJ_Count fours[] = {4, 4, 4}, displs[] = {0, 10, 30};
  const MPJ_Count twos[] = {2, 2, 2}, pairs[] = {0, 5, 15};
  MPJ_Datatype two = contiguous(2, MPJ_INT);
  MPJ_Datatype types[] = {indexed(3, fours, displs, MPJ_INT), indexed(3, twos, pairs, two)};
  must(MPJ_Type_free(&two));
  const struct mpj_layout *l = layout_of(types[0]);
  ck_assert_int_eq(l->u.index.uniform, 1);
  ck_assert_int_eq(l->u.index.child->u.run.count, 4);
  all_alike(2, types);
}
END_TEST

START_TEST(adjacent_blocks_of_a_vector_merge_into_rows)
{
  const MPJ_Count ones[] = {1, 1, 1, 1}, displs[] = {0, 1, 2, 10};
  const MPJ_Count lens[] = {3, 1}, starts[] = {0, 10};
  MPJ_Datatype column = vector(3, 1, 4, MPJ_INT);
  MPJ_Datatype types[] = {indexed(4, ones, displs, column), indexed(2, lens, starts, column)};
  must(MPJ_Type_free(&column));
  ck_assert_int_eq(layout_of(types[0])->u.index.nblocks, 2);
  all_alike(2, types);
}
END_TEST

START_TEST(order_is_never_changed)
{
  const MPJ_Count ones[] = {1, 1}, up[] = {0, 1}, down[] = {1, 0};
  const MPJ_Aint forth[] = {0, 4}, back[] = {4, 0};
  const MPJ_Datatype two[] = {MPJ_INT, MPJ_FLOAT}, twisted[] = {MPJ_FLOAT, MPJ_INT};
  MPJ_Datatype types[] = {indexed(2, ones, up, MPJ_INT), indexed(2, ones, down, MPJ_INT),
                          structure(2, ones, forth, two), structure(2, ones, back, twisted)};
  ck_assert(same_signature(types[0], types[1]) && !same_map(types[0], types[1]));
  ck_assert(!same_signature(types[2], types[3]) && !same_map(types[2], types[3]));
  free_types(4, types);
  nothing_lives();
}
END_TEST

START_TEST(unlike_neighbours_are_a_sequence_opened_into_the_outer)
{
  const MPJ_Count ones[] = {1, 1, 1};
  const MPJ_Aint inner[] = {0, 8}, outer[] = {0, 16}, all[] = {0, 8, 16};
  const MPJ_Datatype first[] = {MPJ_INT, MPJ_DOUBLE}, flat[] = {MPJ_INT, MPJ_DOUBLE, MPJ_CHAR};
  MPJ_Datatype pair = structure(2, ones, inner, first);
  const MPJ_Datatype nested[] = {pair, MPJ_CHAR};
  MPJ_Datatype types[] = {structure(3, ones, all, flat), structure(2, ones, outer, nested)};
  must(MPJ_Type_free(&pair));
  const struct mpj_layout *l = layout_of(types[0]);
  ck_assert_int_eq(l->kind, MPJ_LAYOUT_SEQ);
  ck_assert_int_eq(l->u.seq.npieces, 3);
  ck_assert_int_eq(mpj_layout_seq_find(l, 3), 0);
  ck_assert_int_eq(mpj_layout_seq_find(l, 4), 1);
  ck_assert_int_eq(mpj_layout_seq_find(l, 12), 2);
  all_alike(2, types);
}
END_TEST

/* Doubles with every level; kept closed, each level adds three pieces. */
START_TEST(nested_sequences_do_not_multiply_memory)
{
  enum { LEVELS = 40 };
  const MPJ_Count ones[] = {1, 1, 1};
  MPJ_Datatype type = contiguous(1, MPJ_INT);
  for (int level = 0; level < LEVELS; level++) {
    MPJ_Aint size = extent_of(type) + 32;
    const MPJ_Aint displs[] = {0, size, size + 16};
    const MPJ_Datatype types[] = {type, MPJ_CHAR, type};
    MPJ_Datatype next = structure(3, ones, displs, types);
    must(MPJ_Type_free(&type));
    type = resized(next, 0, 2 * size);
    must(MPJ_Type_free(&next));
  }
  ck_assert_int_eq(object_of(type)->map.layout->signature.elements, (INT64_C(2) << LEVELS) - 1);
  ck_assert_uint_le(mpj_layout_live(), 3 * LEVELS);
  must(MPJ_Type_free(&type));
  nothing_lives();
}
END_TEST

/* A loop and the element that continues it, with each allocation failing. */
START_TEST(a_join_that_fails_leaks_nothing)
{
  const MPJ_Count ones[] = {1, 1};
  const MPJ_Aint displs[] = {0, 24};
  MPJ_Datatype three = vector(3, 1, 2, MPJ_INT), four = vector(4, 1, 2, MPJ_INT), joined = NULL;
  const MPJ_Datatype types[] = {three, MPJ_INT};
  must(MPJ_Type_create_struct(2, ones, displs, types, &joined));
  ck_assert(same_map(joined, four));
  must(MPJ_Type_free(&joined));
  must(MPJ_Type_free(&four));
  int status = MPJ_ERR_NO_MEM;
  for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
    int64_t references = atomic_load(&object_of(MPJ_INT)->map.layout->references);
    mpj_memory_fail_after(successes);
    status = MPJ_Type_create_struct(2, ones, displs, types, &joined);
    mpj_memory_fail_after(-1);
    if (status == MPJ_SUCCESS) must(MPJ_Type_free(&joined));
    ck_assert_uint_eq(mpj_layout_live(), 1);
    ck_assert_int_eq(atomic_load(&object_of(MPJ_INT)->map.layout->references), references);
  }
  must(MPJ_Type_free(&three));
  nothing_lives();
}
END_TEST

START_TEST(index_accessors_agree_with_the_arguments)
{
  const MPJ_Count lens[] = {3, 1, 2}, displs[] = {5, 0, 20};
  MPJ_Datatype type = indexed(3, lens, displs, MPJ_INT);
  const struct mpj_layout *l = layout_of(type);
  const MPJ_Count owner[] = {0, 0, 0, 1, 2, 2};
  const MPJ_Count starts[] = {0, 3, 4};
  ck_assert_int_eq(mpj_layout_index_copies(l), 6);
  for (MPJ_Count copy = 0; copy < 6; copy++)
    ck_assert_int_eq(mpj_layout_index_find(l, copy), owner[copy]);
  for (MPJ_Count i = 0; i < 3; i++) {
    MPJ_Aint displ;
    MPJ_Count copies, start;
    mpj_layout_index_block(l, i, &displ, &copies, &start);
    ck_assert_int_eq(displ, (displs[i] - displs[0]) * 4);
    ck_assert_int_eq(copies, lens[i]);
    ck_assert_int_eq(start, starts[i]);
  }
  must(MPJ_Type_free(&type));
}
END_TEST

/* An irregular block, and then the same twice at one place: a loop of stride 0. */
START_TEST(repetitions_in_place_stay_in_place)
{
  const MPJ_Count ones[] = {1, 1, 1}, places[] = {0, 3, 10};
  const MPJ_Aint displs[] = {0, 100};
  MPJ_Datatype block = indexed(3, ones, places, MPJ_INT), twice;
  must(MPJ_Type_create_hvector(2, 1, 0, block, &twice));
  const MPJ_Datatype types[] = {block, twice};
  MPJ_Datatype made = structure(2, ones, displs, types);
  const MPJ_Count all_lens[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const MPJ_Count all[] = {0, 3, 10, 25, 28, 35, 25, 28, 35};
  MPJ_Datatype flat = indexed(9, all_lens, all, MPJ_INT);
  ck_assert_int_eq(layout_of(made)->true_ub, layout_of(flat)->true_ub);
  MPJ_Datatype old[] = {block, twice, made, flat};
  free_types(4, old);
  nothing_lives();
}
END_TEST

START_TEST(empty_types_share_one_layout)
{
  const MPJ_Count zero[] = {0}, displ[] = {7};
  MPJ_Datatype types[] = {contiguous(0, MPJ_INT), vector(3, 0, 9, MPJ_DOUBLE),
                          indexed(1, zero, displ, MPJ_CHAR), structure(0, NULL, NULL, NULL)};
  ck_assert_int_eq(layout_of(types[0])->kind, MPJ_LAYOUT_EMPTY);
  ck_assert_uint_eq(mpj_layout_live(), 0);
  all_alike(4, types);
}
END_TEST

START_TEST(ids_are_not_reused)
{
  MPJ_Datatype first = contiguous(7, MPJ_INT);
  uint64_t id = layout_of(first)->id;
  must(MPJ_Type_free(&first));
  MPJ_Datatype second = contiguous(7, MPJ_INT);
  ck_assert_uint_gt(layout_of(second)->id, id);
  must(MPJ_Type_free(&second));
}
END_TEST

START_TEST(table_grows_and_shrinks_back)
{
  enum { N = 5000 };
  MPJ_Datatype *types = calloc(N, sizeof(MPJ_Datatype));
  ck_assert_ptr_nonnull(types);
  long outstanding = mpj_memory_outstanding();
  for (int i = 0; i < N; i++)
    types[i] = contiguous(i + 2, MPJ_INT);
  ck_assert_uint_eq(mpj_layout_live(), N);
  for (int i = 0; i < N; i++) {
    MPJ_Datatype again = contiguous(i + 2, MPJ_INT);
    ck_assert_ptr_eq(layout_of(again), layout_of(types[i]));
    must(MPJ_Type_free(&again));
  }
  free_types(N, types);
  free(types);
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), outstanding);
}
END_TEST

static int destroyed;

static void count_destroyed(struct mpj_attachment *self)
{
  (void)self;
  destroyed++;
}

static void measure_nothing(const struct mpj_attachment *self, struct mpj_footprint *f)
{
  (void)self, (void)f;
}

START_TEST(attachments_live_as_long_as_the_layout)
{
  struct mpj_attachment first = {count_destroyed, measure_nothing}, second = first;
  MPJ_Datatype type = contiguous(3, MPJ_INT);
  struct mpj_layout *l = object_of(type)->map.layout;
  destroyed = 0;
  ck_assert_ptr_null(mpj_layout_attachment(l, MPJ_ATTACH_PROGRAM));
  ck_assert_ptr_eq(mpj_layout_attach(l, MPJ_ATTACH_PROGRAM, &first), &first);
  ck_assert_ptr_eq(mpj_layout_attach(l, MPJ_ATTACH_PROGRAM, &second), &first);
  ck_assert_int_eq(destroyed, 1);
  ck_assert_ptr_eq(mpj_layout_attachment(l, MPJ_ATTACH_PROGRAM), &first);
  ck_assert_ptr_null(mpj_layout_attachment(l, MPJ_ATTACH_TYPED_PROGRAM));
  must(MPJ_Type_free(&type));
  ck_assert_int_eq(destroyed, 2);
}
END_TEST

START_TEST(attachments_of_basic_layouts_can_be_forgotten)
{
  struct mpj_attachment a = {count_destroyed, measure_nothing};
  struct mpj_layout *l = object_of(MPJ_INT)->map.layout;
  destroyed = 0;
  ck_assert_ptr_eq(mpj_layout_attach(l, MPJ_ATTACH_PROGRAM, &a), &a);
  mpj_layout_forget_permanent();
  ck_assert_int_eq(destroyed, 1);
  ck_assert_ptr_null(mpj_layout_attachment(l, MPJ_ATTACH_PROGRAM));
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "layout", dense_types_are_one_run, regular_types_are_one_loop, irregular_types_are_one_index,
      equal_blocks_become_the_child_of_the_index, adjacent_blocks_of_a_vector_merge_into_rows,
      order_is_never_changed, unlike_neighbours_are_a_sequence_opened_into_the_outer,
      nested_sequences_do_not_multiply_memory, a_join_that_fails_leaks_nothing,
      index_accessors_agree_with_the_arguments, repetitions_in_place_stay_in_place,
      empty_types_share_one_layout, ids_are_not_reused, table_grows_and_shrinks_back,
      attachments_live_as_long_as_the_layout, attachments_of_basic_layouts_can_be_forgotten);
}
