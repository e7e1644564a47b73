/* This file loads UCX. */
#include "net/ucx/calls.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/library/library.h"
#include "base/status.h"

static struct mpj_ucx_calls loaded;
static bool is_loaded;
static char why_not[MPJ_LIBRARY_WHY];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* What of UCX can be set by its environment only, where the user has not. */
static void prefer_settings(void)
{
  static const char *const ours[][2] = {
      /* A process's signal handlers are its own. */
      {"UCX_ERROR_SIGNALS", ""},
      /* A peer's end is reported by us, once. */
      {"UCX_LOG_LEVEL", "fatal"},
      /* One event at a time: where a peer's end closes several of its connections,
       * UCX 1.13 takes the events that it holds of the others for a bug of its own. */
      {"UCX_TCP_MAX_POLL", "1"},
      /* The kernel asks after an idle connection's other end: lost within 4 s. */
      {"UCX_TCP_KEEPIDLE", "1s"},
      {"UCX_TCP_KEEPINTVL", "1s"},
      {"UCX_TCP_KEEPCNT", "3"},
      /* Nobody waits in a call for a connection that is being made (patience.c). */
      {"UCX_TCP_CONN_NB", "y"},
      /* Where connections may fail, UCX moves long data in segments of this size, and we in pieces
       * that fit one (pieces.c). 1 MiB one way (mpj-bench am network), us: of 32 KiB 420; of 48
       * 330; of 64 290; of 96 and 128 280; of 256 265. */
      {"UCX_TCP_RX_SEG_SIZE", "256k"},
      {"UCX_TCP_TX_SEG_SIZE", "256k"},
  };
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    setenv(ours[i][0], ours[i][1], 0);
}

static void load(void)
{
  static const char *const names[] = {MPJ_UCX_CALLS(MPJ_LIBRARY_NAME)};
  prefer_settings();
  is_loaded = mpj_library_load(MPJ_UCX_LIBRARY, false, names, sizeof names / sizeof *names, &loaded,
                               why_not);
}

int mpj_ucx_load(const struct mpj_ucx_calls **calls)
{
  pthread_once(&once, load);
  if (!is_loaded) return mpj_error(MPJ_ERR_UNSUPPORTED, "UCX cannot be loaded: %s", why_not);
  *calls = &loaded;
  return MPJ_SUCCESS;
}
