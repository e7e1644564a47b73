/* This file tests packing and unpacking through cursors. */
#include "pack/run/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/share.h"
#include "base/suite.h"
#include "pack/fixture.h"
#include "pack/run/address.h"
#include "types/basic.h"
#include "types/layout/layout_make.h"

enum { MOST = 6000 };

static long rounds; /* of what is random */

/* Pack [offset, offset + bytes) into a buffer between guard pages. */
static void check_pack(const struct fixture *f, struct mpj_cursor *c, MPJ_Count bytes, int at_start)
{
  struct guarded packed = guarded_make((size_t)bytes, at_start);
  char *expected = malloc((size_t)bytes + 1);
  fixture_expect(f, c->offset, bytes, expected);
  MPJ_Count end = c->offset + bytes;
  mpj_cursor_pack(c, packed.at, bytes);
  ck_assert_int_eq(c->offset, end);
  ck_assert(memcmp(packed.at, expected, (size_t)bytes) == 0);
  free(expected);
  guarded_free(&packed);
}

/* Unpack random bytes over [offset, offset + bytes): all other memory stays. */
static void check_unpack(struct fixture *f, struct mpj_cursor *c, MPJ_Count bytes,
                         struct mpj_random *rng)
{
  struct guarded packed = guarded_make((size_t)bytes, (int)mpj_random_in(rng, 0, 1));
  char *expected = malloc(f->extent + 1);
  memcpy(expected, f->memory.at, f->extent);
  fill_randomly(rng, packed.at, (size_t)bytes);
  for (MPJ_Count i = 0; i < bytes; i++)
    expected[f->map.displs[c->offset + i] - f->map.lb] = packed.at[i];

  mpj_cursor_unpack(c, packed.at, bytes);
  ck_assert(memcmp(f->memory.at, expected, f->extent) == 0);
  free(expected);
  guarded_free(&packed);
}

