/* This file writes and reads bytes and variable-length numbers. */
#include "types/encoded/bytes.h"

#include <string.h>

#include "base/memory.h"

enum { NUMBER_MAX = 10 }; /* bytes of a 64-bit number */

static bool grow(struct mpj_writer *w, size_t more)
{
  size_t capacity = w->capacity < 256 ? 256 : w->capacity;
  while (capacity - w->n < more)
    capacity *= 2;
  uint8_t *bytes = mpj_alloc(capacity);
  if (!bytes) return false;
  if (w->n > 0) memcpy(bytes, w->bytes, w->n);
  mpj_free(w->bytes);
  w->bytes = bytes;
  w->capacity = capacity;
  return true;
}

uint8_t *mpj_writer_room(struct mpj_writer *w, size_t more)
{
  if (w->failed || (w->capacity - w->n < more && !grow(w, more))) {
    w->failed = true;
    return NULL;
  }
  return w->bytes + w->n;
}

void mpj_write_byte(struct mpj_writer *w, uint8_t byte)
{
  uint8_t *at = mpj_writer_room(w, 1);
  if (!at) return;
  *at = byte;
  w->n++;
}

void mpj_write_number(struct mpj_writer *w, uint64_t value)
{
  uint8_t *at = mpj_writer_room(w, NUMBER_MAX);
  if (!at) return;
  size_t n = 0;
  for (; value > 0x7f; value >>= 7)
    at[n++] = (uint8_t)((value & 0x7f) | 0x80);
  at[n++] = (uint8_t)value;
  w->n += n;
}

void mpj_write_signed(struct mpj_writer *w, int64_t value)
{
  const uint64_t sign = value < 0 ? ~UINT64_C(0) : 0;
  mpj_write_number(w, ((uint64_t)value << 1) ^ sign);
}

void mpj_writer_free(struct mpj_writer *w)
{
  mpj_free(w->bytes);
  *w = (struct mpj_writer){.bytes = NULL};
}

const uint8_t *mpj_read_bytes(struct mpj_reader *r, size_t n)
{
  if (r->failed || mpj_reader_left(r) < n) {
    r->failed = true;
    return NULL;
  }
  const uint8_t *at = r->at;
  r->at += n;
  return at;
}

uint8_t mpj_read_byte(struct mpj_reader *r)
{
  const uint8_t *at = mpj_read_bytes(r, 1);
  return at ? *at : 0;
}

uint64_t mpj_read_number(struct mpj_reader *r)
{
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = mpj_read_byte(r);
    const uint64_t bits = byte & 0x7f;
    if (shift == 63 && bits > 1) break;
    value |= bits << shift;
    if (!(byte & 0x80)) return value;
  }
  r->failed = true;
  return 0;
}

int64_t mpj_read_signed(struct mpj_reader *r)
{
  const uint64_t folded = mpj_read_number(r);
  const uint64_t sign = folded & 1 ? ~UINT64_C(0) : 0;
  return (int64_t)((folded >> 1) ^ sign);
}
