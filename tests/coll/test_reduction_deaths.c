/* This file lets a rank go in the middle of exchanges and reductions: the others
 * hear of it, and nothing is left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "tools/launch.h"

enum { RANKS = 4, COLLECTIVES = 7, DATA = 3, VICTIMS = 3, VARIANTS = COLLECTIVES * DATA * VICTIMS };

static int every = 1; /* of the variants, those with numbers divisible by it */

static const char *const collectives[COLLECTIVES] = {
    "allgather", "alltoall", "reduce", "allreduce", "scan", "reduce_scatter", "exscan"};
static const char *const data[DATA] = {"small", "long", "gaps"};
static const char *const victims[VICTIMS] = {"0", "1", "3"}; /* 1 is the root */

struct variant {
  const char *what, *data, *victim;
  char after_us[16];
};

static struct variant variant(int i)
{
  struct variant v = {collectives[i % COLLECTIVES], data[i / COLLECTIVES % DATA],
                      victims[i / COLLECTIVES / DATA], ""};
  snprintf(v.after_us, sizeof v.after_us, "%d", i * 389 % 3000);
  return v;
}

static void check_survivors(const struct launch *l, const struct variant *v, int code)
{
  ck_assert_msg(l->code == code && count_of(l->text, "survived") == RANKS - 1,
                "%s %s victim %s after %s us: code %d, %s%s", v->what, v->data, v->victim,
                v->after_us, l->code, l->text, l->errors);
}

START_TEST(a_killed_process_is_named_to_the_others)
{
  struct launch l;
  const struct variant v = variant(_i * every);
  RUN(&l, "-n", "4", "--timeout", "40", DEATHS, "kill", v.what, v.data, v.victim, v.after_us);
  check_survivors(&l, &v, 128 + 9);
  launch_free(&l);
}
END_TEST

START_TEST(a_thread_that_leaves_is_named_to_the_others)
{
  struct launch l;
  const struct variant v = variant(_i * every);
  launch_command(&l, -1,
                 (const char *const[]){DEATHS, "--ranks", "4", "return", v.what, v.data, v.victim,
                                       v.after_us, NULL});
  launch_end(&l);
  check_survivors(&l, &v, 0);
  launch_free(&l);
}
END_TEST

int main(int argc, char **argv)
{
  const bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
  if (argc > 2 && strcmp(argv[1], "--every") == 0) every = atoi(argv[2]);
  const int n = (VARIANTS + every - 1) / every;
  Suite *suite = suite_create("reduction deaths");
  TCase *tcase = tcase_create("reduction deaths");
  tcase_set_timeout(tcase, 60);
  if (threads)
    tcase_add_loop_test(tcase, a_thread_that_leaves_is_named_to_the_others, 0, n);
  else
    tcase_add_loop_test(tcase, a_killed_process_is_named_to_the_others, 0, n);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
