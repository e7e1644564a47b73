/* This file decodes bit fields, eight at a time where the processor can: eight
 * fields of w bits fill w bytes, so each group starts at a byte, and one pattern
 * of byte moves and shifts serves them all. */
#include "types/sequence/unpack.h"

#include <stdbool.h>

#include "types/sequence/widths.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_X86 1
#endif

/* Values [first, first + n), where first is a multiple of 8; returns how many
 * were done, a multiple of 8: groups near f->end are left. */
typedef MPJ_Count groups_fn(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n,
                            MPJ_Count out[]);

/* As mpj_unpack_near of fields that are not empty, from a multiple of 8 on, where value `first`
 * less `from` lies `start` << shift from its field. */
typedef void near_fn(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, uint32_t start,
                     int32_t out[]);

static MPJ_Count groups_none(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n,
                             MPJ_Count out[])
{
  (void)f;
  (void)first;
  (void)n;
  (void)out;
  return 0;
}

#ifdef HAVE_X86

/* Groups whose `reach` bytes from their start can be read. */
static MPJ_Count readable_groups(const struct mpj_fields *f, const unsigned char *p, MPJ_Count n,
                                 ptrdiff_t reach)
{
  MPJ_Count groups = n / 8;
  ptrdiff_t spare = f->end - p - reach;
  if (spare < 0) return 0;
  MPJ_Count most = spare / (ptrdiff_t)f->width + 1;
  return groups < most ? groups : most;
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vbmi"))) static MPJ_Count
groups_avx512(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  const unsigned char *p = f->bits + (size_t)first / 8 * f->width;
  MPJ_Count groups = readable_groups(f, p, n, 64);
  const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i bit = _mm512_mullo_epi64(lane, _mm512_set1_epi64((long long)f->width));
  const __m512i bytes = _mm512_add_epi64(
      _mm512_mullo_epi64(_mm512_srli_epi64(bit, 3), _mm512_set1_epi64(0x0101010101010101)),
      _mm512_set1_epi64(0x0706050403020100));
  const __m512i down = _mm512_and_epi64(bit, _mm512_set1_epi64(7));
  const __m512i mask = _mm512_set1_epi64((long long)((UINT64_C(1) << f->width) - 1));
  const __m512i step = _mm512_set1_epi64((long long)(8 * f->slope));
  const __m128i up = _mm_cvtsi32_si128((int)f->shift);
  __m512i line =
      _mm512_add_epi64(_mm512_set1_epi64((long long)(f->base + (uint64_t)first * f->slope)),
                       _mm512_mullo_epi64(lane, _mm512_set1_epi64((long long)f->slope)));
  for (MPJ_Count g = 0; g < groups; g++, p += f->width) {
    __m512i v = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p));
    v = _mm512_and_epi64(_mm512_srlv_epi64(v, down), mask);
    _mm512_storeu_si512(out + 8 * g, _mm512_sll_epi64(_mm512_add_epi64(v, line), up));
    line = _mm512_add_epi64(line, step);
  }
  return 8 * groups;
}

/* Fields of up to 25 bits, 16 at a time: four bytes hold each, wherever it starts. first is a
 * multiple of 8. */
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vbmi"))) static void
near_avx512(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, uint32_t start, int32_t out[])
{
  const unsigned char *p = f->bits + (size_t)first / 8 * f->width;
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i bit = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)f->width));
  const __m512i slope = _mm512_set1_epi32((int)(uint32_t)f->slope);
  const __m512i bytes =
      _mm512_add_epi32(_mm512_mullo_epi32(_mm512_srli_epi32(bit, 3), _mm512_set1_epi32(0x01010101)),
                       _mm512_set1_epi32(0x03020100));
  const __m512i down = _mm512_and_epi32(bit, _mm512_set1_epi32(7));
  const __m512i mask = _mm512_set1_epi32((int)((1u << f->width) - 1));
  const __m512i step = _mm512_slli_epi32(slope, 4);
  const __m128i up = _mm_cvtsi32_si128((int)f->shift);
  __m512i line = _mm512_add_epi32(_mm512_mullo_epi32(slope, lane), _mm512_set1_epi32((int)start));
  const size_t group = 2 * (size_t)f->width;
  for (; n > 0 && f->end - p >= 64; n -= 16, out += 16, p += group) {
    __m512i v = _mm512_permutexvar_epi8(bytes, _mm512_loadu_si512(p));
    v = _mm512_and_epi32(_mm512_srlv_epi32(v, down), mask);
    _mm512_storeu_si512(out, _mm512_sll_epi32(_mm512_add_epi32(v, line), up));
    line = _mm512_add_epi32(line, step);
  }
  for (; n > 0; n -= 16, out += 16, p += group) {
    const size_t left = (size_t)(f->end - p);
    const __mmask64 there = (UINT64_C(1) << (group < left ? group : left)) - 1;
    __m512i v = _mm512_permutexvar_epi8(bytes, _mm512_maskz_loadu_epi8(there, p));
    v = _mm512_and_epi32(_mm512_srlv_epi32(v, down), mask);
    _mm512_storeu_si512(out, _mm512_sll_epi32(_mm512_add_epi32(v, line), up));
    line = _mm512_add_epi32(line, step);
  }
}

