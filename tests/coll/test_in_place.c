/* This file tests reductions in place whose result lies where their input was: it is not written
 * before the input has left, however late the ranks are that it goes to. */
#include <stdlib.h>
#include <time.h>

#include "coll/engine_play.h"

enum { RANKS = 4, EACH = 1 << 15 }; /* doubles of a part: more than goes eagerly */

static const char *const words[] = {"ring", "circulant", "exchange:2", "flat"};
enum { WORDS = sizeof words / sizeof *words };

/* Rank `late` has begun and does not come back for a while: others may take its data, and end. */
static int lingering(void *arg)
{
  const int late = *(const int *)arg, me = world()->rank;
  const struct timespec a_while = {0, 30000000};
  double *data = malloc(sizeof(double) * RANKS * EACH);
  MPJ_Datatype part, all;
  MPJ_Request request;
  NEED(data);
  for (int i = 0; i < RANKS * EACH; i++)
    data[i] = (me + 1) * (i + 1);
  NEED(!MPJ_Type_contiguous(EACH, MPJ_DOUBLE, &part) && !MPJ_Type_commit(&part));
  NEED(!MPJ_Type_contiguous(RANKS, part, &all) && !MPJ_Type_commit(&all));
  NEED(!MPJ_Ireduce_scatter(MPJ_IN_PLACE, all, data, part, MPJ_SUM, MPJ_COMM_WORLD, &request));
  if (me == late) nanosleep(&a_while, NULL);
  NEED(!MPJ_Wait(&request));
  for (int i = 0; i < EACH; i++)
    NEED(data[i] == RANKS * (RANKS + 1) / 2 * (me * EACH + i + 1.0));
  free(data);
  return MPJ_Type_free(&part) || MPJ_Type_free(&all);
}

START_TEST(the_result_waits_for_the_input_to_leave)
{
  setenv("MPJ_COLL_REDUCE_SCATTER", words[_i], 1);
  for (int late = 0; late < RANKS; late++)
    play(RANKS, lingering, &late);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("coll/in_place");
  TCase *tcase = tcase_create("coll/in_place");
  tcase_add_loop_test(tcase, the_result_waits_for_the_input_to_leave, 0, WORDS);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
