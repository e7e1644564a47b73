/* This file tests how much memory decoding takes, of honest and of hostile bytes:
 * at most 4 MiB and 128 KiB for each byte of the message, at any time. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/encoded.h"
#include "types/encoded/encode.h"
#include "types/encoded/message.h"
#include "types/encoded/numbers.h"
#include "types/wanted.h"

enum { FREE_BYTES = 4 << 20, BYTES_A_BYTE = 128 << 10 };

static long worst_peak, worst_each; /* the most; and the most a byte beyond FREE_BYTES */

/* Decode the message and free what it gives; returns the peak, which is in bounds. */
static long decode(const void *message, MPJ_Count bytes)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  mpj_memory_meter_start();
  int status = MPJ_Type_decode(message, bytes, &type);
  const long peak = mpj_memory_meter_stop().peak, beyond = peak - FREE_BYTES;
  if (!status) free_unless_basic(&type);
  ck_assert_msg(beyond <= BYTES_A_BYTE * (long)bytes, "%ld bytes took %ld", (long)bytes, peak);
  if (peak > worst_peak) worst_peak = peak;
  if (beyond / (long)bytes > worst_each) worst_each = beyond / (long)bytes;
  return peak;
}

static long decode_body(const uint8_t *body, size_t n)
{
  void *message;
  size_t bytes;
  must(mpj_message_make(body, n, &message, &bytes));
  const long peak = decode(message, (MPJ_Count)bytes);
  mpj_free(message);
  return peak;
}

static long decode_type(MPJ_Datatype type)
{
  void *message;
  MPJ_Count bytes;
  must(mpj_type_encode(type, &message, &bytes));
  if (object_of(type)->basic < 0) must(MPJ_Type_free(&type));
  const long peak = decode(message, bytes);
  mpj_free(message);
  return peak;
}

static void report(const char *what)
{
  printf("%s: at most %ld bytes at once, %ld for each byte of a message beyond %d\n", what,
         worst_peak, worst_each, FREE_BYTES);
  worst_peak = worst_each = 0;
}

START_TEST(honest_messages_take_little)
{
  struct mpj_random rng = {901};
  for (int n = 0; n < types_wanted; n++) {
    struct mpj_random_options options = {.depth = 1 + n % 6, .max_elements = 1000};
    struct mpj_random_type t;
    void *message;
    MPJ_Count bytes;
    mpj_random_type_make(&rng, &options, &t);
    must(mpj_type_encode(t.type, &message, &bytes));
    mpj_random_type_free(&t);
    decode(message, bytes);
    mpj_free(message);
  }
  decode_type(irregular(200000));
  decode_type(vector(1000000, 3, 7, contiguous(5, MPJ_INT)));
  report("honest");
}
END_TEST

/* An array of n equal numbers, as short as it can be. */
static void write_equal(struct mpj_writer *w, MPJ_Count n, int64_t value)
{
  int64_t values[MPJ_NUMBERS_FRAME], last = value;
  for (int i = 0; i < MPJ_NUMBERS_FRAME; i++)
    values[i] = value;
  for (MPJ_Count i = 0; i < n; i += MPJ_NUMBERS_FRAME)
    mpj_write_frame(w, values, (size_t)(n - i < MPJ_NUMBERS_FRAME ? n - i : MPJ_NUMBERS_FRAME),
                    &last);
}

static void write_bytes(struct mpj_writer *w, const uint8_t bytes[], size_t n)
{
  for (size_t i = 0; i < n; i++)
    mpj_write_byte(w, bytes[i]);
}

/* An hindexed node over the type before: n + 1 counts, n addresses, one type. */
static void write_hindexed(struct mpj_writer *w, MPJ_Count n)
{
  mpj_write_byte(w, MPJ_COMBINER_HINDEXED);
  mpj_write_number(w, (uint64_t)n + 1);
  mpj_write_number(w, (uint64_t)n);
  mpj_write_number(w, 1);
  write_equal(w, n + 1, n);
  write_equal(w, n, 8);
  mpj_write_number(w, 1);
}

/* Three bytes are 128 numbers, and hundreds of frames deflate to a few bytes. */
START_TEST(long_arrays_of_few_bytes_are_bounded)
{
  static const uint8_t basic[] = {0, 6, 4};
  for (MPJ_Count n = 1000; n <= 1000000; n *= 10) {
    struct mpj_writer w = {.bytes = NULL};
    mpj_write_number(&w, 2);
    write_bytes(&w, basic, sizeof basic);
    write_hindexed(&w, n);
    ck_assert_int_gt(decode_body(w.bytes, w.n), 16 * n);
    mpj_writer_free(&w);
  }
  report("long arrays");
}
END_TEST

