/* This header is how a rank waits, over any transport: it spins, then yields, then sleeps.
 *
 * `count` is how often in a row the rank has found nothing. Where the ranks fit the cores it spins
 * for the first `spins` of these, since what it waits for is a cache line away; else it gives its
 * core away from the first on, since who sends needs that core. After a long idle time, or at once
 * where ranks share cores with strangers who compute, it sleeps; how, and what wakes it, is the
 * transport's. */
#ifndef MPJ_SRC_NET_WAITING_H
#define MPJ_SRC_NET_WAITING_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "base/wtime.h"

enum {
  MPJ_LOOKS_AT_CLOCK_EVERY = 64,
  MPJ_SLICE_US = 1000 /* a scheduler lets who computes keep the core for that long at least */
};

static inline bool mpj_waiting_spins(bool ranks_fit, unsigned spins, unsigned count)
{
  return ranks_fit && count < spins;
}

/* Whether it is time to look at the clock. */
static inline bool mpj_waiting_looks(unsigned count)
{
  return count % MPJ_LOOKS_AT_CLOCK_EVERY == MPJ_LOOKS_AT_CLOCK_EVERY - 1;
}

/* Look: whether the rank has been idle for sleep_ns. *since: when it was first looked at, 0: now.
 */
static inline bool mpj_waiting_is_long(int64_t *since, int64_t sleep_ns)
{
  const int64_t now = mpj_clock_ns();
  if (*since == 0) {
    *since = now;
    return false;
  }
  return now - *since >= sleep_ns;
}

/* Give the core to who else wants it. Without the C library: its code, and the way there, are three
 * pages more (base/hot.h). */
static inline void mpj_give_core(void)
{
#if defined(__x86_64__)
  long result = SYS_sched_yield;
  __asm__ volatile("syscall" : "+a"(result) : : "rcx", "r11", "memory");
#else
  sched_yield();
#endif
}

/* From when to when a core was given away; zeros: it was not timed. */
struct mpj_absence {
  int64_t begun, ended;
};

static inline struct mpj_absence mpj_give_core_timed(bool timed)
{
  struct mpj_absence away = {0};
  if (timed) away.begun = mpj_clock_ns();
  mpj_give_core();
  if (timed) away.ended = mpj_clock_ns();
  return away;
}

#endif
