/* This file lets the processes of a job call different collectives, or with
 * different roots, each case in a job of its own: all hear of it. */
#include <stdlib.h>

#include "base/assert.h"
#include "tools/launch.h"

/* The cases themselves run in the ranks; their names are enough here. */
static const char *const names[] = {
    "barrier_against_bcast",   "barrier_against_gather", "barrier_against_scatter",
    "bcast_against_barrier",   "bcast_against_gather",   "bcast_against_scatter",
    "gather_against_barrier",  "gather_against_bcast",   "gather_against_scatter",
    "scatter_against_barrier", "scatter_against_bcast",  "scatter_against_gather",
    "bcast_to_itself",         "bcast_to_the_next",      "bcast_of_one_to_another",
    "gather_to_itself",        "gather_to_the_next",     "gather_of_one_to_another",
    "scatter_to_itself",       "scatter_to_the_next",    "scatter_of_one_to_another",
    "one_call_is_missing"};
enum { CASES = sizeof names / sizeof *names };

static void run(const char *ranks, const char *name)
{
  struct launch l;
  RUN(&l, "-n", ranks, "--timeout", "40", WRONG, name);
  ck_assert_msg(l.code == 0, "%s with %s ranks: code %d, %s", name, ranks, l.code, l.errors);
  launch_free(&l);
}

START_TEST(every_rank_of_two_gets_MPJ_ERR_COMM)
{
  run("2", names[_i]);
}
END_TEST

START_TEST(every_rank_of_five_gets_MPJ_ERR_COMM)
{
  run("5", names[_i]);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("order");
  TCase *tcase = tcase_create("order");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, every_rank_of_two_gets_MPJ_ERR_COMM, 0, CASES);
  tcase_add_loop_test(tcase, every_rank_of_five_gets_MPJ_ERR_COMM, 0, CASES);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