START_TEST(pack_of_the_whole_is_the_byte_map)
{
  struct mpj_random rng = {1};
  for (int i = 0; i < rounds; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, MOST), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    check_pack(&f, &c, f.map.bytes, i % 2);
    ck_assert_int_eq(mpj_cursor_remaining(&c), 0);
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(unpack_of_the_whole_writes_the_byte_map_alone)
{
  struct mpj_random rng = {2};
  int checked = 0;
  for (int i = 0; i < rounds; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, MOST), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    if (!f.map.overlaps) {
      check_unpack(&f, &c, f.map.bytes, &rng);
      checked++;
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
  ck_assert_int_gt(checked, rounds / 2);
}
END_TEST

START_TEST(pack_may_be_split_at_every_byte)
{
  struct mpj_random rng = {3};
  for (int i = 0; i < 400; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 120), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    for (MPJ_Count split = 0; f.map.bytes <= 300 && split <= f.map.bytes; split++) {
      mpj_cursor_seek(&c, 0);
      check_pack(&f, &c, split, i % 2);
      check_pack(&f, &c, f.map.bytes - split, i % 2);
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(unpack_may_be_split_at_every_byte)
{
  struct mpj_random rng = {4};
  for (int i = 0; i < 400; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 120), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    bool fit = f.map.bytes <= 300 && !f.map.overlaps;
    for (MPJ_Count split = 0; fit && split <= f.map.bytes; split++) {
      mpj_cursor_seek(&c, 0);
      check_unpack(&f, &c, split, &rng);
      check_unpack(&f, &c, f.map.bytes - split, &rng);
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(pieces_may_start_anywhere_and_have_any_size)
{
  struct mpj_random rng = {5};
  for (int i = 0; i < 600; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 4 * MOST), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    for (int j = 0; j < 20; j++) {
      if (mpj_random_in(&rng, 0, 2)) mpj_cursor_seek(&c, mpj_random_in(&rng, 0, f.map.bytes));
      MPJ_Count bytes = mpj_random_in(&rng, 0, mpj_cursor_remaining(&c));
      if (j % 2 && !f.map.overlaps)
        check_unpack(&f, &c, bytes, &rng);
      else
        check_pack(&f, &c, bytes, j % 3 == 0);
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(a_run_repeated_at_its_size_is_dense)
{
  struct mpj_piece run = run_of(MPJ_INT, 3);
  struct mpj_view view = {run.layout, 5, 12, 8};
  char memory[68], packed[60];
  for (int i = 0; i < 68; i++)
    memory[i] = (char)i;
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, memory), MPJ_SUCCESS);
  ck_assert_ptr_null(c.program);
  mpj_cursor_pack(&c, packed, 60);
  ck_assert(memcmp(packed, memory + 8, 60) == 0);
  mpj_cursor_end(&c);
  mpj_layout_release(run.layout);
}
END_TEST

START_TEST(a_record_without_gaps_repeated_at_its_size_is_dense)
{
  struct mpj_piece pieces[2] = {run_of(MPJ_INT, 1), run_of(MPJ_FLOAT, 1)}, record;
  pieces[1].displ = 4;
  ck_assert_int_eq(mpj_layout_seq(2, pieces, &record), MPJ_SUCCESS);
  struct mpj_view view = {record.layout, 7, 8, 0};
  struct mpj_cursor c;
  char memory[56];
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, memory), MPJ_SUCCESS);
  ck_assert_ptr_null(c.program);
  ck_assert_int_eq(c.bytes, 56);
  mpj_cursor_end(&c);
  mpj_layout_release(record.layout);
  mpj_layout_release(pieces[0].layout);
  mpj_layout_release(pieces[1].layout);
}
END_TEST

START_TEST(copies_that_continue_the_loop_make_it_longer)
{
  struct mpj_piece run = run_of(MPJ_INT, 1), loop;
  ck_assert_int_eq(mpj_layout_loop(5, 12, run, &loop), MPJ_SUCCESS);
  struct mpj_view views[2] = {{loop.layout, 3, 60, 0}, {loop.layout, 3, 61, 0}};
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_cursor_begin(&c, &views[0], NULL), MPJ_SUCCESS);
  ck_assert_int_eq(c.count, 15);
  ck_assert_int_eq(c.stride, 12);
  mpj_cursor_end(&c);
  ck_assert_int_eq(mpj_cursor_begin(&c, &views[1], NULL), MPJ_SUCCESS);
  ck_assert_int_eq(c.count, 3);
  ck_assert_int_eq(c.stride, 61);
  mpj_cursor_end(&c);
  mpj_layout_release(loop.layout);
  mpj_layout_release(run.layout);
}
END_TEST

START_TEST(empty_views_have_no_bytes)
{
  struct mpj_piece empty, run = run_of(MPJ_DOUBLE, 1);
  ck_assert_int_eq(mpj_layout_empty(&empty), MPJ_SUCCESS);
  const struct mpj_view views[] = {{empty.layout, 1, 0, 0},
                                   {empty.layout, 9, 100, 5},
                                   {empty.layout, 0, 0, 0},
                                   {run.layout, 0, 8, 0}};
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    struct mpj_cursor c;
    ck_assert_int_eq(mpj_cursor_begin(&c, &views[i], NULL), MPJ_SUCCESS);
    ck_assert_int_eq(mpj_cursor_remaining(&c), 0);
    mpj_cursor_pack(&c, NULL, 0);
    mpj_cursor_unpack(&c, NULL, 0);
    mpj_cursor_end(&c);
  }
  mpj_layout_release(empty.layout);
  mpj_layout_release(run.layout);
}
END_TEST

START_TEST(absolute_displacements_need_no_base)
{
  double memory[3] = {1, 2, 3}, packed[3];
  struct mpj_piece run = run_of(MPJ_DOUBLE, 1), index;
  MPJ_Aint displs[3];
  for (int i = 0; i < 3; i++)
    displs[i] = (MPJ_Aint)(uintptr_t)&memory[2 - i];
  ck_assert_int_eq(mpj_layout_index(3, NULL, 1, displs, 8, run, &index), MPJ_SUCCESS);
  struct mpj_view view = view_of(index);
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, NULL), MPJ_SUCCESS);
  mpj_cursor_pack(&c, packed, sizeof packed);
  mpj_cursor_end(&c);
  ck_assert(packed[0] == 3 && packed[1] == 2 && packed[2] == 1);
  mpj_layout_release(index.layout);
  mpj_layout_release(run.layout);
}
END_TEST

