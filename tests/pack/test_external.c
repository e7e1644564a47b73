/* This file tests packing in the external32 format against stated bytes. */
#include <mpj/mpj.h>

#include <complex.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/suite.h"
#include "pack/external/external.h"
#include "pack/guarded.h"
#include "pack/maps.h"
#include "pack/run/address.h"
#include "types/basic.h"
#include "types/random_type.h"

enum { MOST = 64 };

/* One element packs to the bytes given, and unpacks to itself. */
static void check_bytes(MPJ_Datatype type, const void *value, size_t native, const void *bytes,
                        MPJ_Count external)
{
  char packed[MOST], back[MOST];
  MPJ_Count size, position = 0;
  ck_assert_int_eq(MPJ_Pack_external_size(type, &size), MPJ_SUCCESS);
  ck_assert_int_eq(size, external);
  ck_assert_int_eq(MPJ_Pack_external(value, type, packed, MOST, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, external);
  ck_assert(memcmp(packed, bytes, (size_t)external) == 0);
  memset(back, 0, sizeof back);
  position = 0;
  ck_assert_int_eq(MPJ_Unpack_external(packed, external, &position, back, type), MPJ_SUCCESS);
  ck_assert_int_eq(position, external);
  ck_assert(memcmp(back, value, native) == 0);
}

#define CHECK(type, ctype, value, bytes)                                                           \
  check_bytes(type, &(ctype){value}, sizeof(ctype), bytes, (MPJ_Count)sizeof(bytes) - 1)

START_TEST(integers_are_big_endian_and_of_the_stated_sizes)
{
  CHECK(MPJ_BYTE, unsigned char, 0xab, "\xab");
  CHECK(MPJ_CHAR, char, 'a', "a");
  CHECK(MPJ_SHORT, short, -2, "\xff\xfe");
  CHECK(MPJ_INT, int, 0x01020304, "\x01\x02\x03\x04");
  CHECK(MPJ_UNSIGNED, unsigned, 0xfffefdfcu, "\xff\xfe\xfd\xfc");
  CHECK(MPJ_LONG, long, -3, "\xff\xff\xff\xfd");
  CHECK(MPJ_UNSIGNED_LONG, unsigned long, 0xfffffffdul, "\xff\xff\xff\xfd");
  CHECK(MPJ_LONG_LONG, long long, 0x0102030405060708, "\x01\x02\x03\x04\x05\x06\x07\x08");
  CHECK(MPJ_INT64, int64_t, -1, "\xff\xff\xff\xff\xff\xff\xff\xff");
  CHECK(MPJ_COUNT, MPJ_Count, 258, "\0\0\0\0\0\0\x01\x02");
  CHECK(MPJ_AINT, MPJ_Aint, 258, "\0\0\0\0\0\0\x01\x02");
  CHECK(MPJ_UINT16, uint16_t, 0x0102, "\x01\x02");
  CHECK(MPJ_WCHAR, wchar_t, 0x20ac, "\x20\xac");
  CHECK(MPJ_C_BOOL, bool, true, "\x01");
}
END_TEST

START_TEST(reals_are_ieee_numbers)
{
  CHECK(MPJ_FLOAT, float, -1.5f, "\xbf\xc0\0\0");
  CHECK(MPJ_DOUBLE, double, 1.0 / 3, "\x3f\xd5\x55\x55\x55\x55\x55\x55");
  CHECK(MPJ_C_FLOAT_COMPLEX, float complex, 1.0f, "\x3f\x80\0\0\0\0\0\0");
  CHECK(MPJ_C_DOUBLE_COMPLEX, double complex, -2.0, "\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}
END_TEST

/* The value of these external bytes is `value`, bit for bit unless both are NaN. Compared in
 * memory: valgrind computes long doubles with the bits of a double. */
static void check_long_double(const char bytes[16], const long double *value)
{
  enum { USED = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };
  long double back;
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Unpack_external(bytes, 16, &position, &back, MPJ_LONG_DOUBLE), MPJ_SUCCESS);
  ck_assert(memcmp(&back, value, USED) == 0 || (isnan(back) && isnan(*value)));
}

START_TEST(long_doubles_are_binary128)
{
  if (!mpj_external_of(mpj_basic_of_handle(MPJ_LONG_DOUBLE)).pack) return;
  static const long double values[] = {-1.5L,    0x1.8p-16400L, 0.0L,
                                       LDBL_MAX, LDBL_MIN,      (long double)INFINITY};
  const char *bytes[] = {"\xbf\xff\x80\0\0\0\0\0\0\0\0\0\0\0\0\0",
                         "\0\0\0\0\x60\0\0\0\0\0\0\0\0\0\0\0",
                         "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                         "\x7f\xfe\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\0\0\0",
                         "\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
                         "\x7f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0"};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
    char packed[16];
    MPJ_Count position = 0;
    if (LDBL_MANT_DIG != 64 && i == 3) continue; /* the greatest is another one */
    ck_assert_int_eq(MPJ_Pack_external(&values[i], MPJ_LONG_DOUBLE, packed, 16, &position),
                     MPJ_SUCCESS);
    ck_assert_msg(memcmp(packed, bytes[i], 16) == 0, "value %d", (int)i);
    check_long_double(packed, &values[i]);
  }
}
END_TEST

/* Fractions of more bits than a long double of 80 bits has. */
START_TEST(long_doubles_are_rounded_to_nearest)
{
  if (LDBL_MANT_DIG != 64) return;
  static const struct {
    const char *bytes;
    long double value;
  } roundings[] = {
      {"\x3f\xff\0\0\0\0\0\0\0\0\x80\0\0\0\0\0", 1.0L},
      {"\x3f\xff\0\0\0\0\0\0\0\x01\0\0\0\0\0\0", 1.0L},
      {"\x3f\xff\0\0\0\0\0\0\0\x01\0\0\0\0\0\x01", 1.0L + 0x1p-63L},
      {"\x3f\xff\0\0\0\0\0\0\0\x03\0\0\0\0\0\0", 1.0L + 0x1p-62L},
      {"\x3f\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0", 2.0L},
      {"\x7f\xfe\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0", (long double)INFINITY},
      {"\x7f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\x01", (long double)NAN},
  };
  for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
    check_long_double(roundings[i].bytes, &roundings[i].value);
}
END_TEST

/* An int, then at 8 two doubles that lie in reverse order. */
static MPJ_Datatype mixed(void)
{
  const MPJ_Datatype types[] = {MPJ_INT, MPJ_DOUBLE, MPJ_DOUBLE};
  MPJ_Datatype type;
  ck_assert_int_eq(
      MPJ_Type_create_struct(3, (MPJ_Count[]){1, 1, 1}, (MPJ_Aint[]){0, 16, 8}, types, &type),
      MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&type), MPJ_SUCCESS);
  return type;
}

