/* This file streams rows: whole cache lines are stored without reading them first,
 * which is a third of what an unpack into memory costs. The rest of a row, before
 * its first and after its last whole line, is stored as ever.
 *
 * Rows at twice their length, 16 and 64 MiB of them, Zen 4, against a loop of wide
 * moves: unpacked from 64 bytes on, if they are whole lines, 1.7 to 2.4 times as
 * fast, of any other length from 400 bytes on 1.5 to 2.5 times, shorter ones 0.8 to
 * 1.0; and still 1.2 to 1.8 times if all of it is read afterwards. Below 8 MiB it
 * depends on who else uses the cache. Rows of a nest are streamed if all of it is as
 * much, and 32 KiB of it are moved at a time: 128 planes of 256 rows of 2 KiB, 16 and
 * 32 bytes apart, by two ranks at once (Zen 3), 12.5 and 12.7 ms by memcpy, 8.9 and 8.4 so, 8.0
 * and 7.6 with what is read fetched 1 KiB ahead and short ends moved in place. Packing gains
 * nothing (0.7 to 1.1): its stores follow one another, and the loads are the limit. */
#include "pack/kernels/kernels_stream.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

enum { LINE = 64, ROW_LEAST = 400, PART_LEAST = 1 << 15, AHEAD = 1024 };

static bool is_whole_lines(const char *to, MPJ_Aint stride, MPJ_Count block)
{
  return ((uintptr_t)to | (uintptr_t)stride | (uintptr_t)block) % LINE == 0;
}

static inline void stream_line(char *to, const char *from)
{
  __m128i line[4];
  memcpy(line, from, sizeof line);
  for (int i = 0; i < 4; i++)
    _mm_stream_si128((__m128i *)(void *)to + i, line[i]);
}

/* n < LINE bytes. */
static inline void copy_few(char *to, const char *from, size_t n)
{
  size_t i = 0;
  if (n & 32) memcpy(to, from, 32), i = 32;
  if (n & 16) memcpy(to + i, from + i, 16), i += 16;
  if (n & 8) memcpy(to + i, from + i, 8), i += 8;
  for (; i < n; i++)
    to[i] = from[i];
}

static inline void stream_row(char *to, const char *from, size_t n)
{
  size_t i = -(uintptr_t)to % LINE;
  copy_few(to, from, i);
  for (; n - i >= LINE; i += LINE) {
    __builtin_prefetch(from + i + AHEAD);
    stream_line(to + i, from + i);
  }
  copy_few(to + i, from + i, n - i);
}

bool mpj_stream_rows(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                     MPJ_Count block, MPJ_Count count, MPJ_Count whole)
{
  if (block < LINE || whole < MPJ_STREAM_BYTES || count < PART_LEAST / block) return false;
  if (to_stride < block && to_stride > -block) return false; /* rows over one another */
  if (block < ROW_LEAST && !is_whole_lines(to, to_stride, block)) return false;
  for (; count > 0; count--, to += to_stride, from += from_stride)
    stream_row(to, from, (size_t)block);
  _mm_sfence();
  return true;
}

#else

bool mpj_stream_rows(char *to, MPJ_Aint to_stride, const char *from, MPJ_Aint from_stride,
                     MPJ_Count block, MPJ_Count count, MPJ_Count whole)
{
  (void)to, (void)to_stride, (void)from, (void)from_stride, (void)block, (void)count, (void)whole;
  return false;
}

#endif
