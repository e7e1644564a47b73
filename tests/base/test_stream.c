/* This file tests the copy past the caches against memcpy, at every alignment. */
#include "base/stream.h"

#include <string.h>

#include "base/suite.h"

enum { ROOM = 40000, EDGE = 0x5a };

static void copy_and_compare(size_t to_at, size_t from_at, size_t bytes)
{
  static unsigned char from[ROOM], to[ROOM];
  for (size_t i = 0; i < ROOM; i++) {
    from[i] = (unsigned char)(i * 31 + i / 256);
    to[i] = EDGE;
  }
  mpj_stream_copy(to + to_at, from + from_at, bytes);
  ck_assert(memcmp(to + to_at, from + from_at, bytes) == 0);
  int wrong = 0;
  for (size_t i = 0; i < ROOM; i++)
    wrong += (i < to_at || i >= to_at + bytes) && to[i] != EDGE;
  ck_assert_int_eq(wrong, 0);
}

START_TEST(bytes_are_copied_at_every_alignment_and_no_others)
{
  static const size_t sizes[] = {0, 1, 63, 64, 65, 127, 128, 200, 1000, 4096, 16384, 16400, 36000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t at = 1; at <= 130; at += 3)
      copy_and_compare(at, 131 - at, sizes[i]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/stream", bytes_are_copied_at_every_alignment_and_no_others);
}
