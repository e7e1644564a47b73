/* This header declares how tests that use the public interface alone check: a function that ends
 * with a nonzero int, the line, once something is not so, and says what. */
#ifndef MPJ_TESTS_COLL_NEED_H
#define MPJ_TESTS_COLL_NEED_H

#include <mpj/mpj.h>

#include <stdio.h>

#define NEED(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, MPJ_Error_detail());             \
      return __LINE__;                                                                             \
    }                                                                                              \
  } while (0)

#endif
