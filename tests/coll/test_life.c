/* This file checks how a rank's part begins and ends: MPJ_Init, MPJ_Finalize
 * and what may be called around them, in a process that was started alone, on
 * threads, and what MPJ_Abort does. What a process can do only once runs in a
 * process of its own. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpj/mpj.h>

#include "base/assert.h"
#include "base/child.h"
#include "tools/launch.h"

static int errors;

/* In the processes started below, where Check is not at hand. */
static void is(int status, int code, const char *text, const char *what)
{
  if (status == code && (code == MPJ_SUCCESS || strstr(MPJ_Error_detail(), text))) return;
  fprintf(stderr, "%s is %d (%s), expected %d (%s)\n", what, status, MPJ_Error_detail(), code,
          text);
  errors++;
}
#define IS(call, code, text) is((call), (code), (text), #call)

static void flags_are(int initialized, int finalized)
{
  int i = -1, f = -1;
  IS(MPJ_Initialized(&i), MPJ_SUCCESS, "");
  IS(MPJ_Finalized(&f), MPJ_SUCCESS, "");
  if (i == initialized && f == finalized) return;
  fprintf(stderr, "initialized %d, finalized %d, expected %d, %d\n", i, f, initialized, finalized);
  errors++;
}

static void collectives_fail(const char *text)
{
  int data = 0, value;
  const MPJ_Comm comms[] = {MPJ_COMM_WORLD, MPJ_COMM_SELF};
  for (int i = 0; i < 2; i++) {
    IS(MPJ_Barrier(comms[i]), MPJ_ERR_COMM, text);
    IS(MPJ_Bcast(&data, MPJ_INT, 0, comms[i]), MPJ_ERR_COMM, text);
    IS(MPJ_Gather(&data, MPJ_INT, &data, MPJ_INT, 0, comms[i]), MPJ_ERR_COMM, text);
    IS(MPJ_Scatter(&data, MPJ_INT, &data, MPJ_INT, 0, comms[i]), MPJ_ERR_COMM, text);
    IS(MPJ_Comm_rank(comms[i], &value), MPJ_ERR_COMM, text);
    IS(MPJ_Comm_size(comms[i], &value), MPJ_ERR_COMM, text);
    IS(MPJ_Abort(comms[i], 1), MPJ_ERR_COMM, text);
  }
}

