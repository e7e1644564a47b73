/* This header declares a fuzz target: what libFuzzer, or the replay of a corpus,
 * calls with each input. A finding ends the program. */
#ifndef MPJ_TESTS_FUZZ_FUZZ_H
#define MPJ_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void must_hold(int condition, const char *what)
{
  if (condition) return;
  fprintf(stderr, "finding: %s\n", what);
  abort();
}

/* Whether repetitions in a type's text ask for so much memory that only the memory is tested. */
static inline int asks_for_much(const char *text)
{
  enum { MOST = 1 << 16 };
  unsigned long long all = 0;
  for (; all <= MOST && (text = strchr(text, '*')); text++) {
    const unsigned long long times = strtoull(text + 1, NULL, 10);
    all += times < MOST ? times : MOST + 1;
  }
  return all > MOST;
}

#endif
