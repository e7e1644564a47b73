/* This file tests the kernels against byte by byte copies. */
#include "pack/kernels.h"

#include <string.h>

#include "base/suite.h"

enum { LONGEST = 200, MOST = 11, ROOM = 8192 };

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
  mpj_kernels()->pack.strided[class](at, stride, other + 3, step, block, count);
  ck_assert(memcmp(other, expected, ROOM) == 0);

  fill((unsigned)count);
  memcpy(expected, mem, ROOM);
  for (MPJ_Count i = 0; i < count; i++)
    for (MPJ_Count b = 0; b < block; b++)
      expected[at - mem + i * stride + b] = other[3 + i * step + b];
  mpj_kernels()->unpack.strided[class](at, stride, other + 3, step, block, count);
  ck_assert(memcmp(mem, expected, ROOM) == 0);
}

START_TEST(strided_kernels_move_exactly_their_blocks)
{
  for (MPJ_Count block = 1; block <= LONGEST; block++) {
    for (MPJ_Count count = 0; count <= MOST; count++) {
      check_strided(block, count, block + 5, block);
      check_strided(block, count, block + 6, block + 3);
      check_strided(block, count, -block - 7, block);
    }
  }
}
END_TEST

/* Block i at (5 i mod 11) places of block + 3 bytes. */
static void make_displs(MPJ_Aint displs[MOST], MPJ_Count block)
{
  for (MPJ_Count i = 0; i < MOST; i++)
    displs[i] = 5 * i % MOST * (block + 3) + 1;
}

START_TEST(indexed_kernels_move_exactly_their_blocks)
{
  for (MPJ_Count block = 1; block <= LONGEST; block++) {
    MPJ_Aint displs[MOST];
    make_displs(displs, block);
    fill((unsigned)block);
    memcpy(expected, other, ROOM);
    for (MPJ_Count i = 0; i < MOST * block; i++)
      expected[i] = mem[displs[i / block] + i % block];
    mpj_kernels()->pack.indexed[mpj_block_class(block)](mem, displs, other, block, MOST);
    ck_assert(memcmp(other, expected, ROOM) == 0);

    memset(mem, 0, ROOM);
    memset(expected, 0, ROOM);
    for (MPJ_Count i = 0; i < MOST * block; i++)
      expected[displs[i / block] + i % block] = other[i];
    mpj_kernels()->unpack.indexed[mpj_block_class(block)](mem, displs, other, block, MOST);
    ck_assert(memcmp(mem, expected, ROOM) == 0);
  }
}
END_TEST

START_TEST(varied_kernels_move_blocks_of_their_own_sizes)
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
  mpj_kernels()->pack.varied(mem, displs, copies, unit, other, 4);
  ck_assert(memcmp(other, expected, ROOM) == 0);

  memcpy(expected, mem, ROOM);
  memset(mem, 0, ROOM);
  mpj_kernels()->unpack.varied(mem, displs, copies, unit, other, 4);
  for (int i = 0; i < 4; i++)
    ck_assert(memcmp(mem + displs[i], expected + displs[i], (size_t)(copies[i] * unit)) == 0);
  ck_assert_int_eq(mem[6], 0);
  ck_assert_int_eq(mem[118], 0);
}
END_TEST

START_TEST(every_class_has_its_kernels)
{
  const struct mpj_moves *both[] = {&mpj_kernels()->pack, &mpj_kernels()->unpack};
  for (int d = 0; d < 2; d++) {
    for (int class = 0; class < MPJ_BLOCK_CLASSES; class ++) {
      ck_assert(both[d]->strided[class] != NULL);
      ck_assert(both[d]->indexed[class] != NULL);
    }
  }
}
END_TEST

START_TEST(block_classes_are_exact_at_the_common_sizes)
{
  ck_assert_int_eq(mpj_block_class(8), MPJ_BLOCK_8);
  ck_assert_int_eq(mpj_block_class(12), MPJ_BLOCK_12);
  ck_assert_int_eq(mpj_block_class(11), MPJ_BLOCK_TO_16);
  ck_assert_int_eq(mpj_block_class(64), MPJ_BLOCK_64);
  ck_assert_int_eq(mpj_block_class(65), MPJ_BLOCK_TO_128);
  ck_assert_int_eq(mpj_block_class(128), MPJ_BLOCK_TO_128);
  ck_assert_int_eq(mpj_block_class(129), MPJ_BLOCK_LONG);
  ck_assert_int_eq(mpj_block_class((MPJ_Count)1 << 40), MPJ_BLOCK_LONG);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/kernels", strided_kernels_move_exactly_their_blocks,
                   indexed_kernels_move_exactly_their_blocks,
                   varied_kernels_move_blocks_of_their_own_sizes, every_class_has_its_kernels,
                   block_classes_are_exact_at_the_common_sizes);
}
