/* This file tests every set of transpositions that this processor can run, and
 * the packing of columns in ranges, against unit by unit copies. */
#include "pack/kernels/transpose.h"

#include <mpj/mpj.h>

#include <string.h>

#include "base/machine/cpu.h"
#include "base/suite.h"
#include "pack/guarded.h"

enum { MOST = 19, GAP = 24, UNITS_MOST = 16 };

static const struct mpj_transposes *const sets[] = {&mpj_transposes_plain,
#if defined(__x86_64__)
                                                    &mpj_transposes_avx2, &mpj_transposes_avx512
#endif
};

static mpj_transpose_fn *of_unit(const struct mpj_transposes *set, MPJ_Count unit)
{
  return unit == 4 ? set->of_4 : unit == 8 ? set->of_8 : set->of_16;
}

static void fill(char *at, size_t bytes, unsigned seed)
{
  for (size_t i = 0; i < bytes; i++)
    at[i] = (char)(i * 7 + i / 251 + seed);
}

/* Bytes of n rows of `row` bytes, `stride` apart. */
static size_t span(MPJ_Count n, MPJ_Aint stride, MPJ_Count row)
{
  return (size_t)((n - 1) * stride + row);
}

/* Guard pages at the end of both sides; gaps must keep what is in them. */
static void check(mpj_transpose_fn *transpose, MPJ_Count unit, MPJ_Count rows, MPJ_Count cols,
                  MPJ_Aint gap, int at_start)
{
  MPJ_Aint from_stride = cols * unit + gap, to_stride = rows * unit + gap;
  size_t from_bytes = span(rows, from_stride, cols * unit);
  size_t to_bytes = span(cols, to_stride, rows * unit);
  struct guarded from = guarded_make(from_bytes, at_start), to = guarded_make(to_bytes, at_start);
  char *expected = malloc(to_bytes);
  ck_assert_ptr_nonnull(expected);
  fill(from.at, from_bytes, (unsigned)rows);
  fill(to.at, to_bytes, (unsigned)cols + 100);
  memcpy(expected, to.at, to_bytes);
  for (MPJ_Count r = 0; r < rows; r++)
    for (MPJ_Count c = 0; c < cols; c++)
      memcpy(expected + c * to_stride + r * unit, from.at + r * from_stride + c * unit,
             (size_t)unit);
  transpose(to.at, to_stride, from.at, from_stride, rows, cols, at_start);
  ck_assert(memcmp(to.at, expected, to_bytes) == 0);
  free(expected);
  guarded_free(&to);
  guarded_free(&from);
}

START_TEST(every_set_transposes_every_shape)
{
  for (int level = 0; level <= (int)mpj_cpu_best(); level++)
    for (MPJ_Count unit = 4; unit <= UNITS_MOST; unit *= 2)
      for (MPJ_Count rows = 1; rows <= MOST; rows++)
        for (MPJ_Count cols = 1; cols <= MOST; cols++) {
          check(of_unit(sets[level], unit), unit, rows, cols, 0, 0);
          check(of_unit(sets[level], unit), unit, rows, cols, GAP, 1);
        }
}
END_TEST

START_TEST(shapes_beyond_a_tile_are_whole)
{
  for (int level = 0; level <= (int)mpj_cpu_best(); level++)
    for (MPJ_Count unit = 4; unit <= UNITS_MOST; unit *= 2) {
      mpj_transpose_fn *f = of_unit(sets[level], unit);
      check(f, unit, 300, 131, 40, 0);
      check(f, unit, 150, 1100, 24, 0);
      check(f, unit, 128, 256, 64, 1); /* every row of the result aligned: streamed */
      check(f, unit, 3000, 5, 4096, 0);
      check(f, unit, 6, 3000, 4096, 1);
    }
}
END_TEST

START_TEST(other_units_have_none)
{
  ck_assert(mpj_transpose_of(1) == NULL);
  ck_assert(mpj_transpose_of(12) == NULL);
  ck_assert(mpj_transpose_of(8) != NULL);
}
END_TEST

/* n columns of `rows` blocks of `block` bytes; rows are `width` blocks apart, and
 * `upward` turns the order of the rows round. */
