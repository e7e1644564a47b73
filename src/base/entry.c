/* This file lets functions of other libraries be entered as public ones. */
#include "base/entry.h"

#include <mpj/base.h>

int MPJ_Error_enter(const char *function)
{
  return mpj_entry_begin(function);
}

void MPJ_Error_leave(int outermost)
{
  const bool began = outermost != 0;
  mpj_entry_end(&began);
}
