/* This file puts the header around an encoded type, and checks and removes it. */
#include "types/encoded/message.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "base/status.h"

enum { VERSION = 1, LITTLE = 1, BIG = 2, DEFLATED = 1 };
enum { AT_VERSION = 4, AT_ORDER = 5, AT_FLAGS = 6, AT_ZERO = 7, AT_LENGTH = 8, AT_BODY = 16 };
enum { AT_CRC = 24 };

/* Small bodies are worth the best compression, large ones a quick one. */
enum { LARGE = 65536 };

static const uint8_t magic[4] = {'M', 'P', 'J', 'T'};

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
static const uint8_t own_order = BIG;
#else
static const uint8_t own_order = LITTLE;
#endif

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
  for (unsigned b = 0; b < bytes; b++)
    at[b] = (uint8_t)(value >> (8 * b));
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  for (unsigned b = 0; b < bytes; b++)
    value |= (uint64_t)at[b] << (8 * b);
  return value;
}

static uint32_t checksum(const uint8_t *message, size_t bytes)
{
  uLong crc = crc32_z(0, message, AT_CRC);
  return (uint32_t)crc32_z(crc, message + MPJ_MESSAGE_HEADER, bytes - MPJ_MESSAGE_HEADER);
}

static int no_memory(size_t bytes)
{
  return mpj_error(MPJ_ERR_NO_MEM, "message of %zu bytes could not be allocated", bytes);
}

/* Deflate body[n] to out[n]; its length, or n if that gains nothing. */
static size_t deflate_body(const uint8_t *body, size_t n, uint8_t *out)
{
  z_stream z = {.next_in = (Bytef *)(uintptr_t)body, .next_out = out};
  if (n > UINT32_MAX) return n;
  if (deflateInit(&z, n > LARGE ? 1 : 6) != Z_OK) return n;
  z.avail_in = (uInt)n;
  z.avail_out = (uInt)n;
  const int end = deflate(&z, Z_FINISH);
  const size_t bytes = z.total_out;
  deflateEnd(&z);
  return end == Z_STREAM_END && bytes < n && n / MPJ_MESSAGE_RATIO < bytes ? bytes : n;
}

int mpj_message_make(const uint8_t *body, size_t n, void **out, size_t *bytes)
{
  uint8_t *message = mpj_alloc(MPJ_MESSAGE_HEADER + n);
  if (!message) return no_memory(MPJ_MESSAGE_HEADER + n);
  const size_t stored = deflate_body(body, n, message + MPJ_MESSAGE_HEADER);
  if (stored == n) memcpy(message + MPJ_MESSAGE_HEADER, body, n);
  const size_t length = MPJ_MESSAGE_HEADER + stored;
  memcpy(message, magic, sizeof magic);
  message[AT_VERSION] = VERSION;
  message[AT_ORDER] = own_order;
  message[AT_FLAGS] = stored < n ? DEFLATED : 0;
  message[AT_ZERO] = 0;
  put(message + AT_LENGTH, 8, length);
  put(message + AT_BODY, 8, n);
  put(message + AT_CRC, 4, checksum(message, length));
  *out = message;
  *bytes = length;
  return MPJ_SUCCESS;
}

static int check_header(const uint8_t *message, size_t bytes)
{
  if (bytes < MPJ_MESSAGE_HEADER || memcmp(message, magic, sizeof magic) != 0)
    return mpj_error(MPJ_ERR_FORMAT, "message of %zu bytes does not begin as an encoded type",
                     bytes);
  if (message[AT_VERSION] != VERSION)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "message has version %d, version %d can be read",
                     message[AT_VERSION], VERSION);
  if (get(message + AT_LENGTH, 8) != bytes)
    return mpj_error(MPJ_ERR_FORMAT, "message has %zu bytes, its header says %" PRIu64, bytes,
                     get(message + AT_LENGTH, 8));
  if (get(message + AT_CRC, 4) != checksum(message, bytes))
    return mpj_error(MPJ_ERR_FORMAT,
                     "message has checksum %08" PRIx32 ", its header says %08" PRIx64,
                     checksum(message, bytes), get(message + AT_CRC, 4));
  if (message[AT_ORDER] != own_order)
    return mpj_error(MPJ_ERR_UNSUPPORTED, "message describes data of byte order %d, here it is %d",
                     message[AT_ORDER], own_order);
  if (message[AT_FLAGS] > DEFLATED || message[AT_ZERO] != 0)
    return mpj_error(MPJ_ERR_FORMAT, "message has flags %d and %d", message[AT_FLAGS],
                     message[AT_ZERO]);
  return MPJ_SUCCESS;
}

/* Inflate in[n] to out[expected]: whether that is exactly what is in it. */
static bool inflate_body(const uint8_t *in, size_t n, uint8_t *out, size_t expected)
{
  z_stream z = {.next_in = (Bytef *)(uintptr_t)in, .next_out = out};
  if (n > UINT32_MAX || expected > UINT32_MAX || inflateInit(&z) != Z_OK) return false;
  z.avail_in = (uInt)n;
  z.avail_out = (uInt)expected;
  const int end = inflate(&z, Z_FINISH);
  const bool all = end == Z_STREAM_END && z.total_out == expected && z.avail_in == 0;
  inflateEnd(&z);
  return all;
}

int mpj_message_open(const void *message, size_t bytes, struct mpj_reader *body, void **inflated)
{
  const uint8_t *m = message, *stored = m + MPJ_MESSAGE_HEADER;
  int status = check_header(m, bytes);
  if (status) return status;
  const size_t n = bytes - MPJ_MESSAGE_HEADER;
  const uint64_t length = get(m + AT_BODY, 8);
  const bool deflated = m[AT_FLAGS] == DEFLATED;
  if (deflated ? length / MPJ_MESSAGE_RATIO > n : length != n)
    return mpj_error(MPJ_ERR_FORMAT, "message has a body of %zu bytes, its header says %" PRIu64, n,
                     length);
  *inflated = NULL;
  *body = (struct mpj_reader){stored, stored + n, false};
  if (!deflated) return MPJ_SUCCESS;
  uint8_t *out = mpj_alloc((size_t)length);
  if (!out) return no_memory((size_t)length);
  if (!inflate_body(stored, n, out, (size_t)length)) {
    mpj_free(out);
    return mpj_error(MPJ_ERR_FORMAT,
                     "message has a body that does not inflate to %" PRIu64 " bytes", length);
  }
  *inflated = out;
  *body = (struct mpj_reader){out, out + length, false};
  return MPJ_SUCCESS;
}
