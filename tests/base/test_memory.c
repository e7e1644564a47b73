/* This file tests allocation, its accounting and its injected failures. */
#include "base/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#include "base/suite.h"

START_TEST(allocations_are_counted_until_freed)
{
  long before = mpj_memory_outstanding();
  void *a = mpj_alloc(10), *b = mpj_alloc_array(3, 4);
  ck_assert_ptr_nonnull(a);
  ck_assert_ptr_nonnull(b);
  ck_assert_int_eq(mpj_memory_outstanding(), before + 2);
  mpj_free(a);
  mpj_free(b);
  mpj_free(NULL);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(zero_bytes_give_a_pointer)
{
  void *a = mpj_alloc(0), *b = mpj_alloc_array(0, 8), *c = mpj_alloc_array(8, 0);
  ck_assert(a && b && c);
  mpj_free(a);
  mpj_free(b);
  mpj_free(c);
}
END_TEST

START_TEST(arrays_are_zeroed)
{
  unsigned char *bytes = mpj_alloc_array(1000, 3);
  ck_assert_ptr_nonnull(bytes);
  for (int i = 0; i < 3000; i++)
    ck_assert_uint_eq(bytes[i], 0);
  mpj_free(bytes);
}
END_TEST

/* Pages that this process has in memory. */
static long resident(void)
{
  long all = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "%ld %ld", &all, &pages), 2);
  fclose(file);
  return pages;
}

START_TEST(tables_are_zeroed_and_take_no_memory_before_they_are_written)
{
  enum { ENTRIES = 1 << 20, SIZE = 64, SMALL = 3 };
  const long before = mpj_memory_outstanding(), pages = resident();
  unsigned char *table = mpj_alloc_table(ENTRIES, SIZE), *small = mpj_alloc_table(SMALL, SIZE);
  ck_assert(table && small);
  ck_assert_int_lt(resident() - pages, 1000); /* of 16384 */
  ck_assert_int_eq(mpj_memory_outstanding(), before + 2);
  for (int i = 0; i < ENTRIES; i += 999)
    ck_assert_uint_eq(table[(size_t)i * SIZE + SIZE - 1], 0);
  for (int i = 0; i < SMALL * SIZE; i++)
    ck_assert_uint_eq(small[i], 0);
  table[(size_t)ENTRIES * SIZE - 1] = 1;
  mpj_free_table(table, ENTRIES, SIZE);
  mpj_free_table(small, SMALL, SIZE);
  mpj_free_table(NULL, ENTRIES, SIZE);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
  ck_assert_ptr_null(mpj_alloc_table(SIZE_MAX / 2 + 1, 2));
}
END_TEST

