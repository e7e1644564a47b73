/* This header declares a growing buffer of bytes to write to and a bounded one
 * to read from: the two ends of the encoded form. Numbers of any size are
 * variable-length: 7 bits a byte, the lowest first, bit 7 set where more
 * follow; signed ones are folded first (0, -1, 1, -2, ... as 0, 1, 2, 3, ...). */
#ifndef MPJ_SRC_TYPES_ENCODED_BYTES_H
#define MPJ_SRC_TYPES_ENCODED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariant: n <= capacity; once failed, nothing more is written. */
struct mpj_writer {
  uint8_t *bytes; /* owned */
  size_t n, capacity;
  bool failed; /* memory ran out */
};

/* Room for `more` bytes at the end, or NULL; the caller adds to n what it used. */
uint8_t *mpj_writer_room(struct mpj_writer *w, size_t more);
void mpj_write_byte(struct mpj_writer *w, uint8_t byte);
void mpj_write_number(struct mpj_writer *w, uint64_t value);
void mpj_write_signed(struct mpj_writer *w, int64_t value);
void mpj_writer_free(struct mpj_writer *w);

/* What is left to read. Once failed (too short, or a number beyond 64 bits), all
 * reads give 0. */
struct mpj_reader {
  const uint8_t *at, *end; /* borrowed */
  bool failed;
};

static inline size_t mpj_reader_left(const struct mpj_reader *r)
{
  return (size_t)(r->end - r->at);
}

/* The next n bytes, or NULL if there are fewer. */
const uint8_t *mpj_read_bytes(struct mpj_reader *r, size_t n);
uint8_t mpj_read_byte(struct mpj_reader *r);
uint64_t mpj_read_number(struct mpj_reader *r);
int64_t mpj_read_signed(struct mpj_reader *r);

#endif
