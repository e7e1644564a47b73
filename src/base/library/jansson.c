/* This file loads jansson. */
#ifdef MPJ_HAVE_JANSSON
#include "base/library/jansson.h"

#include <pthread.h>
#include <stdio.h>

struct mpj_jansson mpj_jansson;
static bool is_loaded;
static char why_not[MPJ_LIBRARY_WHY];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
  static const char *const names[] = {MPJ_JANSSON_CALLS(MPJ_LIBRARY_NAME)};
  is_loaded = mpj_library_load(MPJ_JANSSON_LIBRARY, false, names, sizeof names / sizeof *names,
                               &mpj_jansson, why_not);
}

bool mpj_jansson_load(char *why, size_t size)
{
  pthread_once(&once, load);
  if (!is_loaded) snprintf(why, size, "jansson, which reads such files, cannot be loaded: %s", why_not);
  return is_loaded;
}

#endif
