/* This file tests the public packing calls. */
#include <mpj/mpj.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "pack/run/cursor.h"
#include "types/type.h"

static MPJ_Datatype committed(MPJ_Datatype type)
{
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  return type;
}

/* Every second of n ints. */
static MPJ_Datatype every_second(MPJ_Count n)
{
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_vector(n, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  return committed(type);
}

static MPJ_Datatype adjoining(MPJ_Count n, MPJ_Datatype element)
{
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_contiguous(n, element, &type), MPJ_SUCCESS);
  return committed(type);
}

static void check_detail(const char *word)
{
  ck_assert_msg(strstr(MPJ_Error_detail(), word) != NULL, "\"%s\" has no \"%s\"",
                MPJ_Error_detail(), word);
}

START_TEST(pack_appends_and_advances_position)
{
  const int data[6] = {1, 2, 3, 4, 5, 6};
  int packed[8] = {0};
  MPJ_Datatype type = every_second(3);
  MPJ_Count position = 4;
  ck_assert_int_eq(MPJ_Pack(data, type, packed, sizeof packed, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, 16);
  ck_assert_int_eq(MPJ_Pack(data + 1, type, packed, sizeof packed, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, 28);
  const int expected[8] = {0, 1, 3, 5, 2, 4, 6, 0};
  ck_assert(memcmp(packed, expected, sizeof packed) == 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(unpack_reads_from_position_on)
{
  const int packed[5] = {7, 1, 2, 3, 8};
  int data[6] = {-1, -2, -3, -4, -5, -6};
  MPJ_Datatype type = every_second(3);
  MPJ_Count position = 4;
  ck_assert_int_eq(MPJ_Unpack(packed, sizeof packed, &position, data, type), MPJ_SUCCESS);
  ck_assert_int_eq(position, 16);
  const int expected[6] = {1, -2, 2, -4, 3, -6};
  ck_assert(memcmp(data, expected, sizeof data) == 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(pack_without_room_writes_nothing)
{
  const int data[6] = {1, 2, 3, 4, 5, 6};
  int packed[3] = {0};
  MPJ_Datatype type = every_second(3);
  MPJ_Count position = 1;
  ck_assert_int_eq(MPJ_Pack(data, type, packed, sizeof packed, &position), MPJ_ERR_TRUNCATE);
  check_detail("11");
  check_detail("12");
  ck_assert_int_eq(position, 1);
  ck_assert(packed[0] == 0 && packed[1] == 0 && packed[2] == 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(unpack_of_too_little_touches_nothing)
{
  const int packed[3] = {1, 2, 3};
  int data[6] = {0};
  MPJ_Datatype type = every_second(3);
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Unpack(packed, 11, &position, data, type), MPJ_ERR_TRUNCATE);
  ck_assert_int_eq(position, 0);
  ck_assert(data[0] == 0 && data[2] == 0 && data[4] == 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(ranges_may_cut_elements)
{
  const int data[6] = {0x01020304, 0, 0x05060708, 0, 0x090a0b0c, 0};
  int whole[3], back[6] = {0};
  char piece[12];
  MPJ_Datatype type = every_second(3);
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Pack(data, type, whole, 12, &position), MPJ_SUCCESS);
  for (MPJ_Count offset = 0; offset <= 12; offset++) {
    for (MPJ_Count bytes = 0; bytes <= 12 - offset; bytes++) {
      ck_assert_int_eq(MPJ_Pack_range(data, type, offset, piece, bytes), MPJ_SUCCESS);
      ck_assert(memcmp(piece, (char *)whole + offset, (size_t)bytes) == 0);
    }
    memset(back, 0, sizeof back);
    ck_assert_int_eq(MPJ_Unpack_range(whole, offset, back, type, 0), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Unpack_range((char *)whole + offset, 12 - offset, back, type, offset),
                     MPJ_SUCCESS);
    ck_assert(memcmp(back, data, sizeof back) == 0);
  }
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(ranges_outside_the_type_are_refused)
{
  const int data[6] = {0};
  char piece[16];
  MPJ_Datatype type = every_second(3);
  const MPJ_Count bad[][2] = {{-1, 4}, {0, 13},        {12, 1},       {13, 0},
                              {0, -1}, {4, INT64_MAX}, {INT64_MAX, 1}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    ck_assert_int_eq(MPJ_Pack_range(data, type, bad[i][0], piece, bad[i][1]), MPJ_ERR_ARG);
    ck_assert_int_eq(MPJ_Unpack_range(piece, bad[i][1], (void *)data, type, bad[i][0]),
                     MPJ_ERR_ARG);
  }
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(positions_outside_the_buffer_are_refused)
{
  int data[2] = {0}, packed[2];
  MPJ_Count position = -1;
  ck_assert_int_eq(MPJ_Pack(data, MPJ_INT, packed, 8, &position), MPJ_ERR_ARG);
  check_detail("-1");
  position = 9;
  ck_assert_int_eq(MPJ_Unpack(packed, 8, &position, data, MPJ_INT), MPJ_ERR_ARG);
  check_detail("9");
  position = 0;
  ck_assert_int_eq(MPJ_Pack(data, MPJ_INT, packed, -8, &position), MPJ_ERR_ARG);
  check_detail("-8");
  ck_assert_int_eq(MPJ_Pack(data, MPJ_INT, packed, 8, NULL), MPJ_ERR_ARG);
  check_detail("position");
  ck_assert_int_eq(MPJ_Pack(data, MPJ_INT, NULL, 8, &position), MPJ_ERR_ARG);
  check_detail("packed");
}
END_TEST

START_TEST(types_must_be_live_and_committed)
{
  int data[4] = {0}, packed[4];
  MPJ_Count position = 0;
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Pack(data, MPJ_DATATYPE_NULL, packed, 16, &position), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Type_contiguous(2, MPJ_INT, &type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Pack(data, type, packed, 16, &position), MPJ_ERR_TYPE);
  check_detail("type");
  ck_assert_int_eq(MPJ_Copy(data, type, packed, type), MPJ_ERR_TYPE);
  check_detail("srctype");
  MPJ_Datatype stale = committed(type);
  ck_assert_int_eq(MPJ_Type_free(&type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Unpack(packed, 16, &position, data, stale), MPJ_ERR_TYPE);
}
END_TEST

START_TEST(a_null_buffer_is_refused_unless_displacements_are_absolute)
{
  int data = 5, packed = 0;
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Pack(NULL, MPJ_INT, &packed, 4, &position), MPJ_ERR_ARG);
  check_detail("buf");
  const MPJ_Count one = 1;
  const MPJ_Aint address = (MPJ_Aint)(uintptr_t)&data;
  MPJ_Datatype type;
  ck_assert_int_eq(MPJ_Type_create_hindexed(1, &one, &address, MPJ_INT, &type), MPJ_SUCCESS);
  type = committed(type);
  ck_assert_int_eq(MPJ_Pack(MPJ_BOTTOM, type, &packed, 4, &position), MPJ_SUCCESS);
  ck_assert_int_eq(packed, 5);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(empty_types_need_no_buffers)
{
  MPJ_Datatype type = adjoining(0, MPJ_DOUBLE);
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Pack(NULL, type, NULL, 0, &position), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Unpack(NULL, 0, &position, NULL, type), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Pack_range(NULL, type, 0, NULL, 0), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Unpack_range(NULL, 0, NULL, type, 0), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Copy(NULL, type, NULL, type), MPJ_SUCCESS);
  ck_assert_int_eq(position, 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(copy_goes_between_layouts_of_one_signature)
{
  int src[6] = {1, 2, 3, 4, 5, 6}, dst[3] = {0};
  MPJ_Datatype spread = every_second(3), dense = adjoining(3, MPJ_INT32);
  ck_assert_int_eq(MPJ_Copy(src, spread, dst, dense), MPJ_SUCCESS);
  ck_assert(dst[0] == 1 && dst[1] == 3 && dst[2] == 5);
  dst[1] = 30;
  ck_assert_int_eq(MPJ_Copy(dst, dense, src + 1, spread), MPJ_SUCCESS);
  ck_assert(src[1] == 1 && src[3] == 30 && src[5] == 5 && src[0] == 1 && src[2] == 3);
  MPJ_Type_free(&spread);
  MPJ_Type_free(&dense);
}
END_TEST

START_TEST(copy_between_signatures_is_refused)
{
  int src[6] = {1, 2, 3, 4, 5, 6}, dst[4] = {0};
  MPJ_Datatype ints = every_second(3), floats = adjoining(3, MPJ_FLOAT),
               more = adjoining(4, MPJ_INT);
  ck_assert_int_eq(MPJ_Copy(src, ints, dst, floats), MPJ_ERR_SIGNATURE);
  check_detail("3 int; dsttype describes 3 float: they differ at element 0");
  ck_assert_int_eq(MPJ_Copy(src, ints, dst, more), MPJ_ERR_SIGNATURE);
  check_detail("4 int: they differ at element 3");
  ck_assert(dst[0] == 0 && dst[1] == 0 && dst[2] == 0 && dst[3] == 0);
  MPJ_Type_free(&ints);
  MPJ_Type_free(&floats);
  MPJ_Type_free(&more);
}
END_TEST

START_TEST(parts_packed_in_order_are_the_whole)
{
  enum { ROWS = 100, COLUMNS = 77, PARTS = 16 };
  static float matrix[ROWS][COLUMNS], whole[ROWS * COLUMNS], parts[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; i++)
    (&matrix[0][0])[i] = (float)i;
  const MPJ_Count sizes[2] = {ROWS, COLUMNS}, dargs[2] = {MPJ_DISTRIBUTE_DFLT_DARG, 3};
  const int distribs[2] = {MPJ_DISTRIBUTE_BLOCK, MPJ_DISTRIBUTE_CYCLIC}, grid[2] = {4, 4};
  MPJ_Datatype type;
  ck_assert_int_eq(
      MPJ_Type_create_distribution(2, sizes, distribs, dargs, grid, MPJ_ORDER_C, MPJ_FLOAT, &type),
      MPJ_SUCCESS);
  type = committed(type);
  MPJ_Count position = 0, at = 0;
  ck_assert_int_eq(MPJ_Pack(matrix, type, whole, sizeof whole, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, sizeof whole);
  for (MPJ_Count i = 0; i < PARTS; i++) {
    MPJ_Aint displ;
    MPJ_Datatype part;
    ck_assert_int_eq(MPJ_Type_part(type, i, &displ, &part), MPJ_SUCCESS);
    ck_assert_int_eq(MPJ_Pack((char *)matrix + displ, part, parts, sizeof parts, &at), MPJ_SUCCESS);
    MPJ_Type_free(&part);
  }
  ck_assert_int_eq(at, sizeof parts);
  ck_assert(memcmp(whole, parts, sizeof whole) == 0);
  memset(matrix, 0, sizeof matrix);
  position = 0;
  ck_assert_int_eq(MPJ_Unpack(whole, sizeof whole, &position, matrix, type), MPJ_SUCCESS);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    ck_assert((&matrix[0][0])[i] == (float)i);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(commit_of_a_committed_or_basic_type_changes_nothing)
{
  MPJ_Datatype type = MPJ_DOUBLE;
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  ck_assert(type == MPJ_DOUBLE);
  type = every_second(3);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  MPJ_Type_free(&type);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_ERR_TYPE);
  ck_assert_int_eq(MPJ_Type_commit(NULL), MPJ_ERR_ARG);
}
END_TEST

START_TEST(commit_without_memory_leaves_the_type_uncommitted)
{
  MPJ_Datatype type;
  int data[20] = {0}, packed[10];
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Type_vector(10, 1, 2, MPJ_INT, &type), MPJ_SUCCESS);
  mpj_memory_fail_after(0);
  int status = MPJ_Type_commit(&type);
  mpj_memory_fail_after(-1);
  ck_assert_int_eq(status, MPJ_ERR_NO_MEM);
  ck_assert_int_eq(MPJ_Pack(data, type, packed, 40, &position), MPJ_ERR_TYPE);
  type = committed(type);
  ck_assert_int_eq(MPJ_Pack(data, type, packed, 40, &position), MPJ_SUCCESS);
  MPJ_Type_free(&type);
}
END_TEST

/* A box of more bytes than caches keep: each of its planes is fewer. It comes from a stream, in
 * one stretch or in two, and from a box of its own shape; what lies around it stays. It is packed
 * and combined, too. */
START_TEST(a_box_beyond_the_caches_is_moved_exactly)
{
  enum { PLANES = 70, ROWS = 120, ROW = 255, WIDE = ROW + 3, HIGH = ROWS + 2, DEEP = PLANES + 1 };
  const MPJ_Count sizes[] = {DEEP, HIGH, WIDE}, subsizes[] = {PLANES, ROWS, ROW};
  const MPJ_Count starts[] = {1, 2, 1}, n = (MPJ_Count)PLANES * ROWS * ROW, cut = n * 8 - 12345;
  const size_t all = (size_t)DEEP * HIGH * WIDE;
  int64_t *dense = malloc((size_t)n * 8), *box = malloc(all * 8), *other = malloc(all * 8);
  MPJ_Datatype inside, stream = adjoining(n, MPJ_INT64);
  MPJ_Type_create_subarray(3, sizes, subsizes, starts, MPJ_ORDER_C, MPJ_INT64, &inside);
  inside = committed(inside);
  ck_assert(dense && box && other);
  for (MPJ_Count i = 0; i < n; i++)
    dense[i] = i * 0x10001;
  for (int way = 0; way < 3; way++) {
    MPJ_Count wrong = 0, next = 0;
    memset(box, 'g', all * 8);
    memset(other, 'g', all * 8);
    ck_assert_int_eq(MPJ_Copy(dense, stream, other, inside), MPJ_SUCCESS);
    if (way == 0) ck_assert_int_eq(MPJ_Copy(dense, stream, box, inside), MPJ_SUCCESS);
    if (way == 1) ck_assert_int_eq(MPJ_Copy(other, inside, box, inside), MPJ_SUCCESS);
    if (way == 2) {
      const char *rest = (const char *)dense + cut;
      ck_assert_int_eq(MPJ_Unpack_range(dense, cut, box, inside, 0), MPJ_SUCCESS);
      ck_assert_int_eq(MPJ_Unpack_range(rest, n * 8 - cut, box, inside, cut), MPJ_SUCCESS);
    }
    for (size_t i = 0; i < all; i++) {
      const size_t x = i % WIDE, y = i / WIDE % HIGH, z = i / WIDE / HIGH;
      const bool in = z >= 1 && y >= 2 && x >= 1 && x < ROW + 1;
      wrong += box[i] != (in ? dense[next] : 0x6767676767676767);
      next += in;
    }
    ck_assert_msg(wrong == 0 && next == n, "way %d: %lld wrong", way, (long long)wrong);
  }
  const struct mpj_view view = mpj_type_view(inside);
  struct mpj_cursor c;
  MPJ_Count doubled = 0;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, box), MPJ_SUCCESS);
  ck_assert_int_eq(mpj_cursor_reduce(&c, dense, n * 8, MPJ_REDUCE_SUM), MPJ_SUCCESS);
  mpj_cursor_end(&c);
  ck_assert_int_eq(MPJ_Copy(box, inside, other, stream), MPJ_SUCCESS);
  for (MPJ_Count i = 0; i < n; i++)
    doubled += other[i] == 2 * dense[i];
  ck_assert_int_eq(doubled, n);
  free(dense);
  free(box);
  free(other);
  MPJ_Type_free(&inside);
  MPJ_Type_free(&stream);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "pack/public", pack_appends_and_advances_position, unpack_reads_from_position_on,
      pack_without_room_writes_nothing, unpack_of_too_little_touches_nothing,
      ranges_may_cut_elements, ranges_outside_the_type_are_refused,
      positions_outside_the_buffer_are_refused, types_must_be_live_and_committed,
      a_null_buffer_is_refused_unless_displacements_are_absolute, empty_types_need_no_buffers,
      copy_goes_between_layouts_of_one_signature, copy_between_signatures_is_refused,
      parts_packed_in_order_are_the_whole, commit_of_a_committed_or_basic_type_changes_nothing,
      commit_without_memory_leaves_the_type_uncommitted, a_box_beyond_the_caches_is_moved_exactly);
}
