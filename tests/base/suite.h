/* This header runs a file's Check tests as one suite. */
#ifndef MPJ_TESTS_BASE_SUITE_H
#define MPJ_TESTS_BASE_SUITE_H

#include <stddef.h>
#include <stdlib.h>

#include "base/assert.h"

/* Run tests[n]; the program's exit status. */
static inline int run_suite(const char *name, const TTest *const tests[], size_t n)
{
  Suite *suite = suite_create(name);
  TCase *tcase = tcase_create(name);
  for (size_t i = 0; i < n; i++)
    tcase_add_test(tcase, tests[i]);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN_SUITE(name, ...)                                                                       \
  run_suite(name, (const TTest *const[]){__VA_ARGS__},                                             \
            sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))

#endif