START_TEST(array_whose_size_overflows_is_refused)
{
  long before = mpj_memory_outstanding();
  ck_assert_ptr_null(mpj_alloc_array(SIZE_MAX / 2 + 1, 2));
  ck_assert_ptr_null(mpj_alloc_permanent(SIZE_MAX / 2 + 1, 2));
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(memory_to_work_in_is_counted_and_long_one_begins_on_a_large_page)
{
  enum { LARGE = 2 << 20 };
  const long before = mpj_memory_outstanding();
  ck_assert_ptr_null(mpj_alloc_work(SIZE_MAX / 2 + 1, 2));
  char *few = mpj_alloc_work(3, 8), *many = mpj_alloc_work(3 * LARGE / 8 + 1, 4);
  ck_assert(few && many);
  ck_assert_int_eq(mpj_memory_outstanding(), before + 2);
  ck_assert_uint_eq((uintptr_t)many % LARGE, 0);
  ck_assert_uint_ge(mpj_memory_size(many), (size_t)3 * LARGE / 2 + 4);
  many[3 * LARGE / 2 + 3] = few[23] = 1;
  mpj_free(few);
  mpj_free(many);
  mpj_memory_fail_after(0);
  ck_assert_ptr_null(mpj_alloc_work(1, 8));
  ck_assert_ptr_null(mpj_alloc_work(LARGE, 2));
  mpj_memory_fail_after(-1);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(permanent_memory_is_zeroed_but_not_counted)
{
  static unsigned char *volatile kept; /* for as long as the process lives */
  long before = mpj_memory_outstanding();
  kept = mpj_alloc_permanent(4, 4);
  ck_assert_ptr_nonnull(kept);
  for (int i = 0; i < 16; i++)
    ck_assert_uint_eq(kept[i], 0);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Also of what is mapped: else a table as long as a job is wide would not show. */
START_TEST(meter_counts_tables)
{
  enum { LONG = 1 << 16 };
  mpj_memory_meter_start();
  void *table = mpj_alloc_table(LONG, 4);
  mpj_free_table(table, LONG, 4);
  const struct mpj_memory_meter m = mpj_memory_meter_stop();
  ck_assert_ptr_nonnull(table);
  ck_assert_int_eq(m.now, 0);
  ck_assert_int_eq(m.peak, LONG * 4);
}
END_TEST

START_TEST(injected_failure_comes_after_the_given_successes_and_stays)
{
  long before = mpj_memory_outstanding();
  mpj_memory_fail_after(2);
  void *a = mpj_alloc(1), *b = mpj_alloc_array(1, 1);
  void *c = mpj_alloc(1), *d = mpj_alloc_array(1, 1), *e = mpj_alloc_permanent(1, 1);
  ck_assert_ptr_null(mpj_alloc_table(1, 100000));
  mpj_memory_fail_after(-1);
  ck_assert(a && b);
  ck_assert(!c && !d && !e);
  void *f = mpj_alloc(1);
  ck_assert_ptr_nonnull(f);
  mpj_free(a);
  mpj_free(b);
  mpj_free(f);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(meter_counts_what_is_out_and_the_most)
{
  void *before = mpj_alloc(100);
  mpj_memory_meter_start();
  void *a = mpj_alloc(1000), *b = mpj_alloc_array(500, 8);
  long both = (long)(mpj_memory_size(a) + mpj_memory_size(b));
  mpj_free(a);
  mpj_free(before);
  struct mpj_memory_meter m = mpj_memory_meter_stop();
  ck_assert_int_ge(both, 5000);
  ck_assert_int_eq(m.peak, both);
  ck_assert_int_lt(m.now, both - 1000);
  mpj_free(b); /* no longer counted */
  mpj_memory_meter_start();
  m = mpj_memory_meter_stop();
  ck_assert(m.now == 0 && m.peak == 0);
}
END_TEST

enum { ROUNDS = 20000 };

static void *allocate_and_free(void *arg)
{
  for (int i = 0; i < ROUNDS; i++) {
    void *p = mpj_alloc(16);
    if (!p) return arg; /* anything but NULL is a failure */
    mpj_free(p);
  }
  return NULL;
}

START_TEST(injected_failure_is_one_threads_own_and_the_count_is_everyones)
{
  long before = mpj_memory_outstanding();
  int failure;
  pthread_t threads[4];
  mpj_memory_fail_after(0);
  for (int i = 0; i < 4; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, allocate_and_free, &failure), 0);
  for (int i = 0; i < 4; i++) {
    void *result;
    ck_assert_int_eq(pthread_join(threads[i], &result), 0);
    ck_assert_ptr_null(result);
  }
  ck_assert_ptr_null(mpj_alloc(1));
  mpj_memory_fail_after(-1);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

int main(void)
{
  return RUN_SUITE("base/memory", allocations_are_counted_until_freed, zero_bytes_give_a_pointer,
                   arrays_are_zeroed, tables_are_zeroed_and_take_no_memory_before_they_are_written,
                   array_whose_size_overflows_is_refused,
                   memory_to_work_in_is_counted_and_long_one_begins_on_a_large_page,
                   permanent_memory_is_zeroed_but_not_counted,
                   meter_counts_what_is_out_and_the_most, meter_counts_tables,
                   injected_failure_comes_after_the_given_successes_and_stays,
                   injected_failure_is_one_threads_own_and_the_count_is_everyones);
}
