/* This file tests MPJ_Alloc_mem in a process alone and among thread ranks; between
 * processes: net/test_blocks.c. */
#include <mpj/mpj.h>

#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"

START_TEST(blocks_need_a_rank_and_sound_arguments)
{
  void *base;
  ck_assert_int_eq(MPJ_Alloc_mem(8, &base), MPJ_ERR_INTERNAL);
  ck_assert_int_eq(MPJ_Free_mem(&base), MPJ_ERR_INTERNAL);
  ck_assert_int_eq(MPJ_Init(NULL, NULL), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Alloc_mem(-1, &base), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Alloc_mem(8, NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Alloc_mem(INT64_MAX, &base), MPJ_ERR_NO_MEM);
  ck_assert_int_eq(MPJ_Alloc_mem(INT64_MAX / 4, &base), MPJ_ERR_NO_MEM);
  ck_assert_int_eq(MPJ_Free_mem(&base), MPJ_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(MPJ_Error_detail(), "base"));
  ck_assert_int_eq(MPJ_Finalize(), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Alloc_mem(8, &base), MPJ_ERR_INTERNAL);
}
END_TEST

static int use_blocks(void *arg)
{
  (void)arg;
  enum { N = 100 };
  unsigned char *blocks[N];
  for (int i = 0; i < N; i++) {
    if (MPJ_Alloc_mem(i * 97, (void **)&blocks[i]) != MPJ_SUCCESS) return 1;
    for (int k = 0; k < i * 97; k++)
      if (blocks[i][k] != 0) return 2;
    memset(blocks[i], i, (size_t)(i * 97));
    if ((uintptr_t)blocks[i] % 4096 != 0) return 3;
  }
  for (int i = 0; i < N; i++)
    if (i > 0 && blocks[i][i * 97 - 1] != i) return 4;
  for (int i = 0; i < N / 2; i++) /* Finalize frees the others */
    if (MPJ_Free_mem(blocks[(i * 7) % (N / 2)]) != MPJ_SUCCESS) return 5;
  return MPJ_Free_mem(blocks[0]) == MPJ_ERR_ARG ? 0 : 6;
}

START_TEST(thread_ranks_have_blocks_of_their_own)
{
  const long before = mpj_memory_outstanding();
  ck_assert_int_eq(MPJ_Run_threads(3, use_blocks, NULL), 0);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(process_alone_has_blocks_until_it_finalizes)
{
  ck_assert_int_eq(MPJ_Init(NULL, NULL), MPJ_SUCCESS);
  ck_assert_int_eq(use_blocks(NULL), 0);
  ck_assert_int_eq(MPJ_Finalize(), MPJ_SUCCESS);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/alloc_mem", blocks_need_a_rank_and_sound_arguments,
                   thread_ranks_have_blocks_of_their_own,
                   process_alone_has_blocks_until_it_finalizes);
}
