/* This file makes the set of kernels for AVX2: blocks of whole 4-byte words at a
 * small stride are taken out of 64 bytes of the layout by shuffles and permutes. There is no
 * fast store under a mask, so the way back goes block by block. */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/least.h"
#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_inline.h"
#include "pack/kernels/kernels_lists.h"

enum { WORD = 4, VECTOR = 32, WINDOW = 64 }; /* bytes */

/* n bytes, a constant: compilers take 16 at a time for memcpy. 10 KiB of every second 64 bytes,
 * Zen 3: 51 GB/s by memcpy, 96 so. */
INLINE void move(char *to, const char *from, size_t n)
{
  size_t i = 0;
  for (; i + VECTOR <= n; i += VECTOR)
    _mm256_storeu_si256((__m256i *)(to + i), _mm256_loadu_si256((const __m256i *)(from + i)));
  memcpy(to + i, from + i, n - i);
}

/* Every second word of two vectors, of 4 or 8 bytes. */
INLINE void pack_half(const char *mem, char *other, MPJ_Count block)
{
  const __m256 a = _mm256_loadu_ps((const float *)(const void *)mem),
               b = _mm256_loadu_ps((const float *)(const void *)(mem + VECTOR));
  const __m256d words = _mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b));
  const __m256d v = block == 4 ? _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)) : words;
  _mm256_storeu_si256((__m256i *)other, _mm256_castpd_si256(_mm256_permute4x64_pd(v, 0xD8)));
}

/* Returns the number of words packed; the last one's neighbour is not read. */
static __attribute__((noinline)) MPJ_Count pack_halves(const char *mem, char *other,
                                                       MPJ_Count block, MPJ_Count count)
{
  const MPJ_Count turn = WINDOW / block;
  MPJ_Count i = 0;
  for (; count - i > turn; i += turn, mem += 2 * WINDOW, other += WINDOW) {
    pack_half(mem, other, block);
    pack_half(mem + WINDOW, other + VECTOR, block);
  }
  return i;
}

/* The word of the window that each word of a packed vector comes from; those
 * past the k'th block repeat the first. */
INLINE __m256i places_of(MPJ_Count block, MPJ_Aint stride, MPJ_Count k)
{
  int32_t places[VECTOR / WORD] = {0};
  MPJ_Count words = block / WORD;
  for (MPJ_Count i = 0; i < k; i++)
    for (MPJ_Count j = 0; j < words; j++)
      places[i * words + j] = (int32_t)(i * (stride / WORD) + j);
  __m256i v;
  memcpy(&v, places, sizeof v);
  return v;
}

/* k blocks a turn. A turn stores a whole vector, of which the next overwrites
 * what is too much. Returns the number of blocks packed. */
static __attribute__((noinline)) MPJ_Count pack_windows(const char *mem, MPJ_Aint stride,
                                                        char *other, MPJ_Count block,
                                                        MPJ_Count count, MPJ_Count k, bool narrow)
{
  __m256i places = places_of(block, stride, k);
  __m256i second = _mm256_cmpgt_epi32(places, _mm256_set1_epi32(VECTOR / WORD - 1));
  MPJ_Count ahead = ((narrow ? VECTOR : WINDOW) - block + stride - 1) / stride + 1;
  MPJ_Count room = (VECTOR + block - 1) / block;
  if (ahead < room) ahead = room;
  if (ahead < k) ahead = k;
  MPJ_Count i = 0;
  for (; count - i >= ahead; i += k, mem += k * stride, other += k * block) {
    __m256i v = _mm256_permutevar8x32_epi32(_mm256_loadu_si256((const __m256i *)mem), places);
    if (!narrow) {
      __m256i high = _mm256_loadu_si256((const __m256i *)(mem + VECTOR));
      v = _mm256_blendv_epi8(v, _mm256_permutevar8x32_epi32(high, places), second);
    }
    _mm256_storeu_si256((__m256i *)other, v);
  }
  return i;
}

enum { WORTH_COUNT = 16 };

