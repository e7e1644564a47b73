/* This file copies with streaming stores. */
#include "base/stream.h"

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64, AHEAD = 512 }; /* bytes */

/* Whole lines; `to` on a line's border. */
static void copy_lines(char *to, const char *from, size_t lines)
{
  for (; lines > 0; lines--, to += LINE, from += LINE) {
    _mm_prefetch(from + AHEAD, _MM_HINT_NTA);
    const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
    const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
    const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
    _mm_stream_si128((__m128i *)(void *)to, a);
    _mm_stream_si128((__m128i *)(void *)(to + 16), b);
    _mm_stream_si128((__m128i *)(void *)(to + 32), c);
    _mm_stream_si128((__m128i *)(void *)(to + 48), d);
  }
  _mm_sfence();
}

void mpj_stream_copy(void *to, const void *from, size_t bytes)
{
  char *t = to;
  const char *f = from;
  size_t head = (LINE - (uintptr_t)t % LINE) % LINE;
  if (head > bytes) head = bytes;
  memcpy(t, f, head);
  const size_t body = (bytes - head) / LINE * LINE;
  copy_lines(t + head, f + head, body / LINE);
  memcpy(t + head + body, f + head + body, bytes - head - body);
}

#else

void mpj_stream_copy(void *to, const void *from, size_t bytes)
{
  memcpy(to, from, bytes);
}

#endif
