/* This file tests every set of kernels that this processor can run against byte
 * by byte copies. */
#include <string.h>

#include "base/machine/cpu.h"
#include "base/suite.h"
#include "pack/guarded.h"
#include "pack/kernel_sets.h"

enum { LONGEST = 270, MOST = 11, LONG = 2100, MANY = 60, ROOM = 12288 };

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

int main(void)
{
  return RUN_SUITE(
      "pack/kernels", block_classes_are_exact_at_the_common_sizes,
      strided_kernels_move_exactly_their_blocks, blocks_at_small_strides_leave_the_gaps_alone,
      kernels_touch_nothing_outside_the_data, indexed_kernels_move_exactly_their_blocks,
      dense_kernels_move_any_number_of_bytes, varied_kernels_move_blocks_of_their_own_sizes,
      every_class_has_its_kernels, the_set_in_use_is_one_of_them);
}
