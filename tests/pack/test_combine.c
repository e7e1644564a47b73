/* This file tests combining a packed stream into a layout. */
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/fixture.h"
#include "pack/run/address.h"
#include "types/basic.h"

/* The operation of these tests, on the bytes of one element: sensitive to the
 * order of its operands, to the basic type, and to the byte's place. */
static void combine_element(const char *in, char *inout, int basic)
{
  for (int b = 0; b < mpj_basics[basic].size; b++)
    inout[b] = (char)(3 * in[b] + inout[b] + basic + b);
}

struct calls {
  MPJ_Count elements;
  long calls;
};

static void combine_all(void *ctx, const void *in, void *inout, MPJ_Count n, int basic)
{
  struct calls *calls = ctx;
  uintptr_t alignment = (uintptr_t)mpj_basics[basic].alignment;
  ck_assert(((uintptr_t)in | (uintptr_t)inout) % alignment == 0 && n >= 1);
  MPJ_Count size = mpj_basics[basic].size;
  for (MPJ_Count i = 0; i < n; i++)
    combine_element((const char *)in + i * size, (char *)inout + i * size, basic);
  calls->elements += n;
  calls->calls++;
}

/* What memory must be after combining [offset, offset + bytes): the elements in
 * stream order, each seeing those before. */
static void expect(const struct fixture *f, MPJ_Count offset, MPJ_Count bytes, const char *packed,
                   char *memory)
{
  for (MPJ_Count i = 0; i < bytes; i++)
    if (f->map.begins[offset + i])
      combine_element(packed + i, memory + (f->map.displs[offset + i] - f->map.lb),
                      f->map.basics[offset + i]);
}

static MPJ_Count count_elements(const struct byte_map *map, MPJ_Count offset, MPJ_Count bytes)
{
  MPJ_Count n = 0;
  for (MPJ_Count i = 0; i < bytes; i++)
    n += map->begins[offset + i] != 0;
  return n;
}

static void check_combine(struct fixture *f, struct mpj_cursor *c, MPJ_Count bytes,
                          struct mpj_random *rng)
{
  struct guarded packed = guarded_make((size_t)bytes, (int)mpj_random_in(rng, 0, 1));
  fill_randomly(rng, packed.at, (size_t)bytes);
  char *expected = malloc(f->extent + 1);
  memcpy(expected, f->memory.at, f->extent);
  expect(f, c->offset, bytes, packed.at, expected);
  struct calls calls = {0, 0};
  MPJ_Count offset = c->offset;
  ck_assert_int_eq(mpj_cursor_combine(c, packed.at, bytes, combine_all, &calls), MPJ_SUCCESS);
  ck_assert_int_eq(c->offset, offset + bytes);
  ck_assert_int_eq(calls.elements, count_elements(&f->map, offset, bytes));
  ck_assert(memcmp(f->memory.at, expected, f->extent) == 0);
  free(expected);
  guarded_free(&packed);
}

/* The first element boundary at or after byte i. */
static MPJ_Count boundary(const struct byte_map *map, MPJ_Count i)
{
  while (i < map->bytes && !map->begins[i])
    i++;
  return i;
}

START_TEST(combine_reaches_every_element_once_and_nothing_else)
{
  struct mpj_random rng = {31};
  for (int i = 0; i < 2000; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 4000), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    if (!f.map.overlaps) check_combine(&f, &c, f.map.bytes, &rng);
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(combine_goes_in_pieces_between_elements)
{
  struct mpj_random rng = {32};
  for (int i = 0; i < 500; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 4000), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    for (int j = 0; j < 8 && !f.map.overlaps; j++) {
      mpj_cursor_seek(&c, boundary(&f.map, mpj_random_in(&rng, 0, f.map.bytes)));
      MPJ_Count end = boundary(&f.map, mpj_random_in(&rng, c.offset, f.map.bytes));
      check_combine(&f, &c, end - c.offset, &rng);
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(combine_refuses_to_split_an_element)
{
  struct mpj_random rng = {33};
  int refused = 0;
  for (int i = 0; i < 300; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 300), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    for (MPJ_Count split = 1; split < f.map.bytes; split++) {
      if (f.map.begins[split]) continue;
      struct calls calls = {0, 0};
      char packed[1] = {0};
      mpj_cursor_seek(&c, split);
      ck_assert_int_eq(mpj_cursor_combine(&c, packed, 1, combine_all, &calls), MPJ_ERR_ARG);
      mpj_cursor_seek(&c, 0);
      ck_assert_int_eq(mpj_cursor_combine(&c, packed, split, combine_all, &calls), MPJ_ERR_ARG);
      ck_assert_int_eq(calls.calls, 0);
      ck_assert_int_eq(c.offset, 0);
      refused++;
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
  ck_assert_int_gt(refused, 1000);
}
END_TEST

static void add_doubles(void *ctx, const void *in, void *inout, MPJ_Count n, int basic)
{
  ck_assert_int_eq(basic, mpj_basic_of_handle(MPJ_DOUBLE));
  const double *a = in;
  double *b = inout;
  for (MPJ_Count i = 0; i < n; i++)
    b[i] += a[i];
  ++*(long *)ctx;
}

START_TEST(a_column_is_summed_in_batches)
{
  enum { ROWS = 3000 };
  static double matrix[ROWS][3], packed[ROWS];
  for (int i = 0; i < ROWS; i++) {
    matrix[i][0] = matrix[i][2] = -1;
    matrix[i][1] = i;
    packed[i] = 2 * i;
  }
  struct mpj_piece element = run_of(MPJ_DOUBLE, 1);
  struct mpj_view view = {element.layout, ROWS, sizeof matrix[0], 8};
  struct mpj_cursor c;
  long calls = 0;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, matrix), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_combine(&c, packed, c.bytes, add_doubles, &calls), MPJ_SUCCESS);
  mpj_cursor_end(&c);
  for (int i = 0; i < ROWS; i++) {
    ck_assert(matrix[i][1] == 3 * i);
    ck_assert(matrix[i][0] == -1 && matrix[i][2] == -1);
  }
  ck_assert_int_lt(calls, ROWS / 100);
  mpj_layout_release(element.layout);
}
END_TEST

START_TEST(aligned_dense_data_is_combined_in_place)
{
  enum { N = 10000 };
  static double data[N], packed[N];
  struct mpj_piece run = run_of(MPJ_DOUBLE, N);
  struct mpj_view view = view_of(run);
  struct mpj_cursor c;
  long calls = 0;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, data), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_combine(&c, packed, c.bytes, add_doubles, &calls), MPJ_SUCCESS);
  ck_assert_int_eq(calls, 1);
  mpj_cursor_end(&c);
  mpj_layout_release(run.layout);
}
END_TEST

START_TEST(copies_on_one_place_accumulate)
{
  struct mpj_piece run = run_of(MPJ_DOUBLE, 1);
  struct mpj_view view = {run.layout, 5, 0, 0};
  double place = 1, packed[5] = {1, 2, 3, 4, 5};
  struct mpj_cursor c;
  long calls = 0;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, &place), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_combine(&c, packed, c.bytes, add_doubles, &calls), MPJ_SUCCESS);
  mpj_cursor_end(&c);
  ck_assert(place == 16);
  mpj_layout_release(run.layout);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/combine", combine_reaches_every_element_once_and_nothing_else,
                   combine_goes_in_pieces_between_elements, combine_refuses_to_split_an_element,
                   a_column_is_summed_in_batches, aligned_dense_data_is_combined_in_place,
                   copies_on_one_place_accumulate);
}
