/* This file tests that no bytes, however damaged or forged, do harm. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/encoded.h"
#include "types/encoded/encode.h"
#include "types/encoded/message.h"
#include "types/encoded/numbers.h"
#include "types/wanted.h"

START_TEST(damaged_messages_are_refused)
{
  struct mpj_random rng = {178};
  MPJ_Datatype t = irregular(300), broken;
  void *message;
  MPJ_Count bytes;
  must(mpj_type_encode(t, &message, &bytes));
  uint8_t *copy = malloc((size_t)bytes);
  ck_assert_ptr_nonnull(copy);
  for (MPJ_Count n = 0; n < bytes; n++) {
    memcpy(copy, message, (size_t)n);
    ck_assert_int_eq(MPJ_Type_decode(copy, n, &broken), MPJ_ERR_FORMAT);
  }
  for (MPJ_Count n = 0; n < bytes; n++) {
    memcpy(copy, message, (size_t)bytes);
    copy[n] ^= (uint8_t)(1 << mpj_random_in(&rng, 0, 7));
    int status = MPJ_Type_decode(copy, bytes, &broken);
    ck_assert(status == MPJ_ERR_FORMAT || (n == 4 && status == MPJ_ERR_UNSUPPORTED));
  }
  free(copy);
  mpj_free(message);
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

/* The body of a type's message, owned. */
static uint8_t *body_of(MPJ_Datatype type, size_t *n)
{
  void *message, *inflated;
  MPJ_Count bytes;
  struct mpj_reader body;
  must(mpj_type_encode(type, &message, &bytes));
  must(mpj_message_open(message, (size_t)bytes, &body, &inflated));
  *n = mpj_reader_left(&body);
  uint8_t *copy = malloc(*n + 8);
  ck_assert_ptr_nonnull(copy);
  memcpy(copy, body.at, *n);
  mpj_free(inflated);
  mpj_free(message);
  return copy;
}

static int decode_body(const uint8_t *body, size_t n, MPJ_Datatype *type)
{
  void *message;
  size_t bytes;
  must(mpj_message_make(body, n, &message, &bytes));
  int status = MPJ_Type_decode(message, (MPJ_Count)bytes, type);
  mpj_free(message);
  return status;
}

/* Bodies whose checksum is right, with some bytes changed: an error, or a type
 * that holds its invariants. */
START_TEST(forged_bodies_do_no_harm)
{
  struct mpj_random rng = {179};
  int refused = 0, made = 0;
  for (int n = 0; n < types_wanted / 3; n++) {
    struct mpj_random_options options = {.depth = 1 + n % 5};
    struct mpj_random_type t;
    size_t bytes;
    mpj_random_type_make(&rng, &options, &t);
    uint8_t *body = body_of(t.type, &bytes);
    for (int k = 0; k < 30; k++) {
      MPJ_Datatype forged;
      const size_t at = (size_t)mpj_random_in(&rng, 0, (int64_t)bytes - 1);
      const uint8_t before = body[at];
      body[at] = (uint8_t)mpj_random_next(&rng);
      int status = decode_body(body, bytes, &forged);
      body[at] = before;
      refused += status != MPJ_SUCCESS;
      made += status == MPJ_SUCCESS;
      if (status == MPJ_SUCCESS) {
        if (object_of(forged)->parts->count < 1000) ck_assert(mpj_type_check(object_of(forged)));
        free_unless_basic(&forged);
      } else {
        ck_assert(status == MPJ_ERR_FORMAT || status == MPJ_ERR_UNSUPPORTED);
      }
    }
    free(body);
    mpj_random_type_free(&t);
  }
  ck_assert(refused > types_wanted / 3 && made > types_wanted / 3);
  nothing_lives();
}
END_TEST

static void must_refuse(const char *body, size_t n, int code, const char *text)
{
  MPJ_Datatype type;
  must_fail(decode_body((const uint8_t *)body, n, &type), code, text);
}

START_TEST(bad_bodies_are_explained)
{
#define refuse(body, code, text) must_refuse(body, sizeof(body) - 1, code, text)
  refuse("\x00", MPJ_ERR_FORMAT, "0 types");
  refuse("\xff\xff\xff\xff\x0f\x00\x06\x04", MPJ_ERR_FORMAT, "4294967295 types in 3 bytes");
  refuse("\x01\x00\x63\x04", MPJ_ERR_UNSUPPORTED, "basic type 99");
  refuse("\x01\x00\x06\x08", MPJ_ERR_UNSUPPORTED, "MPJ_INT of 8 bytes, here it has 4");
  refuse("\x01\x00\x06\x04\x00", MPJ_ERR_FORMAT, "1 bytes after its last type");
  refuse("\x02\x00\x06\x04\x02\x01\x00\x01\x02\x02", MPJ_ERR_FORMAT, "the one 2 before");
  refuse("\x02\x00\x06\x04\x02\x01\x00\x01\x01\x01", MPJ_ERR_FORMAT, "count is -1");
  refuse("\x02\x00\x06\x04\x02\x02\x00\x01\x02\x02\x01", MPJ_ERR_FORMAT, "contiguous has 2 counts");
  refuse("\x02\x00\x06\x04\x02\xff\xff\x7f\x00\x01", MPJ_ERR_FORMAT, "bad number in type 1 of 2");
  refuse("\x02\x00\x06\x04\x55\x00\x00\x00", MPJ_ERR_FORMAT, "combiner is 85");
#undef refuse
  nothing_lives();
}
END_TEST