INLINE bool pack_permuted(const char *mem, MPJ_Aint stride, char *other, MPJ_Aint other_stride,
                          MPJ_Count block, MPJ_Count count)
{
  if (count < WORTH_COUNT || other_stride != block || stride <= block || stride > VECTOR)
    return false;
  if ((block == 4 || block == 8) && stride == 2 * block) {
    MPJ_Count done = pack_halves(mem, other, block, count);
    for (; done < count; done++)
      memcpy(other + done * block, mem + done * stride, (size_t)block);
    return true;
  }
  if (block > VECTOR / 2 || block % WORD || stride % WORD) return false;
  MPJ_Count k = mpj_least(VECTOR / block, (WINDOW - block) / stride + 1);
  MPJ_Count one = mpj_least(VECTOR / block, (VECTOR - block) / stride + 1);
  bool narrow = one == k || 2 * one > k; /* one load a turn moves more */
  if (narrow) k = one;
  if (k < 3) return false;
  MPJ_Count done = pack_windows(mem, stride, other, block, count, k, narrow);
  for (; done < count; done++)
    memcpy(other + done * block, mem + done * stride, (size_t)block);
  return true;
}

INLINE void put_half(char *to, const __m128d v, int half)
{
  const double word = v[half]; /* stored from where it is */
  memcpy(to, &word, sizeof word);
}

/* Words of 8 bytes, which leave vectors by halves. */
INLINE bool unpack_permuted(char *mem, MPJ_Aint stride, const char *other, MPJ_Aint other_stride,
                            MPJ_Count block, MPJ_Count count)
{
  if (block != 8 || other_stride != 8 || count < WORTH_COUNT) return false;
  for (; count >= 4; count -= 4, other += VECTOR, mem += 4 * stride) {
    __m128d a, b;
    memcpy(&a, other, sizeof a);
    memcpy(&b, other + sizeof a, sizeof b);
    put_half(mem, a, 0);
    put_half(mem + stride, a, 1);
    put_half(mem + 2 * stride, b, 0);
    put_half(mem + 3 * stride, b, 1);
  }
  for (; count > 0; count--, other += 8, mem += stride)
    memcpy(mem, other, 8);
  return true;
}

INLINE MPJ_Count pack_listed(const char *mem, const int32_t offsets[], char *other, MPJ_Count k,
                             MPJ_Count count)
{
  if (k == 4) return pack_list_4(mem, offsets, other, count);
  if (k == 8) return pack_list_8(mem, offsets, other, count);
  return 0;
}

INLINE MPJ_Count unpack_listed(char *mem, const int32_t offsets[], const char *other, MPJ_Count k,
                               MPJ_Count count)
{
  if (k == 4) return unpack_list_4(mem, offsets, other, count);
  if (k == 8) return unpack_list_8(mem, offsets, other, count);
  return 0;
}

INLINE MPJ_Count pack_far_vectors(char *to, const char *from, MPJ_Aint stride, MPJ_Count k,
                                  MPJ_Count count)
{
  (void)to, (void)from, (void)stride, (void)k, (void)count;
  return 0;
}

INLINE void copy_dense(char *to, const char *from, size_t n)
{
  enum { TURN = 4 * VECTOR };
  if (n < TURN || is_for_memcpy(to, from, n)) {
    memcpy(to, from, n);
    return;
  }
  const char *end = from + n - TURN;
  char *to_end = to + n - TURN, last[TURN];
  move(last, end, TURN);
  /* The first vector to wherever it goes, all others to whole lines. */
  move(to, from, VECTOR);
  const size_t skip = VECTOR - (uintptr_t)to % VECTOR;
  from += skip;
  to += skip;
  for (; from < end; from += TURN, to += TURN)
    move(to, from, TURN);
  move(to_end, last, TURN);
}

#define COPY_DENSE copy_dense
#define MOVE move
#define KERNEL_SET mpj_kernels_avx2
#define KERNEL_SET_NAME "avx2"
#include "pack/kernels/kernels_loops.h"
