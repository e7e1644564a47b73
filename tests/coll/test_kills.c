/* This file kills ranks at random moments, as many times as it is told: every other rank
 * hears of it in time, by name, and neither processes nor files are left.
 *
 *   coll_processes_kills [KILLS [FIRST_SEED]] */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "tools/launch.h"

enum { RANKS_MOST = 5, NOTICE_MOST_US = 5000000 };

static int kills = 30, first_seed = 1;

/* Files that this library or UCX might leave. */
static int shared_files(void)
{
  int n = 0;
  DIR *folder = opendir("/dev/shm");
  const struct dirent *entry;
  while (folder && (entry = readdir(folder)))
    n += strncmp(entry->d_name, "mpj", 3) == 0 || strncmp(entry->d_name, "ucx", 3) == 0;
  if (folder) closedir(folder);
  return n;
}

/* The times in the lines "noticed <rank> <us>"; returns how many. */
static int read_times(const char *text, long times[])
{
  int n = 0;
  for (const char *at = text; (at = strstr(at, "noticed ")) && n < RANKS_MOST; at++) {
    int rank;
    if (sscanf(at, "noticed %d %ld", &rank, &times[n]) == 2) n++;
  }
  return n;
}

static int kill_one(int seed, long times[])
{
  struct launch l;
  char ranks[8], text[16];
  const int size = 2 + seed % (RANKS_MOST - 1);
  snprintf(ranks, sizeof ranks, "%d", size);
  snprintf(text, sizeof text, "%d", seed);
  RUN(&l, "-n", ranks, "--timeout", "40", KILLS, text);
  const int n = read_times(l.text, times);
  ck_assert_msg(l.code == 128 + 9 && n == size - 1 && count_of(l.text, "survived") == n,
                "seed %d, %d ranks: code %d, %s%s", seed, size, l.code, l.text, l.errors);
  for (int rank = 0; rank < size; rank++) {
    char key[32];
    snprintf(key, sizeof key, "survived %d ", rank);
    if (strstr(l.text, key)) ck_assert_int_eq(state_of(launch_pid(&l, "survived", rank)), '\0');
  }
  launch_free(&l);
  return n;
}

static int compare(const void *a, const void *b)
{
  const long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

START_TEST(killed_ranks_are_named_in_time_and_nothing_is_left)
{
  long *times = calloc((size_t)kills * RANKS_MOST, sizeof *times);
  const int files = shared_files();
  int n = 0;
  ck_assert_ptr_nonnull(times);
  for (int i = 0; i < kills; i++)
    n += kill_one(first_seed + i, times + n);
  qsort(times, (size_t)n, sizeof *times, compare);
  printf("%d kills, %d survivors: noticed after %ld us (median), %ld us (99 %%), %ld us (worst)\n",
         kills, n, times[n / 2], times[(long)n * 99 / 100], times[n - 1]);
  ck_assert_int_le(times[n - 1], NOTICE_MOST_US);
  ck_assert_int_le(shared_files(), files);
  free(times);
}
END_TEST

int main(int argc, char **argv)
{
  if (argc > 1) kills = atoi(argv[1]);
  if (argc > 2) first_seed = atoi(argv[2]);
  Suite *suite = suite_create("kills");
  TCase *tcase = tcase_create("kills");
  tcase_set_timeout(tcase, 60 + kills * 2);
  tcase_add_test(tcase, killed_ranks_are_named_in_time_and_nothing_is_left);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
