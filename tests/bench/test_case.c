/* This file tests that a case accepts the data that its calls must bring and
 * nothing else, with an engine of one rank that copies. */
#include "coll_case.h"

#include "base/suite.h"

#include <string.h>

const char shim_engine[] = "copy";

struct shim_types {
  struct coll_shape shape;
};

static int allocated; /* buffers from shim_alloc */
static bool deaf;     /* the engine brings nothing */

int shim_rank(void)
{
  return 0;
}

int shim_size(void)
{
  return 1;
}

int shim_types_create(const struct coll_shape *shape, struct shim_types **types)
{
  *types = malloc(sizeof **types);
  if (!*types) return 1;
  (*types)->shape = *shape;
  return 0;
}

void shim_types_free(struct shim_types *types)
{
  free(types);
}

void *shim_alloc(size_t bytes)
{
  allocated++;
  return malloc(bytes);
}

void shim_free(void *memory)
{
  allocated--;
  free(memory);
}

int shim_barrier(void)
{
  return 0;
}

int shim_bcast(double *block, const struct shim_types *types, int root)
{
  (void)block, (void)types;
  return root;
}

int shim_gather(const double *block, double *whole, const struct shim_types *types, int root)
{
  if (!deaf) memcpy(whole, block, (size_t)coll_shape_part(&types->shape) * sizeof *whole);
  return root;
}

int shim_scatter(const double *whole, double *block, const struct shim_types *types, int root)
{
  if (!deaf) memcpy(block, whole, (size_t)coll_shape_part(&types->shape) * sizeof *whole);
  return root;
}

static int brings(double *to, const double *from, const struct shim_types *types)
{
  if (!deaf) memcpy(to, from, (size_t)coll_shape_part(&types->shape) * sizeof *to);
  return 0;
}

int shim_allgather(const double *block, double *whole, const struct shim_types *types)
{
  return brings(whole, block, types);
}

int shim_alltoall(const double *whole, double *result, const struct shim_types *types)
{
  const struct coll_shape *s = &types->shape;
  if (!s->transpose) return brings(result, whole, types);
  for (long i = 0; i < s->rows * s->cols && !deaf; i++)
    result[i] = whole[i % s->rows * s->cols + i / s->rows];
  return 0;
}

int shim_reduce(const double *block, double *result, const struct shim_types *types, int root)
{
  return brings(result, block, types) + root;
}

int shim_allreduce(const double *block, double *result, const struct shim_types *types)
{
  return brings(result, block, types);
}

int shim_reduce_scatter(const double *whole, double *result, const struct shim_types *types)
{
  return brings(result, whole, types);
}

int shim_scan(const double *block, double *result, const struct shim_types *types)
{
  return brings(result, block, types);
}

int shim_exscan(const double *block, double *result, const struct shim_types *types)
{
  (void)block, (void)result, (void)types; /* one rank gets nothing */
  return 0;
}

static double *held_by(const struct coll_case *c)
{
  const enum coll_place to = coll_places_of[c->op].to;
  return to == COLL_BLOCK ? c->block : to == COLL_WHOLE ? c->whole : c->result;
}

static const struct coll_shape shape = {
    .matrix = true, .grid_rows = 1, .grid_cols = 1, .rows = 3, .cols = 17};

static void open_case(struct coll_case *c, enum coll_op op, int timing, int calls)
{
  ck_assert_int_eq(coll_case_open(c, op, (enum coll_timing)timing, &shape), 0);
  for (int i = 0; i < calls; i++)
    ck_assert_int_eq(coll_case_step(c), 0);
}

START_TEST(every_wrong_double_is_noticed)
{
  for (int op = COLL_BCAST; op < COLL_EXSCAN; op++)
    for (int timing = 0; timing < COLL_NTIMINGS; timing++) {
      struct coll_case c;
      open_case(&c, (enum coll_op)op, timing, 5);
      double *held = held_by(&c);
      for (long k = 0; k < coll_shape_part(&shape); k++) {
        double right = held[k];
        held[k] = right + 1;
        ck_assert(!coll_case_check(&c));
        held[k] = right;
      }
      ck_assert(coll_case_check(&c));
      coll_case_close(&c);
    }
}
END_TEST

