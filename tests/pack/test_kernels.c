/* This file tests every set of kernels that this processor can run against byte
 * by byte copies. */
#include "pack/kernels/kernels.h"

#include <string.h>

#include "base/machine/cpu.h"
#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/kernels/kernels_choose.h"
#include "pack/kernels/kernels_stream.h"

enum { LONGEST = 270, MOST = 11, LONG = 2100, MANY = 60, ROOM = 12288 };

static const struct mpj_kernels *set; /* under test */

static char mem[ROOM], other[ROOM], expected[ROOM];

static void fill(unsigned seed)
{
  for (size_t i = 0; i < ROOM; i++) {
    mem[i] = (char)(i * 7 + seed);
    other[i] = (char)(i * 13 + seed + 1);
  }
}

/* Both directions of a strided kernel; mem starts at its middle if the stride
 * is negative. */
static void check_strided(MPJ_Count block, MPJ_Count count, MPJ_Aint stride, MPJ_Aint step)
{
  enum mpj_block_class class = mpj_block_class(block);
  char *at = stride < 0 ? mem + ROOM / 2 : mem + 1;
  fill((unsigned)(block + count));
  memcpy(expected, other, ROOM);
  for (MPJ_Count i = 0; i < count; i++)
    for (MPJ_Count b = 0; b < block; b++)
      expected[3 + i * step + b] = at[i * stride + b];
  set->pack.strided[class](at, stride, other + 3, step, block, count);
  ck_assert(memcmp(other, expected, ROOM) == 0);

  fill((unsigned)count);
  memcpy(expected, mem, ROOM);
  for (MPJ_Count i = 0; i < count; i++)
    for (MPJ_Count b = 0; b < block; b++)
      expected[at - mem + i * stride + b] = other[3 + i * step + b];
  set->unpack.strided[class](at, stride, other + 3, step, block, count);
  ck_assert(memcmp(mem, expected, ROOM) == 0);
}

static void check_strided_sizes(void)
{
  for (MPJ_Count block = 1; block <= LONGEST; block++) {
    for (MPJ_Count count = 0; count <= MOST; count++) {
      check_strided(block, count, block + 5, block);
      check_strided(block, count, block + 6, block + 3);
      check_strided(block, count, -block - 7, block);
    }
  }
  for (MPJ_Count block = LONGEST; block <= LONG; block += 61)
    check_strided(block, 3, block + 9, block);
}

/* Blocks so near to one another that sets may move several at once. */
static void check_permuted_sizes(void)
{
  for (MPJ_Count block = 1; block <= 33; block++)
    for (MPJ_Count gap = 1; gap <= 40; gap += gap < 10 ? 1 : 7)
      for (MPJ_Count count = 14; count <= MANY; count += count < 28 ? 1 : 11)
        check_strided(block, count, block + gap, block);
}

/* Block i at (5 i mod 11) places of block + 3 bytes. */
static void make_offsets(int32_t offsets[MOST], MPJ_Count block)
{
  for (MPJ_Count i = 0; i < MOST; i++)
    offsets[i] = (int32_t)(5 * i % MOST * (block + 3) + 1);
}

static void check_indexed_sizes(void)
{
  for (MPJ_Count block = 1; block <= LONGEST; block++) {
    int32_t offsets[MOST];
    make_offsets(offsets, block);
    fill((unsigned)block);
    memcpy(expected, other, ROOM);
    for (MPJ_Count i = 0; i < MOST * block; i++)
      expected[i] = mem[offsets[i / block] + i % block];
    set->pack.indexed[mpj_block_class(block)](mem, offsets, other, block, MOST, false);
    ck_assert(memcmp(other, expected, ROOM) == 0);

    memset(mem, 0, ROOM);
    memset(expected, 0, ROOM);
    for (MPJ_Count i = 0; i < MOST * block; i++)
      expected[offsets[i / block] + i % block] = other[i];
    set->unpack.indexed[mpj_block_class(block)](mem, offsets, other, block, MOST, false);
    ck_assert(memcmp(mem, expected, ROOM) == 0);
  }
}

