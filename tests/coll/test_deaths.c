/* This file lets a rank go in the middle of collectives, in every way: the
 * others hear of it, and nothing is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "tools/launch.h"

enum { RANKS = 4 };

static const char *const collectives[] = {"barrier", "bcast", "gather", "scatter"};
static const char *const data[] = {"small", "long", "gaps", "holes"};
/* The root, and who goes: the root itself, another, or not the first. */
static const char *const roles[][2] = {{"0", "0"}, {"0", "2"}, {"3", "1"}};
enum { VARIANTS = 4 * 4 * 3 };

static int every = 1; /* of the variants, those with numbers divisible by it */

struct variant {
  const char *what, *data, *root, *victim;
  char after_us[16];
};

static struct variant variant(int i)
{
  struct variant v = {.what = collectives[i % 4],
                      .data = data[i / 4 % 4],
                      .root = roles[i / 16][0],
                      .victim = roles[i / 16][1]};
  snprintf(v.after_us, sizeof v.after_us, "%d", i * 389 % 4000);
  return v;
}

/* All but the victim got their error, and no process is left. */
static void check_survivors(const struct launch *l, const struct variant *v, int code)
{
  ck_assert_msg(l->code == code && count_of(l->text, "survived") == RANKS - 1,
                "%s %s root %s victim %s after %s us: code %d, %s%s", v->what, v->data, v->root,
                v->victim, v->after_us, l->code, l->text, l->errors);
}

static void run_processes(int i, const char *how, int code)
{
  struct launch l;
  const struct variant v = variant(i * every);
  if (strcmp(v.what, "barrier") == 0 && strcmp(v.data, "small") != 0) return;
  RUN(&l, "-n", "4", "--timeout", "40", DEATHS, how, v.what, v.data, v.root, v.victim, v.after_us);
  check_survivors(&l, &v, code);
  for (int rank = 0; rank < RANKS; rank++)
    if (rank != atoi(v.victim)) ck_assert_int_eq(state_of(launch_pid(&l, "survived", rank)), '\0');
  launch_free(&l);
}

static void run_threads(int i, const char *how)
{
  struct launch l;
  const struct variant v = variant(i * every);
  if (strcmp(v.what, "barrier") == 0 && strcmp(v.data, "small") != 0) return;
  if (strcmp(v.data, "gaps") == 0) return; /* threads copy all layouts in one way */
  launch_command(&l, -1,
                 (const char *const[]){DEATHS, "--ranks", "4", how, v.what, v.data, v.root,
                                       v.victim, v.after_us, NULL});
  launch_end(&l);
  check_survivors(&l, &v, 0);
  launch_free(&l);
}

START_TEST(a_killed_process_is_named_to_the_others)
{
  run_processes(_i, "kill", 128 + 9);
}
END_TEST

START_TEST(a_process_that_exits_is_named_to_the_others)
{
  run_processes(_i, "exit", 3);
}
END_TEST

START_TEST(a_process_that_finalizes_is_named_to_the_others)
{
  run_processes(_i, "finalize", 0);
}
END_TEST

START_TEST(a_thread_that_returns_an_error_is_named_to_the_others)
{
  run_threads(_i, "return");
}
END_TEST

START_TEST(a_thread_that_finalizes_is_named_to_the_others)
{
  run_threads(_i, "finalize");
}
END_TEST

int main(int argc, char **argv)
{
  const bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  if (argc > 2 && strcmp(argv[1], "--every") == 0) every = atoi(argv[2]);
  const int n = (VARIANTS + every - 1) / every;
  Suite *suite = suite_create("deaths");
  TCase *tcase = tcase_create("deaths");
  tcase_set_timeout(tcase, 60);
  if (threads) {
    tcase_add_loop_test(tcase, a_thread_that_returns_an_error_is_named_to_the_others, 0, n);
    tcase_add_loop_test(tcase, a_thread_that_finalizes_is_named_to_the_others, 0, n);
  } else {
    tcase_add_loop_test(tcase, a_killed_process_is_named_to_the_others, 0, n);
    tcase_add_loop_test(tcase, a_process_that_exits_is_named_to_the_others, 0, n);
    tcase_add_loop_test(tcase, a_process_that_finalizes_is_named_to_the_others, 0, n);
  }
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
