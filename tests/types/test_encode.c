/* This file tests that types survive encoding. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "types/alike.h"
#include "types/encoded.h"
#include "types/encoded/encode.h"
#include "types/encoded/numbers.h"
#include "types/random_type.h"
#include "types/wanted.h"

static MPJ_Datatype decode(const void *message, MPJ_Count bytes, const char *text)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_decode(message, bytes, &type);
  ck_assert_msg(status == MPJ_SUCCESS, "%s: %s", text, MPJ_Error_detail());
  return type;
}

static void round_trip(MPJ_Datatype type, const char *text)
{
  void *message, *again;
  MPJ_Count bytes, bytes_again;
  must(mpj_type_encode(type, &message, &bytes));
  MPJ_Datatype decoded = decode(message, bytes, text);
  must_be_alike(type, decoded, text, 1);
  must(mpj_type_encode(decoded, &again, &bytes_again));
  ck_assert_msg(bytes == bytes_again && memcmp(message, again, (size_t)bytes) == 0,
                "%s: encoded anew", text);
  mpj_free(again);
  mpj_free(message);
  free_unless_basic(&decoded);
}

START_TEST(random_types_survive)
{
  struct mpj_random rng = {177};
  for (int n = 0; n < types_wanted; n++) {
    struct mpj_random_options options = {.depth = n % 9};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    round_trip(t.type, t.text);
    for (MPJ_Count i = 0; i < t.ref->nparts && i < 2; i++) {
      MPJ_Aint displ;
      MPJ_Datatype part;
      must(MPJ_Type_part(t.type, i, &displ, &part));
      round_trip(part, t.text);
      must(MPJ_Type_free(&part));
    }
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

START_TEST(a_type_used_twice_is_written_once)
{
  MPJ_Datatype t = vector(5, 2, 3, MPJ_DOUBLE), over;
  void *message;
  MPJ_Count bytes;
  const MPJ_Count lens[] = {1, 2};
  for (int depth = 0; depth < 50; depth++) {
    const MPJ_Aint displs[] = {0, 8 * extent_of(t) + 8};
    const MPJ_Datatype types[] = {t, depth % 2 ? t : MPJ_INT};
    must(MPJ_Type_create_struct(2, lens, displs, types, &over));
    must(MPJ_Type_free(&t));
    t = over;
    if (extent_of(t) > INT64_MAX / 64) break;
  }
  must(mpj_type_encode(t, &message, &bytes));
  ck_assert_int_lt(bytes, 2000);
  MPJ_Datatype decoded = decode(message, bytes, "nest");
  must_be_alike(t, decoded, "nest", 0);
  mpj_free(message);
  MPJ_Datatype all[] = {t, decoded};
  free_types(2, all);
  nothing_lives();
}
END_TEST

START_TEST(irregular_blocks_take_two_and_a_half_bytes)
{
  enum { N = 100000 };
  MPJ_Datatype t = irregular(N), decoded;
  void *message;
  MPJ_Count bytes;
  must(mpj_type_encode(t, &message, &bytes));
  ck_assert_int_le(2 * bytes, 5 * N);
  decoded = decode(message, bytes, "irregular");
  ck_assert(same_map(t, decoded));
  mpj_free(message);
  MPJ_Datatype all[] = {t, decoded};
  free_types(2, all);
  nothing_lives();
}
END_TEST

START_TEST(every_failed_allocation_is_survived)
{
  struct mpj_random rng = {180};
  for (int n = 0; n < types_wanted / 20; n++) {
    struct mpj_random_options options = {.depth = 4};
    struct mpj_random_type t;
    void *message;
    MPJ_Count bytes;
    MPJ_Datatype decoded;
    int status = MPJ_ERR_NO_MEM;
    mpj_random_type_make(&rng, &options, &t);
    long before = mpj_memory_outstanding();
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = mpj_type_encode(t.type, &message, &bytes);
      mpj_memory_fail_after(-1);
      if (status) ck_assert_int_eq(mpj_memory_outstanding(), before);
    }
    must(status);
    before = mpj_memory_outstanding();
    status = MPJ_ERR_NO_MEM;
    for (long successes = 0; status == MPJ_ERR_NO_MEM; successes++) {
      mpj_memory_fail_after(successes);
      status = MPJ_Type_decode(message, bytes, &decoded);
      mpj_memory_fail_after(-1);
      if (status) ck_assert_int_eq(mpj_memory_outstanding(), before);
    }
    must(status);
    mpj_free(message);
    free_unless_basic(&decoded);
    mpj_random_type_free(&t);
  }
  nothing_lives();
}
END_TEST

START_TEST(the_caller_gives_the_memory)
{
  MPJ_Datatype t = vector(5, 2, 3, MPJ_DOUBLE), again;
  MPJ_Count needed = 0, exact = 0;
  must(MPJ_Type_encode(t, NULL, 0, &needed));
  ck_assert_int_gt(needed, 0);
  unsigned char *out = malloc((size_t)needed + 1);
  ck_assert_ptr_nonnull(out);
  memset(out, 0x5a, (size_t)needed + 1);
  must_fail(MPJ_Type_encode(t, out, needed - 1, &exact), MPJ_ERR_TRUNCATE, "size is");
  ck_assert_int_eq(exact, needed);
  for (MPJ_Count i = 0; i <= needed; i++)
    ck_assert_uint_eq(out[i], 0x5a);
  must(MPJ_Type_encode(t, out, needed, &exact));
  ck_assert_int_eq(exact, needed);
  ck_assert_uint_eq(out[needed], 0x5a);
  must(MPJ_Type_decode(out, needed, &again));
  must_be_alike(t, again, "vector", 1);
  free(out);
  must(MPJ_Type_free(&again));
  must(MPJ_Type_free(&t));
  nothing_lives();
}
END_TEST

START_TEST(bad_arguments_are_named)
{
  char out[1];
  MPJ_Count bytes;
  MPJ_Datatype type;
  must_fail(MPJ_Type_encode(MPJ_INT, NULL, 0, NULL), MPJ_ERR_ARG, "needed is NULL");
  must_fail(MPJ_Type_encode(MPJ_INT, NULL, 1, &bytes), MPJ_ERR_ARG, "out is NULL");
  must_fail(MPJ_Type_encode(MPJ_INT, out, -1, &bytes), MPJ_ERR_ARG, "size is -1");
  must_fail(MPJ_Type_encode(MPJ_DATATYPE_NULL, out, 1, &bytes), MPJ_ERR_TYPE, "type is");
  must_fail(MPJ_Type_decode(NULL, 5, &type), MPJ_ERR_ARG, "message is NULL");
  must_fail(MPJ_Type_decode("", -1, &type), MPJ_ERR_ARG, "bytes is -1");
  must_fail(MPJ_Type_decode("", 0, NULL), MPJ_ERR_ARG, "newtype is NULL");
  must_fail(MPJ_Type_decode("MPJ", 3, &type), MPJ_ERR_FORMAT, "3 bytes does not begin");
}
END_TEST

static void numbers_survive(const int64_t values[], size_t n)
{
  struct mpj_writer w = {.bytes = NULL};
  int64_t last = 17, read[MPJ_NUMBERS_FRAME];
  mpj_write_frame(&w, values, n, &last);
  ck_assert(!w.failed && last == values[n - 1] && w.n >= MPJ_FRAME_BYTES_MIN);
  struct mpj_reader r = {w.bytes, w.bytes + w.n, false};
  last = 17;
  mpj_read_frame(&r, read, n, &last);
  ck_assert(!r.failed && mpj_reader_left(&r) == 0 && last == values[n - 1]);
  ck_assert_mem_eq(read, values, n * sizeof *values);
  mpj_writer_free(&w);
}

START_TEST(frames_of_any_numbers_survive)
{
  struct mpj_random rng = {181};
  int64_t values[MPJ_NUMBERS_FRAME];
  for (int k = 0; k < 20000; k++) {
    const size_t n = (size_t)mpj_random_in(&rng, 1, MPJ_NUMBERS_FRAME);
    const unsigned drop = (unsigned)mpj_random_in(&rng, 0, 63);
    const unsigned shift = (unsigned)mpj_random_in(&rng, 0, 63);
    const uint64_t slope = mpj_random_in(&rng, 0, 1) ? mpj_random_next(&rng) >> drop : 0;
    for (size_t i = 0; i < n; i++)
      values[i] = (int64_t)((mpj_random_next(&rng) >> drop << shift) + i * slope);
    numbers_survive(values, n);
  }
  values[0] = INT64_MIN;
  values[1] = INT64_MAX;
  values[2] = -1;
  numbers_survive(values, 3);
}
END_TEST

/* Counts, strides and bounds at the ends of what 64 bits hold. */
static const char *const extremes[] = {
    "resized(-9223372036854775808,9223372036854775807,int)",
    "hindexed([1,1],[-4611686018427387904,4611686018427387000],int)",
    "hindexed([1*3],[9223372036854775800,9223372036854775799,9223372036854775700],byte)",
    "hvector(2,1,-9223372036854775000,byte)",
    "hvector(1,1,9223372036854775807,byte)",
    "vector(0,0,0,double)",
    "contiguous(2305843009213693951,float)",
    "subarray([9223372036854775807],[1],[9223372036854775806],C,byte)",
    "distribution([9223372036854775807],[cyclic],[1],[2147483647],C,byte)",
    "darray(2147483647,2147483646,[9223372036854775807],[block],[dflt],[2147483647],C,byte)",
};