/* Three elements over 5 GiB, looped and indexed, forward and backward. */
static void check_vast(struct mpj_piece piece, MPJ_Aint at[3], char *space, MPJ_Aint origin)
{
  struct mpj_view view = view_of(piece);
  struct mpj_cursor c;
  char *base = space + origin;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, base), MPJ_SUCCESS);
  mpj_cursor_unpack(&c, "abcdefghijkl", 12);
  for (int i = 0; i < 3; i++)
    ck_assert(memcmp(base + at[i], &"abcdefghijkl"[4 * i], 4) == 0);
  char packed[12];
  for (MPJ_Count split = 0; split <= 12; split++) {
    mpj_cursor_seek(&c, 0);
    mpj_cursor_pack(&c, packed, split);
    mpj_cursor_pack(&c, packed + split, 12 - split);
    ck_assert(memcmp(packed, "abcdefghijkl", 12) == 0);
  }
  mpj_cursor_end(&c);
  mpj_layout_release(piece.layout);
}

START_TEST(extents_beyond_4_gib_work)
{
  const MPJ_Aint gib = (MPJ_Aint)1 << 30;
  char *space = guarded_reserve((size_t)(5 * gib + 4096));
  struct mpj_piece run = run_of(MPJ_INT, 1), piece;
  MPJ_Aint forward[3] = {0, 5 * gib / 2, 5 * gib}, backward[3] = {0, -5 * gib / 2, -5 * gib};
  ck_assert_int_eq(mpj_layout_loop(3, forward[1], run, &piece), MPJ_SUCCESS);
  check_vast(piece, forward, space, 0);
  ck_assert_int_eq(mpj_layout_loop(3, backward[1], run, &piece), MPJ_SUCCESS);
  check_vast(piece, backward, space, 5 * gib);
  MPJ_Aint uneven[3] = {0, 3 * gib, 5 * gib};
  ck_assert_int_eq(mpj_layout_index(3, NULL, 1, uneven, 4, run, &piece), MPJ_SUCCESS);
  check_vast(piece, uneven, space, 0);
  mpj_layout_release(run.layout);
}
END_TEST

START_TEST(a_stream_of_2_to_the_40_bytes_can_be_entered_anywhere)
{
  /* 2^37 copies of one double: every copy is the same memory. */
  struct mpj_piece run = run_of(MPJ_DOUBLE, 1);
  double value = 3.25;
  struct mpj_view view = {run.layout, (MPJ_Count)1 << 37, 0, 0};
  struct mpj_cursor c;
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, &value), MPJ_SUCCESS);
  ck_assert_int_eq(c.bytes, (MPJ_Count)1 << 40);
  mpj_cursor_seek(&c, c.bytes - 12);
  char packed[12];
  mpj_cursor_pack(&c, packed, 12);
  ck_assert(memcmp(packed, (char *)&value + 4, 4) == 0);
  ck_assert(memcmp(packed + 4, &value, 8) == 0);
  mpj_cursor_end(&c);
  mpj_layout_release(run.layout);
}
END_TEST

/* The deepest nest there is: level k holds two copies of (level k - 1, one byte
 * at displacement 1 + k % 7), all copies on the same eight bytes of memory. */
static struct mpj_piece deepest(MPJ_Count bytes[], int *levels)
{
  struct mpj_piece pieces[2] = {run_of(MPJ_BYTE, 1), run_of(MPJ_BYTE, 1)}, both;
  bytes[0] = 1;
  for (*levels = 0; bytes[*levels] < INT64_MAX / 2 - 2; ++*levels) {
    pieces[1].displ = 1 + *levels % 7;
    ck_assert_int_eq(mpj_layout_seq(2, pieces, &both), MPJ_SUCCESS);
    mpj_layout_release(pieces[0].layout);
    ck_assert_int_eq(mpj_layout_loop(2, 0, both, &pieces[0]), MPJ_SUCCESS);
    mpj_layout_release(both.layout);
    bytes[*levels + 1] = 2 * (bytes[*levels] + 1);
  }
  mpj_layout_release(pieces[1].layout);
  return pieces[0];
}

static int deepest_place(const MPJ_Count bytes[], int level, MPJ_Count offset)
{
  for (; level > 0; level--) {
    offset %= bytes[level - 1] + 1;
    if (offset == bytes[level - 1]) return 1 + (level - 1) % 7;
  }
  return 0;
}

