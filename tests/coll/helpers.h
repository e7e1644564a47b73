/* This header declares how tests give a rank several threads: helpers that act for the
 * rank that starts them. */
#ifndef MPJ_TESTS_COLL_HELPERS_H
#define MPJ_TESTS_COLL_HELPERS_H

#include <pthread.h>
#include <stdio.h>

#include "coll/engine_play.h"

enum { HELPERS_MAX = 8 };

struct helper {
  int (*fn)(int which, void *arg); /* 0, or the line that is wrong */
  int which;
  void *arg;
  MPJ_Context context;
  pthread_t thread;
  int line;
  char detail[200]; /* of its own last error */
};

static inline void *helper_main(void *arg)
{
  struct helper *h = arg;
  MPJ_Context_adopt(h->context);
  h->line = h->fn(h->which, h->arg);
  if (h->line != 0) snprintf(h->detail, sizeof h->detail, "%s", MPJ_Error_detail());
  MPJ_Context_adopt(MPJ_CONTEXT_NULL);
  return NULL;
}

/* Run fn(0 .. n - 1, arg) on n threads of the calling rank; the first line that was
 * wrong, or 0. */
static inline int run_helpers(int n, int (*fn)(int which, void *arg), void *arg)
{
  struct helper helpers[HELPERS_MAX];
  MPJ_Context context;
  int line = 0, started = 0;
  NEED(!MPJ_Context_get(&context));
  for (; started < n; started++) {
    helpers[started] = (struct helper){.fn = fn, .which = started, .arg = arg, .context = context};
    if (pthread_create(&helpers[started].thread, NULL, helper_main, &helpers[started]) != 0) break;
  }
  for (int i = 0; i < started; i++) {
    pthread_join(helpers[i].thread, NULL);
    if (helpers[i].line == 0) continue;
    fprintf(stderr, "helper %d: line %d (%s)\n", i, helpers[i].line, helpers[i].detail);
    line = helpers[i].line;
  }
  NEED(started == n);
  return line;
}

/* Become a rank with many threads, or stay one. */
static inline int be_multiple(void)
{
  int provided = -1;
  if (!MPJ_Query_thread(&provided) && provided == MPJ_THREAD_MULTIPLE) return 0;
  NEED(!MPJ_Init_thread(NULL, NULL, MPJ_THREAD_MULTIPLE, &provided));
  NEED(provided == MPJ_THREAD_MULTIPLE);
  return 0;
}

#endif
