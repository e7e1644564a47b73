/* This file keeps what has been measured of movers. */
#include "net/pull/speed.h"

enum { FIRST_SIZE = 13, IN_TURN = 4, TRY_LEAST = 32, TRY_MOST = 8192 };

/* What has not been tried is taken to be as fast as the next smaller size that has. */
struct mpj_speed *mpj_speed_of(struct mpj_speeds *s, unsigned kind, int64_t bytes)
{
  int size = 63 - __builtin_clzll((uint64_t)bytes | 1) - FIRST_SIZE;
  if (size < 0) size = 0;
  if (size >= MPJ_SPEED_SIZES) size = MPJ_SPEED_SIZES - 1;
  struct mpj_speed *sizes = s->of[kind % MPJ_SPEED_KINDS];
  if (sizes[size].begun == 0)
    for (int k = size - 1; k >= 0 && sizes[size].begun == 0; k--)
      if (sizes[k].begun >= IN_TURN) sizes[size] = sizes[k];
  return &sizes[size];
}

/* Pulls after which one that was r times as slow is tried again. */
static uint64_t patience(uint64_t fast, uint64_t slow)
{
  const uint64_t ratio = slow * 16 / fast; /* in sixteenths */
  const uint64_t pulls = TRY_LEAST * ratio * ratio / 256;
  return ratio > 256 || pulls > TRY_MOST ? TRY_MOST : pulls;
}

unsigned mpj_speed_choose(struct mpj_speed *s)
{
  if (s->begun < IN_TURN) return s->begun++ % 2;
  if (s->ps[0] == 0 || s->ps[1] == 0) return s->ps[0] != 0;
  const unsigned best = s->ps[1] < s->ps[0];
  if (++s->since < patience(s->ps[best], s->ps[1 - best])) return best;
  s->since = 0;
  return 1 - best;
}

/* Picoseconds a byte, from 1 to UINT32_MAX. */
static int64_t pace(int64_t bytes, int64_t ns)
{
  const int64_t most = UINT32_MAX;
  const int64_t ps = ns < INT64_MAX / 1000 && bytes > 0 ? ns * 1000 / bytes : most;
  return ps < 1 ? 1 : ps > most ? most : ps;
}

void mpj_speed_note(struct mpj_speed *s, unsigned which, int64_t bytes, int64_t ns)
{
  int64_t ps = pace(bytes, ns);
  const int64_t before = s->ps[which];
  if (ps > 2 * before && before > 0) ps = 2 * before;
  if (before > 0 && (s->begun >= IN_TURN || ps > before)) {
    const int64_t step = (ps - before) / 4;
    ps = s->begun >= IN_TURN ? before + step : before;
  }
  s->ps[which] = (uint32_t)(ps > UINT32_MAX ? UINT32_MAX : ps);
}