/* 32 dimensions of three shapes each would be 3^32 shapes of part. */
START_TEST(too_many_shapes_are_refused)
{
  struct mpj_writer w = {.bytes = NULL};
  MPJ_Datatype type;
  int64_t counts[2 + 4 * 32], last = 0;
  counts[0] = 32;
  for (int d = 0; d < 32; d++) {
    counts[1 + d] = 2;
    counts[33 + d] = MPJ_DISTRIBUTE_CYCLIC;
    counts[65 + d] = 1;
    counts[97 + d] = 3;
  }
  counts[129] = MPJ_ORDER_C;
  const uint8_t start[] = {2, 0, 0, 1, MPJ_COMBINER_DISTRIBUTION};
  for (size_t i = 0; i < sizeof start; i++)
    mpj_write_byte(&w, start[i]);
  mpj_write_number(&w, 130);
  mpj_write_number(&w, 0);
  mpj_write_number(&w, 1);
  mpj_write_frame(&w, counts, 128, &last);
  mpj_write_frame(&w, counts + 128, 2, &last);
  mpj_write_number(&w, 1);
  must_fail(decode_body(w.bytes, w.n, &type), MPJ_ERR_UNSUPPORTED, "too many different shapes");
  mpj_writer_free(&w);
  nothing_lives();
}
END_TEST

/* Many slices that cut through two sequences, too short for windows, each almost all
 * of them: short to write, and quadratic to make. */
START_TEST(slices_cannot_multiply_memory)
{
  enum { N = 3 * MPJ_LAYOUT_FRAME, SLICES = 2000 };
  struct mpj_writer w = {.bytes = NULL};
  static int64_t numbers[N + 1];
  MPJ_Datatype type;
  int64_t last = 0;
  const uint8_t basics[] = {0, 6, 4, 0, 4, 2}, olds[] = {1, 3, 1};
  const int64_t three[] = {3, 1, 1, 1, 0, 16 * N, 32 * N};
  mpj_write_number(&w, 4 + SLICES);
  for (size_t i = 0; i < sizeof basics; i++)
    mpj_write_byte(&w, basics[i]);
  mpj_write_byte(&w, MPJ_COMBINER_STRUCT);
  mpj_write_number(&w, N + 1);
  mpj_write_number(&w, N);
  mpj_write_number(&w, N);
  for (int i = 0; i <= N; i++)
    numbers[i] = i == 0 ? N : 1;
  for (size_t i = 0; i <= N; i += MPJ_NUMBERS_FRAME)
    mpj_write_frame(&w, numbers + i, N + 1 - i < 128 ? N + 1 - i : 128, &last);
  last = 0;
  for (int i = 0; i < N; i++)
    numbers[i] = 16 * i + (i == N - 1 ? 4 : 0); /* no period */
  for (size_t i = 0; i < N; i += MPJ_NUMBERS_FRAME)
    mpj_write_frame(&w, numbers + i, N - i < 128 ? N - i : 128, &last);
  for (int i = 0; i < N; i++)
    mpj_write_number(&w, (uint64_t)(1 + i % 2));
  mpj_write_byte(&w, MPJ_COMBINER_STRUCT);
  mpj_write_number(&w, 4);
  mpj_write_number(&w, 3);
  mpj_write_number(&w, 3);
  for (int i = 0; i < 7; i++)
    mpj_write_signed(&w, three[i]);
  for (int i = 0; i < 3; i++)
    mpj_write_number(&w, olds[i]);
  for (unsigned i = 0; i < SLICES; i++) {
    mpj_write_byte(&w, MPJ_COMBINER_SLICE);
    mpj_write_number(&w, 2);
    mpj_write_number(&w, 0);
    mpj_write_number(&w, 1);
    mpj_write_signed(&w, 1 + i / 100);
    mpj_write_signed(&w, 2 * N - 21 - i % 10);
    mpj_write_number(&w, i + 1);
  }
  must_fail(decode_body(w.bytes, w.n, &type), MPJ_ERR_UNSUPPORTED, "too many pieces");
  mpj_writer_free(&w);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 1200);
  return RUN_SUITE("decode", damaged_messages_are_refused, forged_bodies_do_no_harm,
                   bad_bodies_are_explained, too_many_shapes_are_refused,
                   slices_cannot_multiply_memory);
}