START_TEST(the_right_data_is_accepted_after_any_call)
{
  for (int op = COLL_BARRIER; op < COLL_EXSCAN; op++)
    for (int timing = 0; timing < COLL_NTIMINGS; timing++)
      for (int calls = 1; calls < 4; calls++) {
        struct coll_case c;
        open_case(&c, (enum coll_op)op, timing, calls);
        ck_assert(coll_case_check(&c));
        coll_case_close(&c);
      }
}
END_TEST

START_TEST(a_last_call_that_brings_nothing_is_noticed)
{
  for (int op = COLL_GATHER; op < COLL_EXSCAN; op++)
    for (int timing = 0; timing < COLL_NTIMINGS; timing++) {
      struct coll_case c;
      open_case(&c, (enum coll_op)op, timing, 4);
      deaf = true;
      ck_assert_int_eq(coll_case_step(&c), 0);
      deaf = false;
      ck_assert(!coll_case_check(&c));
      coll_case_close(&c);
    }
}
END_TEST

START_TEST(the_librarys_buffers_are_taken_where_they_are_asked_for)
{
  struct coll_shape slab = coll_shape_slab(1, 9);
  for (int library = 0; library < 2; library++) {
    struct coll_case c;
    slab.library = library;
    ck_assert_int_eq(coll_case_open(&c, COLL_ALLTOALL, COLL_BACK_TO_BACK, &slab), 0);
    ck_assert_int_eq(allocated, library ? 2 : 0);
    coll_case_close(&c);
    ck_assert_int_eq(allocated, 0);
  }
}
END_TEST

START_TEST(a_transpose_that_does_not_turn_is_noticed)
{
  struct coll_shape slab = coll_shape_slab(1, 9);
  struct coll_case c;
  ck_assert_int_eq(coll_case_open(&c, COLL_ALLTOALL, COLL_REWRITTEN, &slab), 0);
  ck_assert_int_eq(coll_case_step(&c), 0);
  ck_assert(coll_case_check(&c));
  memcpy(c.result, c.whole, 81 * sizeof *c.whole);
  ck_assert(!coll_case_check(&c));
  coll_case_close(&c);
}
END_TEST

START_TEST(blocks_of_a_slab_arrive_one_below_the_other)
{
  const struct coll_shape slab = coll_shape_regrouped(8, 2, 48);
  const struct coll_shape arrived = coll_shape_arrived(&slab);
  ck_assert_int_eq(coll_shape_nparts(&slab), 4);
  ck_assert_int_eq(slab.rows, 6);
  ck_assert_int_eq(slab.cols, 12);
  ck_assert_int_eq(coll_shape_first(&slab, 3), 36);
  ck_assert_int_eq(coll_shape_stride(&slab), 48);
  ck_assert_int_eq(coll_shape_first(&arrived, 3), 3 * 72);
  ck_assert_int_eq(coll_shape_stride(&arrived), 12);
  ck_assert_int_eq(coll_shape_whole(&arrived), coll_shape_whole(&slab));
}
END_TEST

START_TEST(blocks_of_a_grid_tile_the_whole)
{
  const struct coll_shape grid = {
      .matrix = true, .grid_rows = 3, .grid_cols = 2, .rows = 2, .cols = 5};
  int owners[60] = {0};
  ck_assert_int_eq(coll_shape_whole(&grid), 60);
  for (long part = 0; part < coll_shape_nparts(&grid); part++)
    for (long row = 0; row < grid.rows; row++)
      for (long col = 0; col < grid.cols; col++)
        owners[coll_shape_first(&grid, part) + row * coll_shape_stride(&grid) + col]++;
  for (int i = 0; i < 60; i++)
    ck_assert_int_eq(owners[i], 1);
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_case", the_right_data_is_accepted_after_any_call,
                   every_wrong_double_is_noticed, a_last_call_that_brings_nothing_is_noticed,
                   a_transpose_that_does_not_turn_is_noticed,
                   the_librarys_buffers_are_taken_where_they_are_asked_for,
                   blocks_of_a_slab_arrive_one_below_the_other, blocks_of_a_grid_tile_the_whole);
}