static void survives(const char *text)
{
  MPJ_Datatype type;
  MPJ_Count bytes, length;
  void *message;
  char again[200];
  ck_assert_msg(MPJ_Type_parse(text, &type) == MPJ_SUCCESS, "%s: %s", text, MPJ_Error_detail());
  must(mpj_type_encode(type, &message, &bytes));
  MPJ_Datatype decoded = decode(message, bytes, text);
  must(MPJ_Type_print(decoded, again, sizeof again, &length));
  ck_assert_str_eq(text, again);
  ck_assert(same_map(type, decoded) && extent_of(type) == extent_of(decoded));
  mpj_free(message);
  MPJ_Datatype both[] = {type, decoded};
  free_types(2, both);
}

START_TEST(extreme_numbers_survive)
{
  for (size_t i = 0; i < sizeof extremes / sizeof extremes[0]; i++)
    survives(extremes[i]);
  nothing_lives();
}
END_TEST

/* The test vectors of spec/datatypes-encoding.md. */
static const struct vector_row {
  const char *text, *hex;
  bool deflated;
} vectors[] = {
    {"int",
     "4d504a540101000020000000000000000400000000000000"
     "89c60c6d"
     "01000604",
     false},
    {"vector(3,2,4,double)",
     "4d504a540101000028000000000000000c00000000000000"
     "abc40742"
     "020015080303000106040801",
     false},
    {"struct([1,2],[0,8],[int,contiguous(2,double)])",
     "4d504a540101000034000000000000001800000000000000"
     "03e8019e"
     "040006040015080201000104010903020204020400100301",
     false},
    {"indexed([1*20],[0,3,4,9,11,16,21,22,30,31,40,41,43,50,53,60,62,66,70,75],float)",
     "4d504a540101000042000000000000002600000000000000"
     "26c76c5b"
     "0200140405290001850028256"
     "0ce39e79c73ce39e79c73ce292dc51563ba29a7555b5defc501",
     false},
    {"bucket_index([2,1],[0,1,0],[0,3,5],int)",
     "4d504a54010100002f000000000000001300000000000000"
     "23734981"
     "020006040e0a00010604040200020000060a01",
     false},
    {"bucket_struct([1,2],[int,double],[1,0,1],[0,32,40])",
     "4d504a540101000033000000000000001700000000000000"
     "a7d3e527"
     "0300060400150810070302060402040200020040500201",
     false},
    {"slice(1,4,vector(3,2,4,int))",
     "4d504a54010100002f000000000000001300000000000000"
     "1caa8a11"
     "03000604030300010604080112020001020801",
     false},
    {"sparse(1000000,[7,999999],[0,64],[int,double])",
     "4d504a540101000034000000000000001800000000000000"
     "c4a845e8"
     "030006040015081304020280897a040efe887a0080010201",
     false},
    {"indexed([3*1000],[7+5*1000],int)",
     "4d504a540101010049000000000000001301000000000000"
     "8919fe1c"
     "789c6362606361bdc8cfc0c8c5c0f694996190033634d44cbcd69cdbdb724148ac81818b0b1f6604005b490c8c",
     true},
};