static MPJ_Datatype columns(MPJ_Count n, MPJ_Count rows, MPJ_Count block, MPJ_Count width,
                            int upward)
{
  MPJ_Datatype unit, column, resized, all;
  ck_assert_int_eq(MPJ_Type_contiguous(block, MPJ_BYTE, &unit), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_vector(rows, 1, upward ? -width : width, unit, &column), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_create_resized(column, 0, block, &resized), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_contiguous(n, resized, &all), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&all), MPJ_SUCCESS);
  MPJ_Type_free(&resized);
  MPJ_Type_free(&column);
  MPJ_Type_free(&unit);
  return all;
}

enum { COLUMNS = 7, ROWS = 19, WIDTH = 11 };

/* Whether piece[all] is stream within [from, to) and zero outside. */
static bool holds_only(const char *piece, const char *stream, MPJ_Count all, MPJ_Count from,
                       MPJ_Count to)
{
  for (MPJ_Count i = 0; i < all; i++)
    if (piece[i] != (from <= i && i < to ? stream[i] : 0)) return false;
  return true;
}

/* Every range of the stream, through the type against the stream made by hand. */
static void check_ranges(MPJ_Count block, int upward, MPJ_Count step)
{
  static char mem[ROWS * WIDTH * UNITS_MOST], back[sizeof mem];
  static char stream[COLUMNS * ROWS * UNITS_MOST], piece[sizeof stream];
  MPJ_Datatype type = columns(COLUMNS, ROWS, block, WIDTH, upward);
  MPJ_Count all = COLUMNS * ROWS * block;
  size_t base = upward ? (size_t)((ROWS - 1) * WIDTH * block) : 0;
  fill(mem, sizeof mem, 3);
  for (MPJ_Count c = 0; c < COLUMNS; c++)
    for (MPJ_Count r = 0; r < ROWS; r++)
      memcpy(stream + (c * ROWS + r) * block,
             mem + ((upward ? ROWS - 1 - r : r) * WIDTH + c) * block, (size_t)block);
  for (MPJ_Count from = 0; from < all; from += step)
    for (MPJ_Count to = from + step; to <= all; to += step) {
      memset(piece, 0, sizeof piece);
      ck_assert_int_eq(MPJ_Pack_range(mem + base, type, from, piece, to - from), MPJ_SUCCESS);
      ck_assert(memcmp(piece, stream + from, (size_t)(to - from)) == 0);
      memset(back, 0, sizeof back);
      ck_assert_int_eq(MPJ_Unpack_range(piece, to - from, back + base, type, from), MPJ_SUCCESS);
      memset(piece, 0, sizeof piece);
      ck_assert_int_eq(MPJ_Pack_range(back + base, type, 0, piece, all), MPJ_SUCCESS);
      ck_assert(holds_only(piece, stream, all, from, to));
    }
  MPJ_Type_free(&type);
}

START_TEST(columns_in_every_range_of_whole_blocks)
{
  check_ranges(4, 0, 4);
  check_ranges(8, 0, 8);
  check_ranges(16, 0, 16);
  check_ranges(8, 1, 8);
}
END_TEST

START_TEST(columns_in_ranges_that_break_blocks)
{
  check_ranges(8, 0, 7);
  check_ranges(16, 1, 19);
}
END_TEST

/* Rows that overlap may be packed, each copy of an element for itself. */
START_TEST(overlapping_columns_pack)
{
  enum { N = 12, HEIGHT = 9 };
  double mem[N + HEIGHT], packed[N * HEIGHT];
  MPJ_Datatype type = columns(N, HEIGHT, sizeof(double), 1, 0), narrow;
  MPJ_Count at = 0;
  for (int i = 0; i < N + HEIGHT; i++)
    mem[i] = i;
  ck_assert_int_eq(MPJ_Pack(mem, type, packed, sizeof packed, &at), MPJ_SUCCESS);
  for (int c = 0; c < N; c++)
    for (int r = 0; r < HEIGHT; r++)
      ck_assert_double_eq(packed[c * HEIGHT + r], c + r);
  MPJ_Type_free(&type);
  narrow = columns(N, HEIGHT, sizeof(double), 2, 0); /* rows 2 apart, 12 columns */
  double wide[2 * HEIGHT + N];
  for (int i = 0; i < 2 * HEIGHT + N; i++)
    wide[i] = i;
  at = 0;
  ck_assert_int_eq(MPJ_Pack(wide, narrow, packed, sizeof packed, &at), MPJ_SUCCESS);
  for (int c = 0; c < N; c++)
    for (int r = 0; r < HEIGHT; r++)
      ck_assert_double_eq(packed[c * HEIGHT + r], c + 2 * r);
  MPJ_Type_free(&narrow);
}
END_TEST

