/* This file tells the ranks' work from that of strangers, as core.h has it. */
#include "net/core.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "base/wtime.h"

int32_t mpj_core_clock(bool process)
{
  clockid_t clock = 0;
  const int failed = process ? clock_getcpuclockid(getpid(), &clock)
                             : pthread_getcpuclockid(pthread_self(), &clock);
  return failed ? 0 : (int32_t)clock;
}

struct mpj_core mpj_core_shared(const _Atomic int32_t *clocks, size_t stride, int ranks, int cores)
{
  enum { FEW_A_CORE = 8 };
  const bool tells = ranks > cores && ranks / cores <= FEW_A_CORE;
  return (struct mpj_core){
      .clocks = tells ? clocks : NULL, .stride = stride, .ranks = ranks, .cores = cores};
}

/* How long the ranks have run, in ns, all together; those that are gone, or have not come: 0. */
static uint64_t work_of_all(const struct mpj_core *core)
{
  uint64_t sum = 0;
  for (int r = 0; r < core->ranks; r++) {
    const char *at = (const char *)(const void *)core->clocks + (size_t)r * core->stride;
    const clockid_t clock =
        atomic_load_explicit((const _Atomic int32_t *)(const void *)at, memory_order_relaxed);
    struct timespec ran;
    if (clock != 0 && clock_gettime(clock, &ran) == 0)
      sum += (uint64_t)ran.tv_sec * 1000000000 + (uint64_t)ran.tv_nsec;
  }
  return sum;
}

bool mpj_core_judge(struct mpj_core *core, int64_t now, uint64_t worked)
{
  enum { LONG_AGO_NS = 64 * MPJ_SLICE_US * 1000, PAUSES = 4 };
  const int64_t since = now - core->looked;
  const bool fresh = core->looked > 0 && since < LONG_AGO_NS + PAUSES * core->pause;
  const bool known = fresh && worked >= core->worked; /* no rank has gone */
  const double all = (double)since * core->cores;
  core->strangers = known && (double)(worked - core->worked) < .75 * all;
  core->looked = now;
  core->worked = worked;
  return core->strangers;
}

static bool strangers_work(struct mpj_core *core)
{
  enum { SHARE = 64 };
  const int64_t now = mpj_clock_ns();
  if (core->looked > 0 && now - core->looked < core->pause) return core->strangers;
  const uint64_t worked = work_of_all(core);
  const int64_t took = mpj_clock_ns() - now;
  const bool strangers = mpj_core_judge(core, now + took, worked);
  if (core->takes == 0 || took < core->takes) core->takes = took; /* none had the core meanwhile */
  core->pause = SHARE * core->takes * core->ranks / core->cores;
  return strangers;
}

bool mpj_core_back(struct mpj_core *core, struct mpj_absence away)
{
  if (!core->clocks) core->untimed = UINT_MAX;
  if (!core->clocks || away.ended == 0) return false;
  if (away.ended - away.begun >= MPJ_SLICE_US * INT64_C(1000)) {
    core->shorts = 0;
    return strangers_work(core);
  }
  if (++core->shorts >= MPJ_CORE_ROW) core->untimed = MPJ_CORE_ROW - 1;
  return false;
}