START_TEST(the_deepest_nest_can_be_entered_anywhere)
{
  MPJ_Count bytes[64];
  int levels;
  struct mpj_piece piece = deepest(bytes, &levels);
  struct mpj_view view = view_of(piece);
  struct mpj_random rng = {9};
  struct mpj_cursor c;
  ck_assert_int_gt(levels, 58);
  ck_assert_int_eq(mpj_cursor_begin(&c, &view, "01234567"), MPJ_SUCCESS);
  ck_assert_int_eq(c.bytes, bytes[levels]);
  for (int i = 0; i < 200; i++) {
    MPJ_Count offset = i ? mpj_random_in(&rng, 0, c.bytes - 300) : c.bytes - 300, listed;
    char packed[300];
    struct iovec iov[300];
    mpj_cursor_seek(&c, offset);
    mpj_cursor_pack(&c, packed, 300);
    mpj_cursor_seek(&c, offset);
    size_t n = mpj_cursor_iov(&c, iov, 300, 300, &listed);
    ck_assert_int_eq(listed, 300);
    MPJ_Count at = 0;
    for (size_t s = 0; s < n; s++)
      for (size_t b = 0; b < iov[s].iov_len; b++, at++)
        ck_assert_int_eq(((char *)iov[s].iov_base)[b], packed[at]);
    for (int b = 0; b < 300; b++)
      ck_assert_int_eq(packed[b], '0' + deepest_place(bytes, levels, offset + b));
  }
  mpj_cursor_end(&c);
  mpj_layout_release(piece.layout);
}
END_TEST

START_TEST(rows_are_where_they_are_said_to_be)
{
  struct mpj_random rng = {18};
  int dense = 0, regular = 0;
  for (int i = 0; i < rounds; i++) {
    struct fixture f;
    struct mpj_rows rows;
    fixture_make(&f, random_view(&rng, MOST), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    if (mpj_cursor_rows(&c, &rows)) {
      dense += rows.row == 0;
      regular += rows.row > 0;
      for (MPJ_Count k = 0; k < c.bytes; k++) {
        const MPJ_Aint at = rows.row == 0 ? k : k / rows.row * rows.stride + k % rows.row;
        ck_assert(mpj_at(c.origin, at) == mpj_at(c.base, f.map.displs[k]));
      }
    }
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
  ck_assert(dense > 0 && regular > 0);
}
END_TEST

START_TEST(begin_without_memory_fails_and_leaves_nothing)
{
  struct mpj_random rng = {8};
  int failures = 0;
  mpj_layout_forget_permanent();
  long before = mpj_memory_outstanding();
  for (int i = 0; i < 300; i++) {
    struct mpj_view view = random_view(&rng, 2000);
    int status = MPJ_ERR_NO_MEM;
    for (long n = 0; status; n++) {
      struct mpj_cursor c;
      mpj_memory_fail_after(n);
      status = mpj_cursor_begin(&c, &view, NULL);
      mpj_memory_fail_after(-1);
      if (status == MPJ_SUCCESS) mpj_cursor_end(&c);
      ck_assert(status == MPJ_SUCCESS || status == MPJ_ERR_NO_MEM);
      failures += status != MPJ_SUCCESS;
    }
    mpj_layout_release(view.layout);
    mpj_layout_forget_permanent();
    ck_assert_int_eq(mpj_memory_outstanding(), before);
  }
  ck_assert_int_gt(failures, 300);
}
END_TEST

START_TEST(nothing_is_left_when_all_is_released)
{
  struct mpj_random rng = {6};
  size_t layouts = mpj_layout_live();
  for (int i = 0; i < 100; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, MOST), &rng);
    struct mpj_cursor c = fixture_begin(&f);
    mpj_cursor_end(&c);
    fixture_free(&f);
  }
  ck_assert_uint_eq(mpj_layout_live(), layouts);
}
END_TEST

int main(void)
{
  rounds = share_of(3000);
  return RUN_SUITE(
      "pack/cursor", pack_of_the_whole_is_the_byte_map,
      unpack_of_the_whole_writes_the_byte_map_alone, pack_may_be_split_at_every_byte,
      unpack_may_be_split_at_every_byte, pieces_may_start_anywhere_and_have_any_size,
      a_run_repeated_at_its_size_is_dense, a_record_without_gaps_repeated_at_its_size_is_dense,
      copies_that_continue_the_loop_make_it_longer, empty_views_have_no_bytes,
      absolute_displacements_need_no_base, extents_beyond_4_gib_work,
      a_stream_of_2_to_the_40_bytes_can_be_entered_anywhere,
      the_deepest_nest_can_be_entered_anywhere, rows_are_where_they_are_said_to_be,
      begin_without_memory_fails_and_leaves_nothing, nothing_is_left_when_all_is_released);
}
