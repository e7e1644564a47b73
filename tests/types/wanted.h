/* This header declares how many random types a test makes: the program's
 * argument --types N, so that a slow tool may ask for few and a soak for many; else its usual
 * share. */
#ifndef MPJ_TESTS_TYPES_WANTED_H
#define MPJ_TESTS_TYPES_WANTED_H

#include <stdlib.h>
#include <string.h>

#include "base/share.h"

static int types_wanted;

static inline void read_wanted(int argc, char **argv, int usual)
{
  types_wanted =
      argc == 3 && strcmp(argv[1], "--types") == 0 ? atoi(argv[2]) : (int)share_of(usual);
}

#endif