START_TEST(elements_follow_one_another_in_map_order)
{
  const struct {
    int a, gap;
    double b, c;
  } value = {1, 9, 2.0, -2.0};
  char packed[22];
  memset(packed, 7, sizeof packed);
  MPJ_Datatype type = mixed();
  MPJ_Count position = 1;
  ck_assert_int_eq(MPJ_Pack_external(&value, type, packed, 22, &position), MPJ_SUCCESS);
  ck_assert_int_eq(position, 21);
  ck_assert(memcmp(packed, "\x07\0\0\0\x01\xc0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0\x07", 22) == 0);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(without_room_nothing_is_touched)
{
  const char value[24] = {1};
  char packed[19], back[24];
  memset(packed, 7, sizeof packed);
  memset(back, 7, sizeof back);
  MPJ_Datatype type = mixed();
  MPJ_Count position = 0;
  ck_assert_int_eq(MPJ_Pack_external(value, type, packed, 19, &position), MPJ_ERR_TRUNCATE);
  ck_assert_int_eq(MPJ_Unpack_external(packed, 19, &position, back, type), MPJ_ERR_TRUNCATE);
  ck_assert_int_eq(position, 0);
  for (int i = 0; i < 19; i++)
    ck_assert(packed[i] == 7 && back[i] == 7);
  MPJ_Type_free(&type);
}
END_TEST

START_TEST(a_value_without_an_external_form_is_an_overflow)
{
  char packed[8];
  MPJ_Count position = 0;
  if (LONG_MAX > INT32_MAX) {
    ck_assert_int_eq(MPJ_Pack_external(&(long){LONG_MAX}, MPJ_LONG, packed, 8, &position),
                     MPJ_ERR_OVERFLOW);
    ck_assert(strstr(MPJ_Error_detail(), "MPJ_LONG") != NULL);
  }
  ck_assert_int_eq(position, 0);
  if (WCHAR_MAX > UINT16_MAX)
    ck_assert_int_eq(MPJ_Pack_external(&(wchar_t){0x10000}, MPJ_WCHAR, packed, 8, &position),
                     MPJ_ERR_OVERFLOW);
}
END_TEST

START_TEST(pairs_are_the_value_then_the_index_without_padding)
{
  const struct {
    short value;
    int index;
  } pair = {-2, 0x01020304};
  const unsigned char wanted[6] = {0xff, 0xfe, 1, 2, 3, 4};
  unsigned char packed[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  MPJ_Count position = 0, size = 0;
  ck_assert_int_eq(MPJ_Pack_external_size(MPJ_SHORT_INT, &size), MPJ_SUCCESS);
  ck_assert_int_eq(size, 6);
  ck_assert_int_eq(MPJ_Pack_external(&pair, MPJ_SHORT_INT, packed, 8, &position), MPJ_SUCCESS);
  ck_assert(memcmp(packed, wanted, sizeof wanted) == 0 && packed[6] == 7 && position == 6);
  ck_assert_int_eq(MPJ_Pack_external_size(MPJ_DOUBLE_INT, &size), MPJ_SUCCESS);
  ck_assert_int_eq(size, 12);
  ck_assert_int_eq(MPJ_Pack_external_size(MPJ_FLOAT16, &size), MPJ_SUCCESS);
  ck_assert_int_eq(size, 2);
}
END_TEST

/* Bytes that are small in each element whatever its type, so that every one has
 * an external form. */
static void fill_small(struct mpj_random *rng, const struct mpj_ref *ref, char *base)
{
  for (MPJ_Count i = 0; i < ref->n; i++) {
    if (ref->map[i].basic < 0) continue;
    size_t size = (size_t)mpj_basics[ref->map[i].basic].size;
    char *at = mpj_at(base, ref->map[i].displ);
    memset(at, 0, size);
    at[0] = (char)mpj_random_in(rng, 0, 1);
  }
}

START_TEST(random_types_come_back)
{
  struct mpj_random rng = {71};
  for (int i = 0; i < 1500; i++) {
    struct mpj_random_options options = {
        .depth = (int)mpj_random_in(&rng, 0, 4), .max_elements = 300, .receivable = true};
    struct mpj_random_type t;
    mpj_random_type_make(&rng, &options, &t);
    ck_assert_int_eq(MPJ_Type_commit(&t.type), MPJ_SUCCESS);
    MPJ_Aint lb = mpj_ref_true_lb(t.ref);
    size_t span = (size_t)(mpj_ref_true_ub(t.ref) - lb);
    struct guarded from = guarded_make(span, i % 2), to = guarded_make(span, i % 2);
    memset(from.at, 3, span);
    memset(to.at, 3, span);
    fill_small(&rng, t.ref, mpj_at(from.at, -lb));
    MPJ_Count size, position = 0;
    ck_assert_int_eq(MPJ_Pack_external_size(t.type, &size), MPJ_SUCCESS);
    struct guarded packed = guarded_make((size_t)size, i % 2);
    ck_assert_msg(MPJ_Pack_external(mpj_at(from.at, -lb), t.type, packed.at, size, &position) ==
                      MPJ_SUCCESS,
                  "%s: %s", t.text, MPJ_Error_detail());
    ck_assert_int_eq(position, size);
    position = 0;
    ck_assert_int_eq(MPJ_Unpack_external(packed.at, size, &position, mpj_at(to.at, -lb), t.type),
                     MPJ_SUCCESS);
    ck_assert_msg(memcmp(from.at, to.at, span) == 0, "%s", t.text);
    guarded_free(&packed);
    guarded_free(&to);
    guarded_free(&from);
    mpj_random_type_free(&t);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/external", integers_are_big_endian_and_of_the_stated_sizes,
                   reals_are_ieee_numbers, long_doubles_are_binary128,
                   long_doubles_are_rounded_to_nearest, elements_follow_one_another_in_map_order,
                   without_room_nothing_is_touched, a_value_without_an_external_form_is_an_overflow,
                   pairs_are_the_value_then_the_index_without_padding, random_types_come_back);
}
