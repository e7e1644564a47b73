/* This file tests indices of many blocks, where frames, periods, merged blocks and
 * shared part tables come into play, against the naive reference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/basic.h"
#include "types/made.h"
#include "types/random_type.h"
#include "types/sequence/sequence.h"
#include "types/sequence/unpack.h"
#include "types/walk.h"

enum { MOST = 1200 };

struct blocks {
  MPJ_Count n, lens[MOST];
  MPJ_Aint displs[MOST];
};

/* Blocks that now and then touch, repeat after a while, or are empty. */
static void draw(struct mpj_random *rng, struct blocks *b)
{
  MPJ_Count period = mpj_random_in(rng, 1, 200), rare = mpj_random_in(rng, 1, 300);
  MPJ_Count longest = mpj_random_in(rng, 1, 5), step = mpj_random_in(rng, -9, 3000) * 8;
  bool repeats = mpj_random_in(rng, 0, 1), shuffled = mpj_random_in(rng, 0, 4) == 0;
  MPJ_Aint at = 0;
  b->n = mpj_random_in(rng, 1, MOST);
  if (repeats && mpj_random_in(rng, 0, 1) && b->n > period) b->n -= b->n % period;
  for (MPJ_Count i = 0; i < b->n; i++) {
    if (repeats && i >= period) {
      b->lens[i] = b->lens[i - period];
      b->displs[i] = b->displs[i - period] + step;
      continue;
    }
    bool touches = mpj_random_in(rng, 1, rare) == 1;
    b->lens[i] = mpj_random_in(rng, 1, rare) == 1 ? 0 : mpj_random_in(rng, 1, longest);
    at += touches ? 0 : mpj_random_in(rng, 1, 500) * 8;
    b->displs[i] = at;
    at += b->lens[i] * 8;
  }
  for (MPJ_Count i = b->n - 1; i > 0 && shuffled; i--) {
    MPJ_Count j = mpj_random_in(rng, 0, i);
    MPJ_Aint displ = b->displs[i];
    b->displs[i] = b->displs[j];
    b->displs[j] = displ;
  }
}

static void check_parts(const struct mpj_type *type, const struct blocks *b)
{
  MPJ_Count lens[MOST];
  MPJ_Aint displs[MOST];
  ck_assert_int_eq(type->parts->count, b->n);
  for (MPJ_Count i = 0; i < b->n; i++) {
    struct mpj_view view;
    must(mpj_type_part_view(type, i, &view));
    if (view.count != b->lens[i] || (b->lens[i] > 0 && view.displ != b->displs[i]))
      ck_abort_msg("part %" PRId64 " of %" PRId64 ": %" PRId64 " at %td, not %" PRId64 " at %td", i,
                   b->n, view.count, view.displ, b->lens[i], b->displs[i]);
  }
  type->parts->ops->blocks(type->parts, 0, b->n, lens, displs, NULL);
  ck_assert_mem_eq(lens, b->lens, (size_t)b->n * sizeof lens[0]);
  ck_assert_mem_eq(displs, b->displs, (size_t)b->n * sizeof displs[0]);
}

static MPJ_Datatype make(const struct blocks *b)
{
  MPJ_Datatype type;
  must(MPJ_Type_create_hindexed(b->n, b->lens, b->displs, MPJ_DOUBLE, &type));
  return type;
}

START_TEST(long_indices_equal_their_references)
{
  struct mpj_random rng = {21};
  struct blocks *b = malloc(sizeof *b);
  ck_assert_ptr_nonnull(b);
  struct mpj_ref *old = mpj_ref_basic(mpj_basic_of_handle(MPJ_DOUBLE));
  for (int round = 0; round < 400; round++) {
    mpj_unpack_use(round % mpj_unpack_kernels());
    draw(&rng, b);
    MPJ_Datatype type = make(b), again = make(b);
    struct mpj_ref *ref = mpj_ref_hindexed(b->n, b->lens, b->displs, old);
    struct mpj_view view = mpj_type_view(object_of(type));
    ck_assert(mpj_layout_check(view.layout) && same_map(type, again));
    ck_assert(mpj_walk_matches(&view, 0, ref));
    ck_assert_int_eq(lb_of(type), mpj_ref_lb(ref));
    ck_assert_int_eq(extent_of(type), mpj_ref_extent(ref));
    check_parts(object_of(type), b);
    mpj_ref_release(ref);
    must(MPJ_Type_free(&type));
    must(MPJ_Type_free(&again));
  }
  mpj_unpack_use(mpj_unpack_kernels() - 1);
  mpj_ref_release(old);
  free(b);
  nothing_lives();
  ck_assert_int_eq(mpj_memory_outstanding(), 0);
}
END_TEST

