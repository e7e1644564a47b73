/* This file tests the public functions of the base layer. */
#include <mpj/base.h>
#include <pthread.h>
#include <string.h>

#include "base/status.h"
#include "base/suite.h"

START_TEST(version_is_the_headers)
{
  int version = -1, subversion = -1;
  ck_assert_int_eq(MPJ_Get_version(&version, &subversion), MPJ_SUCCESS);
  ck_assert_int_eq(version, MPJ_VERSION);
  ck_assert_int_eq(subversion, MPJ_SUBVERSION);
}
END_TEST

START_TEST(version_without_a_place_names_the_argument)
{
  int n = 5;
  ck_assert_int_eq(MPJ_Get_version(NULL, &n), MPJ_ERR_ARG);
  ck_assert_str_eq(MPJ_Error_detail(), "MPJ_Get_version: version is NULL");
  ck_assert_int_eq(MPJ_Get_version(&n, NULL), MPJ_ERR_ARG);
  ck_assert_str_eq(MPJ_Error_detail(), "MPJ_Get_version: subversion is NULL");
  ck_assert_int_eq(n, 5);
}
END_TEST

START_TEST(wtime_never_goes_back_and_does_go_on)
{
  double start = MPJ_Wtime(), last = start;
  while (last - start < 0.002) {
    double now = MPJ_Wtime();
    ck_assert(now >= last);
    last = now;
  }
}
END_TEST

START_TEST(error_string_begins_with_the_codes_own_name)
{
  for (int code = MPJ_SUCCESS; code <= MPJ_ERR_INTERNAL; code++) {
    const char *name = mpj_error_name(code), *text = MPJ_Error_string(code);
    ck_assert(!strncmp(name, "MPJ_", 4));
    ck_assert(!strncmp(text, name, strlen(name)));
    ck_assert(!strncmp(text + strlen(name), ": ", 2));
    for (int other = 0; other < code; other++)
      ck_assert_str_ne(name, mpj_error_name(other));
  }
  ck_assert_str_eq(mpj_error_name(MPJ_ERR_PARTS), "MPJ_ERR_PARTS");
}
END_TEST

START_TEST(unknown_codes_have_a_text_too)
{
  const int unknown[] = {-1, MPJ_ERR_INTERNAL + 1, 1 << 30};
  for (int i = 0; i < 3; i++) {
    ck_assert_str_eq(MPJ_Error_string(unknown[i]), "unknown error code");
    ck_assert_str_eq(mpj_error_name(unknown[i]), "MPJ_ERR_?");
  }
}
END_TEST

static void *first_detail(void *arg)
{
  strcpy(arg, MPJ_Error_detail());
  mpj_error(MPJ_ERR_ARG, "the other thread's");
  return NULL;
}

START_TEST(detail_is_empty_at_first_and_each_threads_own)
{
  char text[512] = "unset";
  pthread_t thread;
  mpj_error(MPJ_ERR_ARG, "this thread's");
  ck_assert_int_eq(pthread_create(&thread, NULL, first_detail, text), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  ck_assert_str_eq(text, "");
  ck_assert_str_eq(MPJ_Error_detail(), "this thread's");
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/public", version_is_the_headers,
                   version_without_a_place_names_the_argument, wtime_never_goes_back_and_does_go_on,
                   error_string_begins_with_the_codes_own_name, unknown_codes_have_a_text_too,
                   detail_is_empty_at_first_and_each_threads_own);
}
