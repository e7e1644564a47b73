/* This file copies with streaming stores. */
#include "base/stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64, PAGE = 4096, LANES = 4 }; /* bytes; pages in step */

static inline void copy_line(char *to, const char *from)
{
  const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
  const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
  const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
  const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
  _mm_stream_si128((__m128i *)(void *)to, a);
  _mm_stream_si128((__m128i *)(void *)(to + 16), b);
  _mm_stream_si128((__m128i *)(void *)(to + 32), c);
  _mm_stream_si128((__m128i *)(void *)(to + 48), d);
}

/* LANES pages, a line of each in turn: a processor fetches ahead within a page only, and so
 * works at several. 64 MiB, Sapphire Rapids: one lane 11 ms, four 7.5; by two cores 8 and 3.7;
 * wider registers and fetching ahead gain nothing more. */
static void copy_pages(char *to, const char *from)
{
  for (size_t i = 0; i < PAGE; i += LINE)
    for (size_t lane = 0; lane < LANES; lane++)
      copy_line(to + lane * PAGE + i, from + lane * PAGE + i);
}

/* Whole lines; `to` on a line's border. */
static void copy_lines(char *to, const char *from, size_t bytes)
{
  size_t i = 0;
  for (; bytes - i >= LANES * PAGE; i += LANES * PAGE)
    copy_pages(to + i, from + i);
  for (; i < bytes; i += LINE)
    copy_line(to + i, from + i);
}

void mpj_stream_end(void)
{
  _mm_sfence();
}

void mpj_stream_add(void *to, const void *from, size_t bytes)
{
  char *t = to;
  const char *f = from;
  size_t head = (LINE - (uintptr_t)t % LINE) % LINE;
  if (head > bytes) head = bytes;
  memcpy(t, f, head);
  const size_t body = (bytes - head) / LINE * LINE;
  copy_lines(t + head, f + head, body);
  memcpy(t + head + body, f + head + body, bytes - head - body);
}

#else

void mpj_stream_end(void)
{
}

void mpj_stream_add(void *to, const void *from, size_t bytes)
{
  memcpy(to, from, bytes);
}

#endif

void mpj_stream_copy(void *to, const void *from, size_t bytes)
{
  mpj_stream_add(to, from, bytes);
  mpj_stream_end();
}
