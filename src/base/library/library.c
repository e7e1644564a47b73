/* This file loads libraries that are not linked. */
#include "base/library/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool mpj_library_load(const char *file, bool global, const char *const names[], size_t n,
                      void *calls, char why[MPJ_LIBRARY_WHY])
{
  enum { NAMES_MOST = 32 };
  void *found[NAMES_MOST];
  void *library = dlopen(file, RTLD_NOW | (global ? RTLD_GLOBAL : RTLD_LOCAL));
  bool sound = library && n <= NAMES_MOST;
  for (size_t i = 0; sound && i < n; i++)
    sound = (found[i] = dlsym(library, names[i])) != NULL;
  if (sound) {
    memcpy(calls, found, n * sizeof *found);
    return true;
  }
  const char *reason = dlerror();
  snprintf(why, MPJ_LIBRARY_WHY, "%s", reason ? reason : "it has more names than were thought of");
  return false;
}