/* Lists longer than a vector's, to the last byte of the memory. */
static void check_long_lists(void)
{
  enum { LIST = 37 };
  for (MPJ_Count block = 1; block <= 24; block++) {
    const size_t bytes = LIST * (size_t)block;
    int32_t offsets[LIST];
    for (int i = 0; i < LIST; i++)
      offsets[i] = (int32_t)(5 * i % LIST * block);
    struct guarded layout = guarded_make(bytes, (int)(block % 2));
    struct guarded stream = guarded_make(bytes, (int)(block % 2));
    for (MPJ_Count i = 0; i < LIST * block; i++)
      layout.at[i] = (char)i;
    set->pack.indexed[mpj_block_class(block)](layout.at, offsets, stream.at, block, LIST, false);
    for (MPJ_Count i = 0; i < LIST * block; i++)
      ck_assert_int_eq(stream.at[i], (char)(offsets[i / block] + i % block));
    for (size_t i = 0; i < bytes; i++)
      layout.at[i] = ~layout.at[i];
    set->unpack.indexed[mpj_block_class(block)](layout.at, offsets, stream.at, block, LIST, false);
    for (MPJ_Count i = 0; i < LIST * block; i++)
      ck_assert_int_eq(layout.at[i], (char)i);
    guarded_free(&layout);
    guarded_free(&stream);
  }
}

/* Both directions, at the beginning and at the end of what may be touched. */
static void check_dense(void)
{
  for (size_t n = 1; n <= 700; n++) {
    struct guarded layout = guarded_make(n, (int)(n % 2));
    struct guarded stream = guarded_make(n, (int)(n / 2 % 2));
    for (size_t i = 0; i < n; i++)
      layout.at[i] = (char)(i * 11 / 3);
    set->pack.dense(layout.at, stream.at, (MPJ_Count)n);
    ck_assert(memcmp(stream.at, layout.at, n) == 0);
    memset(layout.at, 0, n);
    set->unpack.dense(layout.at, stream.at, (MPJ_Count)n);
    ck_assert(memcmp(stream.at, layout.at, n) == 0);
    guarded_free(&layout);
    guarded_free(&stream);
  }
}

/* Long ones, at any address: around the sizes where the way of moving changes. */
static void check_long_dense(void)
{
  static const size_t sizes[] = {4095,   8192,   8193,   65536,   524287,
                                 524288, 524289, 655361, 1 << 20, 3000001};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t skew = 0; skew < 64; skew += 9) {
      const size_t n = sizes[s];
      struct guarded layout = guarded_make(n + skew, (int)(skew % 2));
      struct guarded stream = guarded_make(n + 63 - skew, (int)(skew % 2));
      char *from = layout.at + (skew % 2 ? skew : 0), *to = stream.at + (skew % 2 ? 63 - skew : 0);
      for (size_t i = 0; i < n; i++)
        from[i] = (char)(i * 11 / 3 + i / 509);
      set->pack.dense(from, to, (MPJ_Count)n);
      ck_assert(memcmp(to, from, n) == 0);
      memset(from, 0, n);
      set->unpack.dense(from, to, (MPJ_Count)n);
      ck_assert(memcmp(to, from, n) == 0);
      guarded_free(&layout);
      guarded_free(&stream);
    }
  }
}

static void check_varied(void)
{
  const MPJ_Aint displs[] = {100, 0, 50, 20};
  const MPJ_Count copies[] = {3, 1, 5, 2};
  const MPJ_Count unit = 6;
  fill(0);
  memcpy(expected, other, ROOM);
  MPJ_Count at = 0;
  for (int i = 0; i < 4; i++) {
    memcpy(expected + at, mem + displs[i], (size_t)(copies[i] * unit));
    at += copies[i] * unit;
  }
  set->pack.varied(mem, displs, copies, unit, other, 4);
  ck_assert(memcmp(other, expected, ROOM) == 0);

  memcpy(expected, mem, ROOM);
  memset(mem, 0, ROOM);
  set->unpack.varied(mem, displs, copies, unit, other, 4);
  for (int i = 0; i < 4; i++)
    ck_assert(memcmp(mem + displs[i], expected + displs[i], (size_t)(copies[i] * unit)) == 0);
  ck_assert_int_eq(mem[6], 0);
  ck_assert_int_eq(mem[118], 0);
}

