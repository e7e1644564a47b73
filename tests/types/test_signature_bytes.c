/* This file tests signatures that say the number of bytes alone: MPJ_SIGNATURES=bytes. */
#include <stdlib.h>

#include "base/suite.h"
#include "types/basic.h"
#include "types/signature.h"

static bool alike(int a, MPJ_Count na, int b, MPJ_Count nb)
{
  const struct mpj_signature x = mpj_signature_repeat(mpj_signature_of_basic(a), na);
  const struct mpj_signature y = mpj_signature_repeat(mpj_signature_of_basic(b), nb);
  ck_assert_int_eq(mpj_signature_equal(&x, &y),
                   mpj_signature_digest(&x) == mpj_signature_digest(&y));
  return mpj_signature_equal(&x, &y);
}

START_TEST(equally_many_bytes_are_alike)
{
  for (int a = 0; a < MPJ_BASIC_COUNT; a++)
    for (int b = 0; b < MPJ_BASIC_COUNT; b++) {
      const MPJ_Count na = mpj_basics[a].size, nb = mpj_basics[b].size;
      ck_assert(alike(a, 5 * nb, b, 5 * na));
      ck_assert(!alike(a, 5 * nb, b, 5 * na + 1));
    }
}
END_TEST

START_TEST(elements_are_still_counted)
{
  const struct mpj_signature s = mpj_signature_repeat(mpj_signature_of_basic(21), 7);
  ck_assert_int_eq(s.elements, 7);
  ck_assert_int_eq(s.bytes, 7 * mpj_basics[21].size);
}
END_TEST

int main(void)
{
  setenv("MPJ_SIGNATURES", "bytes", 1);
  return RUN_SUITE("signature_bytes", equally_many_bytes_are_alike, elements_are_still_counted);
}
