/* This file tests copying between a layout and rows that are told in two numbers, and
 * between columns and such rows, in pieces. */
#include <stdlib.h>
#include <string.h>

#include "base/suite.h"
#include "pack/fixture.h"
#include "types/basic.h"
#include "types/layout/layout_make.h"

/* Rows in memory of their own, which begins GAP bytes before the first. */
enum { GAP = 24, SPAN = 1 << 16 };
struct field {
  struct mpj_rows rows;
  char *memory;
};

static struct field field_make(MPJ_Count row, MPJ_Aint stride, struct mpj_random *rng)
{
  struct field f = {{row, stride}, malloc(SPAN)};
  ck_assert_ptr_nonnull(f.memory);
  for (int i = 0; i < SPAN; i++)
    f.memory[i] = (char)mpj_random_in(rng, 0, 255);
  return f;
}

static MPJ_Count place_of(const struct field *f, MPJ_Count i)
{
  return GAP + i / f->rows.row * f->rows.stride + i % f->rows.row;
}

/* Bytes [from, end) of the layout's stream to the rows; nothing else there may change. */
static void check_out(struct fixture *l, struct field *f, MPJ_Count from, MPJ_Count end)
{
  char *expected = malloc(SPAN);
  struct mpj_cursor c = fixture_begin(l);
  memcpy(expected, f->memory, SPAN);
  for (MPJ_Count i = from; i < end; i++)
    expected[place_of(f, i)] = *fixture_byte(l, i);
  mpj_cursor_seek(&c, from);
  mpj_cursor_to_rows(&c, f->memory + GAP, &f->rows, from, end - from);
  ck_assert_int_eq(c.offset, end);
  ck_assert(memcmp(expected, f->memory, SPAN) == 0);
  mpj_cursor_end(&c);
  free(expected);
}

/* The other way, into the layout. */
static void check_in(struct fixture *l, struct field *f, MPJ_Count from, MPJ_Count end)
{
  char *expected = malloc(l->extent + 1);
  struct mpj_cursor c = fixture_begin(l);
  memcpy(expected, l->memory.at, l->extent);
  for (MPJ_Count i = from; i < end; i++)
    expected[l->map.displs[i] - l->map.lb] = f->memory[place_of(f, i)];
  mpj_cursor_seek(&c, from);
  mpj_cursor_from_rows(&c, f->memory + GAP, &f->rows, from, end - from);
  ck_assert_int_eq(c.offset, end);
  ck_assert(memcmp(expected, l->memory.at, l->extent) == 0);
  mpj_cursor_end(&c);
  free(expected);
}

/* All of it, then whole rows from one row on, then pieces at random places. */
static void check_both(struct fixture *l, MPJ_Count row, MPJ_Aint stride, struct mpj_random *rng)
{
  const MPJ_Count bytes = mpj_view_bytes(&l->view);
  if (bytes == 0 || GAP + (bytes / row + 1) * stride > SPAN) return;
  struct field f = field_make(row, stride, rng);
  check_out(l, &f, 0, bytes);
  check_in(l, &f, 0, bytes);
  for (int i = 0; i < 6; i++) {
    MPJ_Count from = mpj_random_in(rng, 0, bytes - 1), end = mpj_random_in(rng, from, bytes);
    if (i % 2 == 0) from = from / row * row, end = end < from + row ? from : end / row * row;
    fixture_scramble(l, rng);
    check_out(l, &f, from, end);
    fixture_scramble(l, rng);
    check_in(l, &f, from, end);
  }
  free(f.memory);
}

START_TEST(rows_take_and_give_any_layout_in_any_pieces)
{
  struct mpj_random rng = {21};
  int checked = 0;
  for (int i = 0; i < 1000; i++) {
    struct fixture l;
    const MPJ_Count row = mpj_random_in(&rng, 1, 200);
    fixture_make(&l, random_view(&rng, 3000), &rng);
    if (!l.map.overlaps) {
      check_both(&l, row, row + mpj_random_in(&rng, 0, 64), &rng);
      checked++;
    }
    fixture_free(&l);
  }
  ck_assert_int_gt(checked, 500);
}
END_TEST

/* cols columns of `rows` doubles, the rows `width` doubles apart. */
static struct mpj_view columns(MPJ_Count cols, MPJ_Count rows, MPJ_Count width)
{
  struct mpj_piece column;
  ck_assert_int_eq(mpj_layout_loop(rows, width * 8, run_of(MPJ_DOUBLE, 1), &column), MPJ_SUCCESS);
  return (struct mpj_view){column.layout, cols, 8, column.displ};
}

START_TEST(columns_become_rows_and_back_in_any_pieces)
{
  static const MPJ_Count shapes[][2] = {{2, 2}, {3, 50}, {50, 3}, {8, 8}, {17, 40}, {40, 17}};
  struct mpj_random rng = {22};
  for (int i = 0; i < 6; i++)
    for (MPJ_Aint gap = 0; gap <= 64; gap += 8) {
      struct fixture l;
      const MPJ_Count cols = shapes[i][0], rows = shapes[i][1];
      fixture_make(&l, columns(cols, rows, cols + gap / 16), &rng);
      check_both(&l, rows * 8, rows * 8 + gap, &rng);
      check_both(&l, rows * 16, rows * 16 + gap, &rng);
      check_both(&l, cols * 8, cols * 8 + gap, &rng);
      fixture_free(&l);
    }
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/copy_rows", rows_take_and_give_any_layout_in_any_pieces,
                   columns_become_rows_and_back_in_any_pieces);
}
