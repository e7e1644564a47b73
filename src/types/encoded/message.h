/* This header declares the frame around an encoded type: a header that says what
 * follows, how long it is and what its checksum is, and the body, as it is or
 * deflated. Integers of the header are little-endian:
 *   0   4  "MPJT"
 *   4   1  version, 1
 *   5   1  byte order of the data that the type describes: 1 little, 2 big
 *   6   1  1: the body is deflated (zlib format); 0: it is not
 *   7   1  0
 *   8   8  bytes of the whole message
 *   16  8  bytes of the body before deflation
 *   24  4  crc32 (zlib's) of bytes 0 to 23 and of everything from 28 on
 *   28     the body */
#ifndef MPJ_SRC_TYPES_ENCODED_MESSAGE_H
#define MPJ_SRC_TYPES_ENCODED_MESSAGE_H

#include "types/encoded/bytes.h"

enum { MPJ_MESSAGE_HEADER = 28 };

/* A deflated body is at most so many times shorter, so that what is read back
 * takes memory in proportion to what came. */
enum { MPJ_MESSAGE_RATIO = 32 };

/* Make the message of a body: sets *out (owned) and *bytes.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_message_make(const uint8_t *body, size_t n, void **out, size_t *bytes);

/* Check a message and set *body to its body, and *inflated (owned, maybe NULL) to
 * the memory that it is in, if not in the message itself.
 * Errors: MPJ_ERR_FORMAT, MPJ_ERR_UNSUPPORTED (version, byte order), MPJ_ERR_NO_MEM. */
int mpj_message_open(const void *message, size_t bytes, struct mpj_reader *body, void **inflated);

#endif