static void check_vector(const struct vector_row *v)
{
  const size_t n = strlen(v->hex) / 2;
  uint8_t bytes[128];
  MPJ_Datatype type;
  void *message;
  MPJ_Count length;
  for (size_t i = 0; i < n; i++) {
    const char digits[] = {v->hex[2 * i], v->hex[2 * i + 1], '\0'};
    bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
  }
  must(MPJ_Type_parse(v->text, &type));
  MPJ_Datatype decoded = decode(bytes, (MPJ_Count)n, v->text);
  must_be_alike(type, decoded, v->text, 1);
  must(mpj_type_encode(type, &message, &length));
  if (!v->deflated) ck_assert(length == (MPJ_Count)n && memcmp(message, bytes, n) == 0);
  mpj_free(message);
  free_unless_basic(&decoded);
  free_unless_basic(&type);
}

START_TEST(vectors_of_the_specification_hold)
{
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
    check_vector(&vectors[i]);
  nothing_lives();
}
END_TEST

int main(int argc, char **argv)
{
  read_wanted(argc, argv, 1200);
  return RUN_SUITE("encode", random_types_survive, a_type_used_twice_is_written_once,
                   irregular_blocks_take_two_and_a_half_bytes, every_failed_allocation_is_survived,
                   the_caller_gives_the_memory, bad_arguments_are_named,
                   frames_of_any_numbers_survive, extreme_numbers_survive,
                   vectors_of_the_specification_hold);
}
