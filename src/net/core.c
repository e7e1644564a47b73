/* This file tells turns of ranks from those of strangers, as core.h has it. */
#include "net/core.h"

#include <limits.h>

#include "base/wtime.h"

static _Atomic uint64_t *turns_of(const struct mpj_core *core, int rank)
{
  return (_Atomic uint64_t *)(void *)((char *)(void *)core->turns + (size_t)rank * core->stride);
}

struct mpj_core mpj_core_shared(_Atomic uint64_t *turns, size_t stride, int rank, int ranks,
                                int cores)
{
  enum { FEW_A_CORE = 8 };
  const bool tells = ranks > cores && ranks / cores <= FEW_A_CORE;
  return (struct mpj_core){.turns = tells ? turns : NULL,
                           .stride = stride,
                           .stands_for = 1,
                           .ranks = ranks,
                           .rank = rank,
                           .cores = cores};
}

static void add_turn(struct mpj_core *core, int64_t end)
{
  _Atomic uint64_t *mine = turns_of(core, core->rank);
  const uint64_t before = atomic_load_explicit(mine, memory_order_relaxed);
  if (core->back == 0 || end < core->back) return; /* another thread of the rank has been back */
  const uint64_t turn = (uint64_t)(end - core->back) * core->stands_for;
  atomic_store_explicit(mine, before + turn, memory_order_relaxed);
}

void mpj_core_slept(struct mpj_core *core, int64_t begun)
{
  if (!core->turns) return;
  add_turn(core, begun);
  core->back = mpj_clock_ns();
}

/* Whether strangers have had more than a quarter of the cores since the last look, if that is not
 * long ago; this is the next last one. */
static bool strangers_work(struct mpj_core *core, int64_t now)
{
  enum { LONG_AGO_NS = 64 * MPJ_SLICE_US * 1000 };
  uint64_t sum = 0;
  for (int r = 0; r < core->ranks; r++)
    sum += atomic_load_explicit(turns_of(core, r), memory_order_relaxed);
  const int64_t since = now - core->looked;
  const bool fresh = core->looked > 0 && since < LONG_AGO_NS;
  const double ranks_had = (double)(sum - core->seen), all = (double)since * core->cores;
  core->looked = now;
  core->seen = sum;
  return fresh && ranks_had < .75 * all;
}

/* Another absence has been short, the second one that was timed perhaps. */
static void pass_over(struct mpj_core *core)
{
  if (++core->shorts < MPJ_CORE_ROW || core->shorts % 2 != 0) return;
  core->untimed = MPJ_CORE_ROW - 2;
  core->stands_for = MPJ_CORE_ROW;
  core->back = 0;
}

bool mpj_core_back(struct mpj_core *core, struct mpj_absence away)
{
  if (!core->turns) core->untimed = UINT_MAX;
  if (!core->turns || away.ended == 0) return false;
  add_turn(core, away.begun);
  core->back = away.ended;
  if (away.ended - away.begun >= MPJ_SLICE_US * INT64_C(1000)) {
    core->shorts = 0;
    core->stands_for = 1;
    return strangers_work(core, away.ended);
  }
  pass_over(core);
  return false;
}
