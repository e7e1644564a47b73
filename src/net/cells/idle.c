/* This file waits in a segment, as waiting.h has it.
 *
 * A rank that spins looks LOOKS times without a pause, which would take as long as the news (140
 * cycles since Skylake), then with one; after SPINS it yields, in case somebody else wants the
 * core. It sleeps on the futex word of its rank line, in two steps: set the word, poll once more,
 * sleep. Senders look at the word after a fence (fence.h), so no news is slept through; what has no
 * wake-up (credits, the window) is found when the sleep ends by itself.
 */
#include "net/cells/cells.h"
#include "net/cells/fence.h"
#include "net/waiting.h"

enum {
  LOOKS = 64,
  SPINS = 4096,
  SLEEP_MAX_US = 10000,
  SLEEP_SHORT_US = 500 /* where another library waits for this rank's calls, too */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* Set or clear the word that says this rank is about to sleep. */
static void arm(struct mpj_cells *c, const unsigned *by)
{
  if (by && ++c->alarms == 0) c->alarms = 1;
  atomic_exchange(&mpj_segment_rank(c->segment, c->rank)->sleeping, by ? c->alarms : 0);
  if (by && mpj_segment_sleepers_fence(c->segment)) mpj_fence_everybody();
  c->armed_by = by;
}

/* What has no wake-up must not wait longer for a rank that sleeps at once than for one that yields
 * among strangers. So its first sleep is as short as their slices.
 *
 * Where very many share the cores, to wake all of them every so often is work for all of the cores:
 * who sleeps for long sleeps longer each time, up to a time in proportion to their number. */
static long nap_us(struct mpj_cells *c)
{
  enum { RANKS_A_CORE = 32 };
  const long most = SLEEP_MAX_US * (1 + c->nranks / (RANKS_A_CORE * c->segment->config.cores));
  if (c->net.elsewhere.fn) return SLEEP_SHORT_US;
  if (c->nap_us == 0) c->nap_us = SLEEP_MAX_US / 2;
  c->nap_us = c->nap_us * 2 < most ? c->nap_us * 2 : most;
  return c->nap_us;
}

/* Other threads of this rank may sleep as well: so the word stays as it is when this one
 * wakes, and has another value if one of them has set it again since. */
static void nap(struct mpj_cells *c, const unsigned *idle, long us)
{
  const int64_t begun = mpj_clock_ns();
  const uint32_t alarm = c->alarms;
  const int kept = mpj_net_away(&c->net, true);
  mpj_segment_sleep(c->segment, c->rank, alarm, us);
  mpj_net_back(&c->net, true, kept);
  if (c->net.watch) mpj_watch_sleep(c->net.watch, begun);
  arm(c, idle);
}

static void yield(struct mpj_cells *c)
{
  const bool timed = mpj_core_times(&c->net.core);
  const int kept = mpj_net_away(&c->net, false);
  const struct mpj_absence away = mpj_give_core_timed(timed);
  mpj_net_back(&c->net, false, kept);
  if (!c->spin) mpj_net_note_core(&c->net, mpj_core_back(&c->net.core, away));
}

static void spin(struct mpj_cells *c, unsigned count)
{
  const int kept = mpj_net_away(&c->net, false);
  if (count >= LOOKS) relax();
  mpj_net_back(&c->net, false, kept);
}

static void doze(struct mpj_cells *c, unsigned *idle, long us)
{
  if ((*idle)++ > 0 && c->armed_by == idle)
    nap(c, idle, us);
  else
    arm(c, idle);
}

void mpj_cells_idle(struct mpj_transport *t, unsigned *idle, long us)
{
  struct mpj_cells *c = (struct mpj_cells *)t;
  if (!idle) return;
  if (us != 0) {
    doze(c, idle, us);
    return;
  }
  const unsigned count = (*idle)++;
  c->waited = true;
  if (count == 0) {
    c->idle_since = 0;
    c->nap_us = 0;
    if (c->armed_by && c->net.sleepers == 0) arm(c, NULL);
    c->armed_by = NULL;
  } else if (c->armed_by == idle) {
    nap(c, idle, nap_us(c));
    return;
  }
  if (mpj_waiting_spins(c->spin, SPINS, count)) {
    spin(c, count);
    return;
  }
  if (c->net.asleep > 0 && mpj_net_may_sleep(&c->net)) {
    c->net.asleep--;
    if (c->nap_us == 0) c->nap_us = MPJ_SLICE_US / 2;
    arm(c, idle);
    return;
  }
  yield(c);
  if (c->net.watch) mpj_watch_yield(c->net.watch);
  if (mpj_waiting_looks(count) && mpj_net_may_sleep(&c->net) &&
      mpj_waiting_is_long(&c->idle_since, c->sleep_ns))
    arm(c, idle);
}
