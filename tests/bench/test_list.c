/* This file tests the lists of mpj-bench's command line. */
#include "bench_list.h"

#include "base/suite.h"

START_TEST(numbers_are_read_in_order)
{
  struct bench_list list;
  ck_assert(bench_list_numbers("8,1024,16", 8, 1024, 8, &list));
  ck_assert_int_eq(list.n, 3);
  ck_assert_int_eq(list.at[0], 8);
  ck_assert_int_eq(list.at[1], 1024);
  ck_assert_int_eq(list.at[2], 16);
  ck_assert(bench_list_has(&list, 16));
  ck_assert(!bench_list_has(&list, 32));
}
END_TEST

START_TEST(malformed_numbers_are_refused)
{
  static const char *const wrong[] = {"",   ",",    "8,",   ",8",  "8,,16", "9",
                                      "-8", " 8",   "8 ",   "0",   "1032",  "8x",
                                      "+8", "8;16", "0x10", "8.0", "1e1",   "99999999999999999999"};
  struct bench_list list;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    ck_assert_msg(!bench_list_numbers(wrong[i], 8, 1024, 8, &list), "'%s' was read", wrong[i]);
}
END_TEST

START_TEST(a_list_holds_64_entries_and_no_more)
{
  char text[2 * (BENCH_LIST_MOST + 1) + 1] = "";
  struct bench_list list;
  for (int i = 0; i < BENCH_LIST_MOST; i++) {
    text[2 * i] = '1';
    text[2 * i + 1] = ',';
  }
  text[2 * BENCH_LIST_MOST - 1] = '\0';
  ck_assert(bench_list_numbers(text, 1, 1, 1, &list));
  ck_assert_int_eq(list.n, BENCH_LIST_MOST);
  text[2 * BENCH_LIST_MOST - 1] = ',';
  text[2 * BENCH_LIST_MOST] = '1';
  ck_assert(!bench_list_numbers(text, 1, 1, 1, &list));
}
END_TEST

START_TEST(words_become_indices)
{
  static const char *const words[] = {"shm", "threads"};
  struct bench_list list;
  ck_assert(bench_list_words("threads,shm", words, 2, &list));
  ck_assert_int_eq(list.n, 2);
  ck_assert_int_eq(list.at[0], 1);
  ck_assert_int_eq(list.at[1], 0);
  ck_assert(!bench_list_words("", words, 2, &list));
  ck_assert(!bench_list_words("sh", words, 2, &list));
  ck_assert(!bench_list_words("shmx", words, 2, &list));
  ck_assert(!bench_list_words("shm,", words, 2, &list));
}
END_TEST

START_TEST(decimals_must_be_whole_texts_in_range)
{
  double x = 0;
  ck_assert(bench_number("0.25", 0, 1, &x));
  ck_assert_double_eq(x, 0.25);
  ck_assert(!bench_number("2", 0, 1, &x));
  ck_assert(!bench_number("0.25s", 0, 1, &x));
  ck_assert(!bench_number("nan", 0, 1, &x));
  ck_assert(!bench_number("", 0, 1, &x));
}
END_TEST

int main(void)
{
  return RUN_SUITE("bench_list", numbers_are_read_in_order, malformed_numbers_are_refused,
                   a_list_holds_64_entries_and_no_more, words_become_indices,
                   decimals_must_be_whole_texts_in_range);
}
