/* This header declares what every public function that returns a status begins with, or does
 * before the first thing that can fail:
 *
 *   int MPJ_Type_size(MPJ_Datatype type, MPJ_Count *bytes)
 *   {
 *     MPJ_ENTRY;
 *
 * When the outermost public function that a thread is in returns with an error, its name and the
 * thread's rank are put before the sentence, and MPJ_ERRORS=abort prints that and ends the process.
 * A public function that the library calls itself is part of its caller, which may deal with the
 * error. */
#ifndef MPJ_SRC_BASE_ENTRY_H
#define MPJ_SRC_BASE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* Whether the function is the outermost. */
static inline bool mpj_entry_begin(const char *name)
{
  if (mpj_entered.name) return false;
  mpj_entered = (struct mpj_entry){.name = name, .rank = -1};
  return true;
}

static inline void mpj_entry_end(const bool *outermost)
{
  if (!*outermost) return;
  if (__builtin_expect(mpj_entered.error != 0, 0)) mpj_entry_failed();
  mpj_entered.name = NULL;
}

/* Around the call of a user's function: the public functions that it calls are outermost. */
static inline struct mpj_entry mpj_entry_suspend(void)
{
  const struct mpj_entry entered = mpj_entered;
  mpj_entered.name = NULL;
  return entered;
}

static inline void mpj_entry_resume(const struct mpj_entry *entered)
{
  mpj_entered = *entered;
}

#define MPJ_ENTRY                                                                                  \
  const bool outermost __attribute__((cleanup(mpj_entry_end), unused)) = mpj_entry_begin(__func__)

#endif
