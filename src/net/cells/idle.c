/* This file decides how a rank waits: by occupancy.
 *
 * Where the ranks fit the cores, a rank spins, because the news is a cache line
 * away: LOOKS times without a pause, which would take as long as the news (140
 * cycles since Skylake), then with one; after SPINS it yields as well, in case somebody else wants the
 * core. Where they do not, it yields at the first miss: the rank that will send
 * the news needs this core. After a long idle time it sleeps on the futex word
 * of its rank line, in two steps: set the word, poll once more, sleep. Senders
 * look at the word after a fence (fence.h), so no news is slept through; what has no
 * wake-up (credits, the window) is found when the sleep ends by itself. */
#include <sched.h>
#include <time.h>

#include "net/cells/cells.h"
#include "net/cells/fence.h"

enum { LOOKS = 64, SPINS = 4096, LOOKS_AT_CLOCK_EVERY = 64, SLEEP_MAX_US = 10000 };

static int64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Set or clear the word that says this rank is about to sleep. */
static void arm(struct mpj_cells *c, bool armed)
{
  atomic_exchange(&mpj_segment_rank(c->segment, c->rank)->sleeping, armed);
  if (armed) mpj_fence_everybody();
  c->armed = armed;
}

static void consider_sleep(struct mpj_cells *c)
{
  const int64_t now = now_ns();
  if (c->idle_since == 0)
    c->idle_since = now;
  else if (now - c->idle_since >= c->sleep_ns)
    arm(c, true);
}

void mpj_cells_idle(struct mpj_transport *t, unsigned *idle)
{
  struct mpj_cells *c = (struct mpj_cells *)t;
  const unsigned count = (*idle)++;
  if (count == 0) {
    c->idle_since = 0;
    if (c->armed) arm(c, false);
  }
  if (c->armed) {
    const int64_t begun = c->net.watch ? now_ns() : 0;
    mpj_segment_sleep(c->segment, c->rank, SLEEP_MAX_US);
    if (c->net.watch) mpj_watch_sleep(c->net.watch, begun);
    arm(c, true);
    return;
  }
  if (c->spin && count < SPINS) {
    if (count >= LOOKS) relax();
    return;
  }
  sched_yield();
  if (c->net.watch) mpj_watch_yield(c->net.watch);
  if (count % LOOKS_AT_CLOCK_EVERY == LOOKS_AT_CLOCK_EVERY - 1) consider_sleep(c);
}
