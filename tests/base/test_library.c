/* This file tests how libraries are loaded when they are first needed. */
#include "base/library/library.h"

#include <math.h>
#include <string.h>

#include "base/suite.h"

struct two {
  double (*ceil)(double);
  double (*floor)(double);
};

START_TEST(calls_are_found_in_the_order_of_their_names)
{
  static const char *const names[] = {"ceil", "floor"};
  struct two calls;
  char why[MPJ_LIBRARY_WHY];
  ck_assert(mpj_library_load("libm.so.6", false, names, 2, &calls, why));
  ck_assert(fabs(calls.ceil(1.5) - 2) < 1e-9);
  ck_assert(fabs(calls.floor(1.5) - 1) < 1e-9);
}
END_TEST

START_TEST(missing_library_is_named)
{
  static const char *const names[] = {"ceil"};
  struct two calls = {NULL, NULL};
  char why[MPJ_LIBRARY_WHY];
  ck_assert(!mpj_library_load("libmpj-is-no-such.so.7", false, names, 1, &calls, why));
  ck_assert_ptr_nonnull(strstr(why, "libmpj-is-no-such.so.7"));
  ck_assert(!calls.ceil);
}
END_TEST

START_TEST(missing_name_is_named_and_nothing_is_set)
{
  static const char *const names[] = {"ceil", "mpj_rounds_nothing"};
  struct two calls = {NULL, NULL};
  char why[MPJ_LIBRARY_WHY];
  ck_assert(!mpj_library_load("libm.so.6", false, names, 2, &calls, why));
  ck_assert_ptr_nonnull(strstr(why, "mpj_rounds_nothing"));
  ck_assert(!calls.ceil && !calls.floor);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/library", calls_are_found_in_the_order_of_their_names,
                   missing_library_is_named, missing_name_is_named_and_nothing_is_set);
}