static void check_complete(void)
{
  const struct mpj_moves *both[] = {&set->pack, &set->unpack};
  ck_assert_int_gt((int)strlen(set->name), 0);
  for (int d = 0; d < 2; d++) {
    for (int class = 0; class < MPJ_BLOCK_CLASSES; class ++) {
      ck_assert(both[d]->strided[class] != NULL);
      ck_assert(both[d]->indexed[class] != NULL);
    }
  }
}

START_TEST(block_classes_are_exact_at_the_common_sizes)
{
  ck_assert_int_eq(mpj_block_class(8), MPJ_BLOCK_8);
  ck_assert_int_eq(mpj_block_class(12), MPJ_BLOCK_12);
  ck_assert_int_eq(mpj_block_class(11), MPJ_BLOCK_TO_16);
  ck_assert_int_eq(mpj_block_class(64), MPJ_BLOCK_64);
  ck_assert_int_eq(mpj_block_class(65), MPJ_BLOCK_TO_128);
  ck_assert_int_eq(mpj_block_class(128), MPJ_BLOCK_TO_128);
  ck_assert_int_eq(mpj_block_class(129), MPJ_BLOCK_TO_256);
  ck_assert_int_eq(mpj_block_class(256), MPJ_BLOCK_TO_256);
  ck_assert_int_eq(mpj_block_class(257), MPJ_BLOCK_LONG);
  ck_assert_int_eq(mpj_block_class((MPJ_Count)1 << 40), MPJ_BLOCK_LONG);
}
END_TEST

/* Run a check on every set. */
static void on_each_set(void (*check)(void))
{
  const struct mpj_kernels *sets[MPJ_KERNEL_SETS];
  int n = mpj_kernels_sets(sets);
  ck_assert_int_ge(n, 1);
  for (int i = 0; i < n; i++) {
    set = sets[i];
    check();
  }
}

START_TEST(strided_kernels_move_exactly_their_blocks)
{
  on_each_set(check_strided_sizes);
}
END_TEST

START_TEST(blocks_at_small_strides_leave_the_gaps_alone)
{
  on_each_set(check_permuted_sizes);
}
END_TEST

/* Blocks in memory that ends, and begins, with a page that may not be touched,
 * to and from a stream that does, too. */
static void check_between_guards(MPJ_Count block, MPJ_Aint stride, MPJ_Count count, int at_start)
{
  size_t span = (size_t)((count - 1) * stride + block), bytes = (size_t)(count * block);
  struct guarded layout = guarded_make(span, at_start), stream = guarded_make(bytes, at_start);
  memset(layout.at, 1, span);
  memset(stream.at, 2, bytes);
  set->pack.strided[mpj_block_class(block)](layout.at, stride, stream.at, block, block, count);
  size_t wrong = 0;
  for (size_t i = 0; i < bytes; i++)
    wrong += stream.at[i] != 1;
  memset(stream.at, 2, bytes);
  set->unpack.strided[mpj_block_class(block)](layout.at, stride, stream.at, block, block, count);
  for (size_t i = 0; i < span; i++)
    wrong += layout.at[i] != ((MPJ_Aint)i % stride < block ? 2 : 1);
  ck_assert_msg(wrong == 0, "%s: block %d stride %d count %d", set->name, (int)block, (int)stride,
                (int)count);
  guarded_free(&layout);
  guarded_free(&stream);
}

static void check_guards(void)
{
  for (MPJ_Count block = 1; block <= 130; block += block < 40 ? 1 : 9)
    for (MPJ_Aint gap = 1; gap <= 40; gap += 7)
      for (MPJ_Count count = 1; count <= 60; count += count < 24 ? 1 : 11)
        check_between_guards(block, block + gap, count, (int)(count % 2));
}

START_TEST(kernels_touch_nothing_outside_the_data)
{
  on_each_set(check_guards);
}
END_TEST

START_TEST(indexed_kernels_move_exactly_their_blocks)
{
  on_each_set(check_indexed_sizes);
  on_each_set(check_long_lists);
}
END_TEST

START_TEST(dense_kernels_move_any_number_of_bytes)
{
  on_each_set(check_dense);
  on_each_set(check_long_dense);
}
END_TEST

START_TEST(varied_kernels_move_blocks_of_their_own_sizes)
{
  on_each_set(check_varied);
}
END_TEST