/* A rank alone does everything with itself. */
static void collectives_work_alone(void)
{
  int rank = -1, size = -1, mine = 5, all = 0, back = 0;
  IS(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank), MPJ_SUCCESS, "");
  IS(MPJ_Comm_size(MPJ_COMM_WORLD, &size), MPJ_SUCCESS, "");
  IS(MPJ_Barrier(MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  IS(MPJ_Bcast(&mine, MPJ_INT, 0, MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  IS(MPJ_Gather(&mine, MPJ_INT, &all, MPJ_INT, 0, MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  IS(MPJ_Scatter(&all, MPJ_INT, &back, MPJ_INT, 0, MPJ_COMM_WORLD), MPJ_SUCCESS, "");
  IS(MPJ_Gather(MPJ_IN_PLACE, MPJ_DATATYPE_NULL, &all, MPJ_INT, 0, MPJ_COMM_WORLD), MPJ_SUCCESS,
     "");
  if (rank == 0 && size == 1 && all == 5 && back == 5) return;
  fprintf(stderr, "rank %d of %d, %d %d\n", rank, size, all, back);
  errors++;
}

static int life_alone(void)
{
  flags_are(0, 0);
  collectives_fail("MPJ_Init has not been called");
  IS(MPJ_Finalize(), MPJ_ERR_INTERNAL, "before MPJ_Init");
  IS(MPJ_Init(NULL, NULL), MPJ_SUCCESS, "");
  flags_are(1, 0);
  collectives_work_alone();
  IS(MPJ_Init(NULL, NULL), MPJ_ERR_INTERNAL, "twice");
  IS(MPJ_Finalize(), MPJ_SUCCESS, "");
  flags_are(1, 1);
  collectives_fail("MPJ_Finalize has been called");
  IS(MPJ_Finalize(), MPJ_ERR_INTERNAL, "twice");
  IS(MPJ_Init(NULL, NULL), MPJ_ERR_INTERNAL, "after MPJ_Finalize");
  return errors;
}

static int init_that_fails(void)
{
  IS(MPJ_Init(NULL, NULL), MPJ_ERR_ARG, "MPJ_RANK is 0");
  flags_are(0, 0);
  return errors;
}

/* What a child does, by its argument; its exit code. */
static int be_child(const char *what)
{
  if (strcmp(what, "alone") == 0) return life_alone();
  if (strcmp(what, "badly") == 0) return init_that_fails();
  if (strncmp(what, "abort", 5) != 0 || MPJ_Init(NULL, NULL) != MPJ_SUCCESS) return 99;
  int rank;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  int status = MPJ_Barrier(MPJ_COMM_WORLD);
  if (rank == 0) MPJ_Abort(MPJ_COMM_WORLD, atoi(what + 5)); /* does not return */
  while (status == MPJ_SUCCESS)
    status = MPJ_Barrier(MPJ_COMM_WORLD);
  printf("%s\n", MPJ_Error_detail());
  return status == MPJ_ERR_PEER ? 0 : 98;
}

static void check_child(char *what, char *const environment[])
{
  struct child_outcome outcome = run_child(what, environment);
  ck_assert_msg(outcome.status == 0, "%s: status %d: %s", what, outcome.status, outcome.text);
}

START_TEST(a_process_started_alone_is_a_rank_of_one)
{
  check_child("alone", (char *[]){NULL});
}
END_TEST

START_TEST(malformed_launcher_variables_fail_init)
{
  check_child("badly", (char *[]){"MPJ_RANK=0", NULL});
  check_child("badly", (char *[]){"MPJ_RANK=0", "MPJ_SIZE=2", NULL});
  check_child("badly", (char *[]){"MPJ_RANK=0", "MPJ_SIZE=0", "MPJ_SEGMENT_FD=0", NULL});
}
END_TEST

static void check_abort(char *what, int code)
{
  struct child_outcome outcome = run_child(what, (char *[]){NULL});
  ck_assert_int_eq(outcome.status, code);
  ck_assert_ptr_nonnull(strstr(outcome.text, "rank 0 called MPJ_Abort with code"));
}

START_TEST(abort_exits_with_its_code)
{
  check_abort("abort7", 7);
  check_abort("abort255", 255);
}
END_TEST

START_TEST(abort_codes_out_of_range_exit_with_1)
{
  check_abort("abort0", 1);
  check_abort("abort256", 1);
  check_abort("abort-3", 1);
}
END_TEST

START_TEST(abort_fails_the_others_of_the_job)
{
  struct launch l;
  char path[512];
  ck_assert_int_gt(readlink("/proc/self/exe", memset(path, 0, sizeof path), sizeof path - 1), 0);
  RUN(&l, "-n", "3", "--timeout", "40", path, "abort5");
  ck_assert_msg(l.code == 5 && count_of(l.text, "rank 0") == 2, "code %d: %s%s", l.code, l.text,
                l.errors);
  launch_free(&l);
}
END_TEST

START_TEST(version_is_the_headers)
{
  int version = -1, subversion = -1;
  ck_assert_int_eq(MPJ_Get_version(&version, &subversion), MPJ_SUCCESS);
  ck_assert_int_eq(version, MPJ_VERSION);
  ck_assert_int_eq(subversion, MPJ_SUBVERSION);
}
END_TEST

START_TEST(flags_need_a_place)
{
  ck_assert_int_eq(MPJ_Initialized(NULL), MPJ_ERR_ARG);
  ck_assert_int_eq(MPJ_Finalized(NULL), MPJ_ERR_ARG);
  ck_assert_str_eq(MPJ_Error_detail(), "MPJ_Finalized: flag is NULL");
}
END_TEST

int main(int argc, char **argv)
{
  if (argc > 1) return be_child(argv[1]);
  const TTest *const tests[] = {a_process_started_alone_is_a_rank_of_one,
                                malformed_launcher_variables_fail_init,
                                abort_exits_with_its_code,
                                abort_codes_out_of_range_exit_with_1,
                                abort_fails_the_others_of_the_job,
                                version_is_the_headers,
                                flags_need_a_place};
  Suite *suite = suite_create("life");
  TCase *tcase = tcase_create("life");
  tcase_set_timeout(tcase, 60);
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    tcase_add_test(tcase, tests[i]);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
