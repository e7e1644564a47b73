/* This file tests mappings that large pages can back: their places, their contents, and that
 * what one mapping of a file holds the others show, whatever pages it got. */
#include "base/machine/pages.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/suite.h"

enum { PAGE = 4096, SIZES = 5 };

static const size_t sizes[SIZES] = {1, PAGE, MPJ_LARGE_PAGE - PAGE, MPJ_LARGE_PAGE,
                                    2 * MPJ_LARGE_PAGE + 5 * PAGE};

/* Something in every line. */
static void put(char *at, size_t bytes, char value)
{
  for (size_t i = 0; i < bytes; i += 64)
    at[i] = (char)(value + (char)(i / 64));
}

static bool holds(const char *at, size_t bytes, char value)
{
  for (size_t i = 0; i < bytes; i += 64)
    if (at[i] != (char)(value + (char)(i / 64))) return false;
  return true;
}

static bool is_zero(const char *at, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    if (at[i] != 0) return false;
  return true;
}

static void check_place(const char *at, size_t bytes)
{
  ck_assert_ptr_nonnull(at);
  if (bytes >= MPJ_LARGE_PAGE) ck_assert_uint_eq((uintptr_t)at % MPJ_LARGE_PAGE, 0);
}

START_TEST(private_mappings_are_zero_and_can_be_written)
{
  for (int i = 0; i < SIZES; i++) {
    char *at = mpj_pages_map(-1, sizes[i]);
    check_place(at, sizes[i]);
    ck_assert(is_zero(at, sizes[i]));
    put(at, sizes[i], 3);
    ck_assert(holds(at, sizes[i], 3));
    ck_assert_int_eq(munmap(at, sizes[i]), 0);
  }
}
END_TEST

START_TEST(mappings_of_a_file_show_the_same)
{
  for (int i = 0; i < SIZES; i++) {
    const int fd = memfd_create("pages", MFD_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)sizes[i]), 0);
    char *one = mpj_pages_map(fd, sizes[i]), *other = mpj_pages_map(fd, sizes[i]);
    check_place(one, sizes[i]);
    check_place(other, sizes[i]);
    mpj_pages_fill(one, sizes[i]);
    ck_assert(is_zero(one, sizes[i]));
    ck_assert(is_zero(other, sizes[i]));
    put(one, sizes[i], 5);
    ck_assert(holds(other, sizes[i], 5));
    mpj_pages_fill(other, sizes[i]); /* what is there is kept */
    ck_assert_int_eq(munmap(one, sizes[i]), 0);
    ck_assert_int_eq(munmap(other, sizes[i]), 0);
    close(fd);
  }
}
END_TEST

START_TEST(too_much_is_refused)
{
  ck_assert_ptr_null(mpj_pages_map(-1, SIZE_MAX / 4));
  ck_assert_ptr_null(mpj_pages_map(-1, SIZE_MAX - PAGE));
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/pages", private_mappings_are_zero_and_can_be_written,
                   mappings_of_a_file_show_the_same, too_much_is_refused);
}