START_TEST(every_class_has_its_kernels)
{
  on_each_set(check_complete);
}
END_TEST

/* The set that MPJ_CPU asks for is the one in use. */
START_TEST(the_set_in_use_is_one_of_them)
{
  const struct mpj_kernels *sets[MPJ_KERNEL_SETS];
  int n = mpj_kernels_sets(sets), level = (int)mpj_cpu_level();
  ck_assert_int_lt(level, n);
  ck_assert_ptr_eq(mpj_kernels(), sets[mpj_cpu_gathers() ? n - 1 : level]);
}
END_TEST

/* More blocks than the caches hold go another way; between guard pages. */
static void check_far(MPJ_Count block, MPJ_Aint stride)
{
  const MPJ_Count count = (1 << 22) / (block + 64) + 8;
  const MPJ_Aint distance = stride < 0 ? -stride : stride;
  const size_t bytes = (size_t)((count - 1) * distance + block), packed = (size_t)(count * block);
  struct guarded from = guarded_make(bytes, stride < 0), to = guarded_make(packed, stride < 0);
  const char *first = stride < 0 ? from.at + (count - 1) * distance : from.at;
  for (size_t i = 0; i < bytes; i++)
    from.at[i] = (char)(i * 7 + i / 251);
  memset(to.at, 0, packed);
  set->pack.strided[mpj_block_class(block)]((char *)(uintptr_t)first, stride, to.at, block, block,
                                            count);
  MPJ_Count same = 0;
  while (same < count && !memcmp(to.at + same * block, first + same * stride, (size_t)block))
    same++;
  ck_assert_int_eq(same, count);
  memset(from.at, 'g', bytes);
  set->unpack.strided[mpj_block_class(block)]((char *)(uintptr_t)first, stride, to.at, block, block,
                                              count);
  for (same = 0; same < count; same++) {
    const char *at = first + same * stride;
    if (memcmp(to.at + same * block, at, (size_t)block)) break;
    if (at > from.at && at[-1] != 'g') break;
    if (at + block < from.at + bytes && at[block] != 'g') break;
  }
  ck_assert_int_eq(same, count);
  guarded_free(&to);
  guarded_free(&from);
}

static void check_far_sizes(void)
{
  static const MPJ_Count blocks[] = {4, 8, 12, 16, 24, 32, 40, 48, 64, 100, 2047, 2048, 3001};
  for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
    check_far(blocks[b], blocks[b] + 75);
    check_far(blocks[b], -blocks[b] - 64);
    check_far(blocks[b], 2 * blocks[b] + 1);
    check_far(blocks[b], -3 * blocks[b]);
  }
}

/* Rows that are streamed: their bytes, nothing between them, nothing after them. */
static void check_streamed(MPJ_Count block, MPJ_Aint gap, int skew, bool backward)
{
  const MPJ_Count count = MPJ_STREAM_BYTES / block + 3;
  const MPJ_Aint distance = block + gap, stride = backward ? -distance : distance;
  const size_t span = (size_t)((count - 1) * distance + block), bytes = (size_t)(count * block);
  struct guarded to = guarded_make(span + (size_t)skew, 1), from = guarded_make(bytes, 0);
  char *lowest = to.at + skew, *first = backward ? lowest + (count - 1) * distance : lowest;
  memset(to.at, 'g', span + (size_t)skew);
  for (size_t i = 0; i < bytes; i++)
    from.at[i] = (char)(i * 7 + i / 251);
  set->unpack.strided[mpj_block_class(block)](first, stride, from.at, block, block, count);
  MPJ_Count wrong = 0;
  for (MPJ_Count i = 0; i < count; i++) {
    const char *row = first + i * stride;
    wrong += memcmp(row, from.at + i * block, (size_t)block) != 0;
    for (MPJ_Aint g = 0; i + 1 < count && g < gap; g++)
      wrong += (backward ? row - gap : row + block)[g] != 'g';
  }
  for (int g = 0; g < skew; g++)
    wrong += to.at[g] != 'g';
  ck_assert_msg(wrong == 0, "%s: block %d gap %d skew %d", set->name, (int)block, (int)gap, skew);
  guarded_free(&from);
  guarded_free(&to);
}

