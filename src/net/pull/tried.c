/* This file decides when which way is tried, and which one is the fastest. */
#include "net/pull/tried.h"

#include <assert.h>

enum {
  TRIED_FIRST = 8, /* transfers before any way is tried: a program that makes few is left alone */
  RUN = 4,         /* turns in a row for one way: the first ones still meet the caches of another */
  PERIOD = 128,    /* runs of which one is a trial, once all ways have been tried */
  SAMPLES = 3
};
#define ENOUGH .95f /* of the present way's time is what another one has to take */

unsigned mpj_tried_size(int64_t bytes)
{
  enum { FIRST_SIZE = 13 };
  const int size = 63 - __builtin_clzll((uint64_t)bytes | 1) - FIRST_SIZE;
  return size < 0 ? 0 : size < MPJ_TRIED_SIZES ? (unsigned)size : MPJ_TRIED_SIZES - 1;
}

enum mpj_try mpj_tried_likely(const struct mpj_tried_table *table, unsigned kind, int64_t bytes,
                              unsigned can, enum mpj_try likely)
{
  for (unsigned size = mpj_tried_size(bytes); size-- > 0;) {
    const unsigned best = table->of[kind % MPJ_TRIED_KINDS][size].best;
    if (best > 0) return can >> (best - 1) & 1 ? best - 1 : likely;
  }
  return likely;
}

static bool is_known(const struct mpj_tried *t, unsigned way)
{
  return t->samples[way] == SAMPLES;
}

static bool all_known(const struct mpj_tried *t, unsigned can)
{
  for (unsigned way = 0; way < MPJ_TRIES; way++)
    if (can >> way & 1 && !is_known(t, way)) return false;
  return true;
}

/* The run's bits, mixed (Knuth's multiplicative hash): programs make the same call at every so
 * many-th operation, often a power of two. */
static uint32_t mixed(uint32_t run)
{
  return run * UINT32_C(2654435769);
}

enum mpj_try mpj_tried_choose(struct mpj_tried *t, unsigned can, enum mpj_try likely, unsigned told,
                              uint32_t turn)
{
  const unsigned said = told - 1 < MPJ_TRIES ? told : t->best;
  const unsigned best = said > 0 && can >> (said - 1) & 1 ? said - 1 : likely;
  enum { WAY_SHIFT = 30, PERIOD_SHIFT = 23 };
  static_assert(MPJ_TRIES == 1 << (32 - WAY_SHIFT) && PERIOD == 1 << (WAY_SHIFT - PERIOD_SHIFT),
                "bits of the mixed run: above for the way, below those for the period");
  const uint32_t bits = mixed(turn / RUN);
  const unsigned way = bits >> WAY_SHIFT;
  if (t->begun < TRIED_FIRST) {
    t->begun++;
    return best;
  }
  const bool tries = !all_known(t, can) || (bits >> PERIOD_SHIFT) % PERIOD == 0;
  if (tries && can >> way & 1) return way;
  return best;
}

/* The way that is taken is judged by its mean, but for times in which others had the core. One that
 * is tried now and then meets the caches of that one, and at first pages that are new: there what
 * is less counts more. */
static float towards(float before, float now, unsigned samples, bool taken)
{
  if (samples == 1) return now < before ? now : before;
  if (now < before && !taken) return before + (now - before) / 2;
  return before + ((now < 2 * before ? now : 2 * before) - before) / 4;
}

void mpj_tried_note(struct mpj_tried *t, enum mpj_try way, int64_t bytes, int64_t ns)
{
  const float now = (float)(ns > 0 ? ns : 1) / (float)bytes;
  const unsigned samples = t->samples[way];
  t->ns[way] = samples > 0 ? towards(t->ns[way], now, samples, t->best == way + 1) : now;
  if (!is_known(t, way)) t->samples[way]++;
  if (t->best == 0 && is_known(t, way)) t->best = (uint8_t)(way + 1);
  for (unsigned w = 0; w < MPJ_TRIES; w++)
    if (is_known(t, w) && t->ns[w] < ENOUGH * t->ns[t->best - 1]) t->best = (uint8_t)(w + 1);
}

void mpj_tried_begin(struct mpj_tried *t, enum mpj_try way, int64_t bytes, uint32_t turn,
                     int64_t now)
{
  enum { LITTLE = 4 }; /* times as long as the transfer */
  if (t->last > 0 && t->turn == turn) return;
  if (t->last > 0 && t->took > 0) {
    const int64_t all = now - t->since;
    const bool whole = t->turn + 1 == turn && all < LITTLE * t->took;
    mpj_tried_note(t, (enum mpj_try)(t->last - 1), t->bytes, whole ? all : t->took);
  }
  t->last = (uint8_t)(way + 1);
  t->turn = turn;
  t->since = now;
  t->took = 0;
  t->bytes = bytes;
}

void mpj_tried_end(struct mpj_tried *t, uint32_t turn, int64_t now)
{
  const int64_t took = now - t->since, most = UINT32_MAX;
  if (t->turn == turn && took > t->took) t->took = (uint32_t)(took < most ? took : most);
}