/* Lengths that nobody sent are not allocated. */
START_TEST(forged_lengths_are_not_believed)
{
  static const uint8_t start[] = {2, 0, 6, 4, MPJ_COMBINER_HINDEXED};
  for (int bits = 10; bits < 63; bits++) {
    struct mpj_writer w = {.bytes = NULL};
    write_bytes(&w, start, sizeof start);
    mpj_write_number(&w, UINT64_C(1) << bits);
    mpj_write_number(&w, UINT64_C(1) << bits);
    mpj_write_number(&w, 1);
    ck_assert_int_lt(decode_body(w.bytes, w.n), 64 << 10);
    mpj_writer_free(&w);
  }
  report("forged lengths");
}
END_TEST

/* Each dimension that is dealt out in three shapes multiplies the shapes of part. */
START_TEST(many_shapes_of_few_bytes_are_bounded)
{
  for (int ndims = 1; ndims <= 12; ndims++) {
    struct mpj_writer w = {.bytes = NULL};
    const uint8_t start[] = {2, 0, 6, 4, MPJ_COMBINER_DISTRIBUTION};
    int64_t counts[2 + 4 * 12] = {ndims}, last = 0;
    for (int d = 0; d < ndims; d++) {
      counts[1 + d] = 8;
      counts[1 + ndims + d] = MPJ_DISTRIBUTE_CYCLIC;
      counts[1 + 2 * ndims + d] = 3;
      counts[1 + 3 * ndims + d] = 4;
    }
    counts[1 + 4 * ndims] = MPJ_ORDER_C;
    const size_t n = 2 + 4 * (size_t)ndims;
    write_bytes(&w, start, sizeof start);
    mpj_write_number(&w, n);
    mpj_write_number(&w, 0);
    mpj_write_number(&w, 1);
    for (size_t i = 0; i < n && n < MPJ_NUMBERS_FRAMED; i++)
      mpj_write_signed(&w, counts[i]);
    if (n >= MPJ_NUMBERS_FRAMED) mpj_write_frame(&w, counts, n, &last);
    mpj_write_number(&w, 1);
    decode_body(w.bytes, w.n);
    mpj_writer_free(&w);
  }
  report("many shapes");
}
END_TEST

/* Many nodes over one long one, each of a few bytes. */
START_TEST(many_nodes_over_a_long_one_are_bounded)
{
  static const uint8_t slice[] = {MPJ_COMBINER_SLICE, 2, 0, 1, 2};
  enum { N = 20000, SLICES = 3000 };
  struct mpj_writer w = {.bytes = NULL};
  static const uint8_t basic[] = {0, 6, 4};
  mpj_write_number(&w, 2 + SLICES);
  write_bytes(&w, basic, sizeof basic);
  write_hindexed(&w, N);
  for (int i = 0; i < SLICES; i++) {
    write_bytes(&w, slice, sizeof slice);
    mpj_write_signed(&w, (int64_t)N * N - 10 - i);
    mpj_write_number(&w, (uint64_t)i + 1);
  }
  decode_body(w.bytes, w.n);
  mpj_writer_free(&w);
  report("many nodes");
}
END_TEST

/* Bodies whose checksum is right, with some bytes changed. */
START_TEST(forged_bodies_are_bounded)
{
  struct mpj_random rng = {902};
  for (int n = 0; n < types_wanted / 4; n++) {
    struct mpj_random_options options = {.depth = 1 + n % 5};
    struct mpj_random_type t;
    struct mpj_reader body;
    void *message, *inflated;
    MPJ_Count bytes;
    mpj_random_type_make(&rng, &options, &t);
    must(mpj_type_encode(t.type, &message, &bytes));
    must(mpj_message_open(message, (size_t)bytes, &body, &inflated));
    const size_t length = mpj_reader_left(&body);
    uint8_t *copy = malloc(length);
    ck_assert_ptr_nonnull(copy);
    for (int k = 0; k < 30; k++) {
      memcpy(copy, body.at, length);
      for (int64_t changes = mpj_random_in(&rng, 1, 3); changes > 0; changes--)
        copy[mpj_random_in(&rng, 0, (int64_t)length - 1)] = (uint8_t)mpj_random_next(&rng);
      decode_body(copy, length);
    }
    free(copy);
    mpj_free(inflated);
    mpj_free(message);
    mpj_random_type_free(&t);
  }
  report("forged");
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 1200);
  return RUN_SUITE("decode memory", honest_messages_take_little,
                   long_arrays_of_few_bytes_are_bounded, forged_lengths_are_not_believed,
                   many_shapes_of_few_bytes_are_bounded, many_nodes_over_a_long_one_are_bounded,
                   forged_bodies_are_bounded);
}
