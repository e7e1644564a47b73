/* This file tests kernels on more blocks than the caches hold, which go another way: every set that
 * this processor can run. */
#include <string.h>

#include "pack/guarded.h"
#include "pack/kernel_sets.h"
#include "pack/kernels/kernels_stream.h"

/* Between guard pages. */
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
  return RUN_SUITE("pack/kernels_far", rows_beyond_the_caches_are_streamed_exactly,
                   rows_that_lie_over_one_another_are_not_streamed,
                   blocks_beyond_the_caches_move_exactly);
}