/* What near_avx2 knows of a width: the second four fields of a group start at byte `half`. */
struct near_pattern {
  ptrdiff_t half;
  __m256i bytes, down, mask; /* for each field: where its bytes are in its half, and its bits */
};

__attribute__((target("avx2"))) static inline struct near_pattern near_pattern_of(unsigned width)
{
  const int w = (int)width, skip = 4 * w % 8;
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 0, 1, 2, 3);
  const __m256i bit = _mm256_add_epi32(_mm256_mullo_epi32(lane, _mm256_set1_epi32(w)),
                                       _mm256_setr_epi32(0, 0, 0, 0, skip, skip, skip, skip));
  const __m256i start = _mm256_srli_epi32(bit, 3);
  return (struct near_pattern){
      4 * w / 8,
      _mm256_add_epi32(_mm256_mullo_epi32(start, _mm256_set1_epi32(0x01010101)),
                       _mm256_set1_epi32(0x03020100)),
      _mm256_and_si256(bit, _mm256_set1_epi32(7)), _mm256_set1_epi32((int)((1u << width) - 1))};
}

/* The eight fields at p, of which 16 bytes at p and at p + half can be read. */
__attribute__((target("avx2"))) static inline __m256i near_group(const unsigned char *p,
                                                                 const struct near_pattern *x)
{
  __m256i v = _mm256_loadu2_m128i((const __m128i *)(const void *)(p + x->half),
                                  (const __m128i *)(const void *)p);
  v = _mm256_shuffle_epi8(v, x->bytes);
  return _mm256_and_si256(_mm256_srlv_epi32(v, x->down), x->mask);
}

/* Fields of up to 25 bits, eight at a time. */
__attribute__((target("avx2"))) static void near_avx2(const struct mpj_fields *f, MPJ_Count first,
                                                      MPJ_Count n, uint32_t start, int32_t out[])
{
  enum { REACH = 16, LAST = 32 }; /* bytes: of a load, and of two */
  const struct near_pattern x = near_pattern_of(f->width);
  const unsigned char *p = f->bits + (size_t)first / 8 * f->width;
  const __m256i slope = _mm256_set1_epi32((int)(uint32_t)f->slope);
  const __m256i step = _mm256_slli_epi32(slope, 3);
  const __m128i up = _mm_cvtsi32_si128((int)f->shift);
  __m256i line =
      _mm256_add_epi32(_mm256_mullo_epi32(slope, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                       _mm256_set1_epi32((int)start));
  for (; n > 0 && f->end - p >= x.half + REACH; n -= 8, out += 8, p += f->width) {
    const __m256i v = _mm256_add_epi32(near_group(p, &x), line);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_sll_epi32(v, up));
    line = _mm256_add_epi32(line, step);
  }
  for (; n > 0; n -= 8, out += 8, p += f->width) {
    unsigned char last[LAST] = {0};
    memcpy(last, p, (size_t)(f->end - p < LAST ? f->end - p : LAST));
    const __m256i v = _mm256_add_epi32(near_group(last, &x), line);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_sll_epi32(v, up));
    line = _mm256_add_epi32(line, step);
  }
}

/* Where the fields 2 k and 2 k + 1 of a group lie, k < 4. */
struct pair {
  size_t at;     /* byte of the group that holds the first bit */
  __m128i bytes; /* moves each field's 8 bytes into its half */
};

static struct pair pair_of(unsigned width, unsigned k)
{
  size_t at = 2 * k * width / 8, second = (2 * k + 1) * width / 8 - at;
  long long bytes = 0x0706050403020100;
  return (struct pair){at, _mm_set_epi64x(bytes + (long long)second * 0x0101010101010101, bytes)};
}

