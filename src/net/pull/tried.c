/* This file decides when which way is tried, and which one is the fastest. */
#include "net/pull/tried.h"

#include <assert.h>
#include <float.h>

enum {
  TRIED_FIRST = 8, /* transfers before any way is tried: a program that makes few is left alone */
  RUN = 16, /* turns in a row for one way: the first ones still meet another's pages, caches */
  SAMPLES = 12,
  FEW = 4 /* samples that tell what is much worse */
};
/* Of so many runs one is a trial, as a power of two: of a way that has not been timed SAMPLES
 * times, all until each has had its run, so that what is likely and wrong is not gone by for long;
 * of one that has; of one that is hardly worth it. */
enum { SEARCH_BITS = 0, PERIOD_BITS = 7, RARE_BITS = 9 };
#define ENOUGH .95f /* of the present way's time is what another one has to take */
#define RARE 2      /* times as long as the best way takes what is tried but rarely */

unsigned mpj_tried_size(int64_t bytes)
{
  enum { FIRST_SIZE = 13 };
  const int size = 63 - __builtin_clzll((uint64_t)bytes | 1) - FIRST_SIZE;
  return size < 0 ? 0 : size < MPJ_TRIED_SIZES ? (unsigned)size : MPJ_TRIED_SIZES - 1;
}

enum mpj_try mpj_tried_likely(const struct mpj_tried_table *table, unsigned kind, int64_t bytes,
                              unsigned can, enum mpj_try likely)
{
  enum { FAR = 2 };
  const unsigned of = mpj_tried_size(bytes), least = of > FAR ? of - FAR : 0;
  for (unsigned size = of; size-- > least;) {
    const unsigned best = table->of[kind % MPJ_TRIED_KINDS][size].best;
    if (best > 0) return can >> (best - 1) & 1 ? best - 1 : likely;
  }
  return likely;
}

static bool is_known(const struct mpj_tried *t, unsigned way)
{
  return t->samples[way] == SAMPLES;
}

/* The least time of those that a few samples tell. */
static float least_ns(const struct mpj_tried *t)
{
  float least = FLT_MAX;
  for (unsigned way = 0; way < MPJ_TRIES; way++)
    if (t->samples[way] >= FEW && t->ns[way] < least) least = t->ns[way];
  return least;
}

uint8_t mpj_tried_says(const struct mpj_tried *t)
{
  const float least = t->best > 0 ? t->ns[t->best - 1] : least_ns(t);
  unsigned says = t->best;
  for (unsigned way = 0; way < MPJ_TRIES; way++)
    if (t->refused[way] == SAMPLES || (t->samples[way] >= FEW && t->ns[way] > RARE * least))
      says |= (unsigned)MPJ_TRIED_RARE << way;
  return (uint8_t)says;
}

/* The run's bits, mixed (Knuth's multiplicative hash): programs make the same call at every so
 * many-th operation, often a power of two. */
static uint32_t mixed(uint32_t run)
{
  return run * UINT32_C(2654435769);
}

enum mpj_try mpj_tried_choose(struct mpj_tried *t, unsigned can, enum mpj_try likely, unsigned said,
                              uint32_t turn)
{
  enum { WAY_BITS = 2, BITS = 32 };
  static_assert(MPJ_TRIES == 1 << WAY_BITS && (int)MPJ_TRIES < (int)MPJ_TRIED_RARE,
                "bits of the mixed run, above, and of what is said");
  const bool valid = said % MPJ_TRIED_RARE <= MPJ_TRIES && said < MPJ_TRIED_RARE << MPJ_TRIES;
  const unsigned says = valid && said > 0 ? said : mpj_tried_says(t);
  const unsigned taken = says % MPJ_TRIED_RARE;
  const unsigned best = taken > 0 && can >> (taken - 1) & 1 ? taken - 1 : likely;
  const uint32_t bits = mixed(turn / RUN);
  const unsigned way = bits >> (BITS - WAY_BITS);
  if (t->begun < TRIED_FIRST) {
    t->begun++;
    return best;
  }
  const uint64_t below = (uint32_t)(bits << WAY_BITS);
  const bool rare = says & (unsigned)MPJ_TRIED_RARE << way;
  const unsigned every = rare ? RARE_BITS : is_known(t, way) ? PERIOD_BITS : SEARCH_BITS;
  return can >> way & 1 && below >> (BITS - every) == 0 ? way : best;
}

/* The way that is taken is judged by its median, towards which steps of bounded size lead: times in
 * which others had the core count no more than others do. One that is tried now and then meets the
 * caches of that one, and at first pages that are new: there what is less counts more. */
static float towards(float before, float now, unsigned samples, bool taken)
{
  const float step = before / 16;
  if (samples < SAMPLES) return now < before ? now : before;
  if (now > before + step) return before + step;
  if (now < before - step) return taken ? before - step : before + (now - before) / 2;
  return now;
}

void mpj_tried_refuse(struct mpj_tried *t, enum mpj_try way)
{
  if (t->refused[way] < SAMPLES) t->refused[way]++;
  if (t->last == way + 1) t->last = 0;
}

void mpj_tried_note(struct mpj_tried *t, enum mpj_try way, int64_t bytes, int64_t ns)
{
  const float now = (float)(ns > 0 ? ns : 1) / (float)bytes;
  const unsigned samples = t->samples[way];
  t->refused[way] = 0;
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