/* What lies on one place is written in the order of the stream: the last one stays. */
START_TEST(overlapping_columns_unpack_in_order)
{
  enum { N = 24, HEIGHT = 20, MOST_APART = 7, ELEMENTS = N + MOST_APART * HEIGHT };
  double packed[N * HEIGHT], mem[ELEMENTS], expected[ELEMENTS];
  for (int i = 0; i < N * HEIGHT; i++)
    packed[i] = i + 1;
  for (int apart = 1; apart <= MOST_APART; apart++) {
    MPJ_Datatype type = columns(N, HEIGHT, sizeof(double), apart, 0);
    MPJ_Count at = 0;
    memset(mem, 0, sizeof mem);
    memset(expected, 0, sizeof expected);
    for (int c = 0; c < N; c++)
      for (int r = 0; r < HEIGHT; r++)
        expected[c + r * apart] = packed[c * HEIGHT + r];
    ck_assert_int_eq(MPJ_Unpack(packed, sizeof packed, &at, mem, type), MPJ_SUCCESS);
    ck_assert_mem_eq(mem, expected, sizeof mem);
    MPJ_Type_free(&type);
  }
}
END_TEST

/* n rows of `length` blocks of `block` bytes, `stride` bytes apart. */
static MPJ_Datatype rows_of(MPJ_Count n, MPJ_Count length, MPJ_Count block, MPJ_Aint stride)
{
  MPJ_Datatype rows;
  ck_assert_int_eq(MPJ_Type_create_hvector(n, length * block, stride, MPJ_BYTE, &rows),
                   MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&rows), MPJ_SUCCESS);
  return rows;
}

/* Columns to padded rows and back again; padding keeps what is in it. */
static void check_copy(MPJ_Count block, int upward)
{
  enum { PADDED = ROWS * UNITS_MOST + 5 };
  static char mem[ROWS * WIDTH * UNITS_MOST], back[sizeof mem], rows[COLUMNS * PADDED];
  MPJ_Datatype columns_type = columns(COLUMNS, ROWS, block, WIDTH, upward);
  MPJ_Datatype rows_type = rows_of(COLUMNS, ROWS, block, PADDED);
  size_t base = upward ? (size_t)((ROWS - 1) * WIDTH * block) : 0;
  fill(mem, sizeof mem, 5);
  memset(rows, 0x5a, sizeof rows);
  memset(back, 0x5a, sizeof back);
  ck_assert_int_eq(MPJ_Copy(mem + base, columns_type, rows, rows_type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Copy(rows, rows_type, back + base, columns_type), MPJ_SUCCESS);
  bool same = true;
  for (MPJ_Count c = 0; c < COLUMNS; c++) {
    for (MPJ_Count r = 0; r < ROWS; r++) {
      MPJ_Count at = ((upward ? ROWS - 1 - r : r) * WIDTH + c) * block;
      same = same && !memcmp(rows + c * PADDED + r * block, mem + at, (size_t)block) &&
             !memcmp(back + at, mem + at, (size_t)block);
    }
    for (MPJ_Count i = ROWS * block; i < PADDED; i++)
      same = same && rows[c * PADDED + i] == 0x5a;
  }
  for (MPJ_Count r = 0; r < ROWS; r++)
    for (MPJ_Count i = COLUMNS * block; i < WIDTH * block; i++)
      same = same && back[r * WIDTH * block + i] == 0x5a;
  ck_assert(same);
  MPJ_Type_free(&rows_type);
  MPJ_Type_free(&columns_type);
}

START_TEST(columns_are_copied_to_rows_and_back)
{
  check_copy(4, 0);
  check_copy(8, 0);
  check_copy(16, 0);
  check_copy(8, 1);
  check_copy(12, 0); /* no transposition: another way */
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack_transpose", every_set_transposes_every_shape,
                   shapes_beyond_a_tile_are_whole, other_units_have_none,
                   columns_in_every_range_of_whole_blocks, columns_in_ranges_that_break_blocks,
                   overlapping_columns_pack, overlapping_columns_unpack_in_order,
                   columns_are_copied_to_rows_and_back);
}