/* Every stretch of blocks and every copy is found, from any place. */
START_TEST(stretches_of_blocks_are_read_from_anywhere)
{
  struct mpj_random rng = {22};
  struct blocks *b = malloc(sizeof *b);
  ck_assert_ptr_nonnull(b);
  MPJ_Count lens[MPJ_LAYOUT_FRAME], starts[MOST + 1] = {0}, start;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  b->n = 700;
  for (MPJ_Count i = 0; i < b->n; i++) {
    b->lens[i] = mpj_random_in(&rng, 1, 8);
    b->displs[i] = i > 0 ? b->displs[i - 1] + 8 * mpj_random_in(&rng, 9, 4096) : 0;
    starts[i + 1] = starts[i] + b->lens[i];
  }
  MPJ_Datatype type = make(b);
  const struct mpj_layout *l = layout_of(type);
  ck_assert_int_eq(l->u.index.nblocks, b->n);
  for (MPJ_Count first = 0; first < b->n; first++) {
    MPJ_Count n = mpj_random_in(&rng, 1, MPJ_LAYOUT_FRAME);
    n = n < b->n - first ? n : b->n - first;
    mpj_layout_index_blocks(l, first, n, displs, lens, &start);
    ck_assert_int_eq(start, starts[first]);
    ck_assert_mem_eq(lens, b->lens + first, (size_t)n * sizeof lens[0]);
    ck_assert_mem_eq(displs, b->displs + first, (size_t)n * sizeof displs[0]);
    ck_assert_int_eq(mpj_layout_index_find(l, starts[first + 1] - 1), first);
  }
  must(MPJ_Type_free(&type));
  free(b);
}
END_TEST

START_TEST(two_level_regular_indices_are_loop_nests)
{
  enum { OUTER = 40, INNER = 30 };
  MPJ_Count lens[OUTER * INNER];
  MPJ_Aint displs[OUTER * INNER];
  for (int i = 0; i < OUTER * INNER; i++) {
    lens[i] = 2;
    displs[i] = i / INNER * 10000 + i % INNER * 24;
  }
  MPJ_Datatype types[2], row, wide;
  must(MPJ_Type_create_hindexed(OUTER * INNER, lens, displs, MPJ_DOUBLE, &types[0]));
  must(MPJ_Type_create_hvector(INNER, 2, 24, MPJ_DOUBLE, &row));
  wide = resized(row, 0, 10000);
  types[1] = contiguous(OUTER, wide);
  ck_assert(same_map(types[0], types[1]));
  ck_assert_int_eq(layout_of(types[0])->kind, MPJ_LAYOUT_LOOP);
  MPJ_Datatype old[] = {row, wide};
  free_types(2, old);
  free_types(2, types);
  nothing_lives();
}
END_TEST

/* As one and as two indices, with different lengths inside the period. */
START_TEST(repeated_indices_are_loops_of_an_index)
{
  enum { TIMES = 9, N = 4 };
  const MPJ_Count lens[N] = {1, 3, 2, 1}, displs[N] = {0, 7, 12, 30};
  MPJ_Count all_lens[TIMES * N], all_displs[TIMES * N];
  for (int i = 0; i < TIMES * N; i++) {
    all_lens[i] = lens[i % N];
    all_displs[i] = displs[i % N] + i / N * 50;
  }
  MPJ_Datatype one = indexed(N, lens, displs, MPJ_INT), wide = resized(one, 0, 200);
  MPJ_Datatype types[] = {contiguous(TIMES, wide),
                          indexed(TIMES * N, all_lens, all_displs, MPJ_INT)};
  ck_assert(same_map(types[0], types[1]));
  ck_assert_int_eq(layout_of(types[1])->u.loop.count, TIMES);
  MPJ_Datatype old[] = {one, wide};
  free_types(2, old);
  free_types(2, types);
  nothing_lives();
}
END_TEST

START_TEST(failed_allocations_leak_nothing)
{
  struct mpj_random rng = {23};
  struct blocks *b = malloc(sizeof *b);
  ck_assert_ptr_nonnull(b);
  for (int round = 0; round < 40; round++) {
    int status = MPJ_ERR_NO_MEM;
    draw(&rng, b);
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      MPJ_Datatype type;
      mpj_memory_fail_after(successes);
      status = MPJ_Type_create_hindexed(b->n, b->lens, b->displs, MPJ_DOUBLE, &type);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) must(MPJ_Type_free(&type));
      ck_assert_int_eq(mpj_memory_outstanding(), 0);
    }
    ck_assert_int_eq(status, MPJ_SUCCESS);
  }
  free(b);
  nothing_lives();
}
END_TEST

int main(void)
{
  return RUN_SUITE("long index", long_indices_equal_their_references,
                   stretches_of_blocks_are_read_from_anywhere,
                   two_level_regular_indices_are_loop_nests, repeated_indices_are_loops_of_an_index,
                   failed_allocations_leak_nothing);
}