static void check_streams(void)
{
  check_streamed(64, 64, 0, false);
  check_streamed(64, 8, 0, false);
  check_streamed(192, 64, 0, true);
  check_streamed(256, 256, 1, false);
  check_streamed(400, 3, 5, false);
  check_streamed(1000, 24, 63, true);
  check_streamed(4097, 1, 17, false);
  check_streamed(1 << 20, 40, 32, false);
}

START_TEST(rows_beyond_the_caches_are_streamed_exactly)
{
  on_each_set(check_streams);
}
END_TEST

START_TEST(rows_that_lie_over_one_another_are_not_streamed)
{
  char *memory = guarded_reserve(1 << 25);
  const char *from = memory + (1 << 24);
  ck_assert(!mpj_stream_rows(memory, 512, from, 0, 1024, 1 << 14, 1 << 24));
  ck_assert(!mpj_stream_rows(memory, 1024, from, 0, 1024, 1 << 13, (1 << 24) - 1));
  ck_assert(!mpj_stream_rows(memory, 1024, from, 0, 1024, 31, 1 << 24));
  ck_assert(!mpj_stream_rows(memory, 80, from, 0, 72, 1 << 18, 1 << 24));
}
END_TEST

/* Blocks of a list from the last to the first, with a gap of a byte between, that
 * the caches do not hold. */
static void check_far_list(MPJ_Count block)
{
  const MPJ_Count count = (1 << 22) / (block + 64) + 9;
  struct guarded layout = guarded_make((size_t)(count * (block + 1) - 1), (int)(block % 2));
  struct guarded stream = guarded_make((size_t)(count * block), (int)(block % 2));
  struct guarded list = guarded_make((size_t)count * sizeof(int32_t), 0);
  int32_t *offsets = (int32_t *)(void *)list.at;
  for (MPJ_Count i = 0; i < count; i++) {
    offsets[i] = (int32_t)((count - 1 - i) * (block + 1));
    memset(layout.at + offsets[i], (int)(i % 251), (size_t)block);
    if (offsets[i] > 0) layout.at[offsets[i] - 1] = 'g';
  }
  MPJ_Count wrong = 0;
  set->pack.indexed[mpj_block_class(block)](layout.at, offsets, stream.at, block, count,
                                            mpj_blocks_far(block, count));
  for (MPJ_Count i = 0; i < count * block; i++)
    wrong += stream.at[i] != (char)(i / block % 251);
  for (MPJ_Count i = 0; i < count * block; i++)
    stream.at[i] = (char)(i / block % 241);
  set->unpack.indexed[mpj_block_class(block)](layout.at, offsets, stream.at, block, count,
                                              mpj_blocks_far(block, count));
  for (MPJ_Count i = 0; i < count; i++) {
    for (MPJ_Count b = 0; b < block; b++)
      wrong += layout.at[offsets[i] + b] != (char)(i % 241);
    wrong += offsets[i] > 0 && layout.at[offsets[i] - 1] != 'g';
  }
  ck_assert_msg(wrong == 0, "%s: %d wrong bytes of blocks of %d", set->name, (int)wrong,
                (int)block);
  guarded_free(&list);
  guarded_free(&stream);
  guarded_free(&layout);
}

static void check_far_lists(void)
{
  static const MPJ_Count blocks[] = {3, 4, 8, 12, 13, 24, 40};
  for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
    check_far_list(blocks[b]);
}

START_TEST(blocks_beyond_the_caches_move_exactly)
{
  on_each_set(check_far_sizes);
  on_each_set(check_far_lists);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "pack/kernels", strided_kernels_move_exactly_their_blocks,
      blocks_at_small_strides_leave_the_gaps_alone, kernels_touch_nothing_outside_the_data,
      blocks_beyond_the_caches_move_exactly, rows_beyond_the_caches_are_streamed_exactly,
      rows_that_lie_over_one_another_are_not_streamed, indexed_kernels_move_exactly_their_blocks,
      dense_kernels_move_any_number_of_bytes, varied_kernels_move_blocks_of_their_own_sizes,
      every_class_has_its_kernels, block_classes_are_exact_at_the_common_sizes,
      the_set_in_use_is_one_of_them);
}