__attribute__((target("avx2"))) static MPJ_Count
groups_avx2(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  const unsigned char *p = f->bits + (size_t)first / 8 * f->width;
  const long long w = (long long)f->width;
  MPJ_Count groups = readable_groups(f, p, n, (ptrdiff_t)(6 * w / 8 + 16));
  const struct pair pair[4] = {pair_of(f->width, 0), pair_of(f->width, 1), pair_of(f->width, 2),
                               pair_of(f->width, 3)};
  const __m256i low = _mm256_set_m128i(pair[1].bytes, pair[0].bytes);
  const __m256i high = _mm256_set_m128i(pair[3].bytes, pair[2].bytes);
  const __m256i low_down = _mm256_set_epi64x(3 * w % 8, 2 * w % 8, w % 8, 0);
  const __m256i high_down = _mm256_set_epi64x(7 * w % 8, 6 * w % 8, 5 * w % 8, 4 * w % 8);
  const __m256i mask = _mm256_set1_epi64x((long long)((UINT64_C(1) << w) - 1));
  const __m256i step = _mm256_set1_epi64x((long long)(4 * f->slope));
  const __m128i up = _mm_cvtsi32_si128((int)f->shift);
  const uint64_t start = f->base + (uint64_t)first * f->slope, s = f->slope;
  __m256i line = _mm256_set_epi64x((long long)(start + 3 * s), (long long)(start + 2 * s),
                                   (long long)(start + s), (long long)start);
  for (MPJ_Count g = 0; g < groups; g++, p += w) {
    __m256i a = _mm256_loadu2_m128i((const __m128i *)(const void *)(p + pair[1].at),
                                    (const __m128i *)(const void *)(p + pair[0].at));
    __m256i b = _mm256_loadu2_m128i((const __m128i *)(const void *)(p + pair[3].at),
                                    (const __m128i *)(const void *)(p + pair[2].at));
    a = _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(a, low), low_down), mask);
    b = _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(b, high), high_down), mask);
    a = _mm256_add_epi64(a, line);
    line = _mm256_add_epi64(line, step);
    b = _mm256_add_epi64(b, line);
    line = _mm256_add_epi64(line, step);
    _mm256_storeu_si256((__m256i *)(void *)(out + 8 * g), _mm256_sll_epi64(a, up));
    _mm256_storeu_si256((__m256i *)(void *)(out + 8 * g + 4), _mm256_sll_epi64(b, up));
  }
  return 8 * groups;
}

#endif

enum { MOST_KERNELS = 3 };

static struct kernel {
  groups_fn *groups;
  near_fn *near; /* or NULL */
} kernels[MOST_KERNELS] = {{groups_none, NULL}}, chosen = {groups_none, NULL};
static int nkernels = 1;

static enum mpj_width widest;

/* At load time, before any thread: the pointers never change later, but in tests. */
__attribute__((constructor)) static void choose_kernel(void)
{
#ifdef HAVE_X86
  __builtin_cpu_init();
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  if (wide)
    widest = MPJ_WIDTH_512;
  else if (__builtin_cpu_supports("avx2"))
    widest = MPJ_WIDTH_256;
  if (__builtin_cpu_supports("avx2")) kernels[nkernels++] = (struct kernel){groups_avx2, near_avx2};
  if (wide && __builtin_cpu_supports("avx512vbmi"))
    kernels[nkernels++] = (struct kernel){groups_avx512, near_avx512};
#endif
  mpj_unpack_use(nkernels - 1);
}

int mpj_unpack_kernels(void)
{
  return nkernels;
}

void mpj_unpack_use(int kernel)
{
  chosen = kernels[kernel];
  mpj_width = kernel < nkernels - 1 ? (enum mpj_width)kernel : widest;
}

static void unpack_line(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  uint64_t value = f->base + (uint64_t)first * f->slope;
  for (MPJ_Count k = 0; k < n; k++)
    out[k] = (MPJ_Count)((value + (uint64_t)k * f->slope) << f->shift);
}

void mpj_unpack(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count out[])
{
  MPJ_Count k = 0;
  if (f->width == 0) {
    unpack_line(f, first, n, out);
    return;
  }
  for (; k < n && (first + k) % 8 != 0; k++)
    out[k] = mpj_field_value(f, (uint64_t)(first + k));
  if (f->width < 64) k += chosen.groups(f, first + k, n - k, out + k);
  for (; k < n; k++)
    out[k] = mpj_field_value(f, (uint64_t)(first + k));
}

void mpj_unpack_near(const struct mpj_fields *f, MPJ_Count first, MPJ_Count n, MPJ_Count from,
                     int32_t out[])
{
  const uint32_t slope = (uint32_t)f->slope;
  const uint32_t start = (uint32_t)f->base - (uint32_t)(from >> f->shift) + (uint32_t)first * slope;
  MPJ_Count wide[128];
  if (f->width == 0) {
    for (MPJ_Count k = 0; k < n; k++)
      out[k] = (int32_t)((start + (uint32_t)k * slope) << f->shift);
    return;
  }
  if (chosen.near && first % 8 == 0) {
    chosen.near(f, first, n, start, out);
    return;
  }
  for (MPJ_Count m; n > 0; n -= m, first += m, out += m) {
    m = n < 128 ? n : 128;
    mpj_unpack(f, first, m, wide);
    for (MPJ_Count k = 0; k < m; k++)
      out[k] = (int32_t)((uint32_t)wide[k] - (uint32_t)from);
  }
}
