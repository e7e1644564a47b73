/* This header declares a fuzz target: what libFuzzer, or the replay of a corpus,
 * calls with each input. A finding ends the program. */
#ifndef MPJ_TESTS_FUZZ_FUZZ_H
#define MPJ_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must_hold(int condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "finding: %s\n", what);
  abort();
}

#endif
