/* This file finds the period of a list of blocks.
 *
 * Seen as a string of letters (distance to the next block, length), the list
 * begins with k equal letters a and then another one, b. A period p > 1 puts
 * a..ab at p again, so the places where that stands are the candidates, in
 * rising order. Where candidate p, checked letter by letter, fails at letter i,
 * no period q <= i - p can exist: the i letters before would have both periods,
 * hence their common divisor (Fine and Wilf), and letter i would agree after all.
 * So the search goes on from i - p + 1. */
#include "types/period.h"

#include <stdbool.h>

enum { CHUNK = 128 };

struct search {
  const struct mpj_series *displs, *lens; /* lens may be NULL */
  MPJ_Count n;                            /* letters: one fewer than blocks */
  MPJ_Count run;                          /* k */
  MPJ_Count budget;                       /* comparisons left */
};

static MPJ_Count distance(const struct search *s, MPJ_Count i)
{
  return mpj_wrap_sub(mpj_series_at(s->displs, i + 1), mpj_series_at(s->displs, i));
}

static bool same_letter(const struct search *s, MPJ_Count i, MPJ_Count j)
{
  return distance(s, i) == distance(s, j) &&
         (!s->lens || mpj_series_at(s->lens, i) == mpj_series_at(s->lens, j));
}

/* The first candidate >= from, or n: the start of k letters a before a b, or
 * before the end (which is half-way through two periods of a..ab). */
static MPJ_Count next_candidate(struct search *s, MPJ_Count from)
{
  MPJ_Count run = 0, i = from;
  for (; i < s->n && s->budget > 0; i++, s->budget--) {
    if (same_letter(s, i, 0)) {
      run++;
      continue;
    }
    if (run >= s->run && same_letter(s, i, s->run)) return i - s->run;
    run = 0;
  }
  return i == s->n && run >= s->run ? i - s->run : s->n;
}

/* How many of these m values differ from those p before by something else than
 * `step`, from the first such one on: m if none does. */
static MPJ_Count agreeing(const struct mpj_series *values, MPJ_Count first, MPJ_Count m,
                          MPJ_Count p, MPJ_Count step)
{
  MPJ_Count here[CHUNK], before[CHUNK], different = 0;
  mpj_series_read(values, first, m, here);
  mpj_series_read(values, first - p, m, before);
  for (MPJ_Count k = 0; k < m; k++)
    different |= mpj_wrap_sub(here[k], before[k]) ^ step;
  if (!different) return m;
  MPJ_Count k = 0;
  while (mpj_wrap_sub(here[k], before[k]) == step)
    k++;
  return k;
}

/* The first block from p on that is unlike the one p before, or the number of
 * blocks: the letters before block - 1 agree. */
static MPJ_Count first_unlike(struct search *s, MPJ_Count p)
{
  MPJ_Count nblocks = s->n + 1;
  MPJ_Count step = mpj_wrap_sub(mpj_series_at(s->displs, p), mpj_series_at(s->displs, 0));
  for (MPJ_Count i = p; i < nblocks; i += CHUNK) {
    MPJ_Count m = nblocks - i < CHUNK ? nblocks - i : CHUNK;
    s->budget -= m;
    MPJ_Count agree = agreeing(s->displs, i, m, p, step);
    if (s->lens) {
      MPJ_Count same = agreeing(s->lens, i, m, p, 0);
      if (same < agree) agree = same;
    }
    if (agree < m) return i + agree;
  }
  return nblocks;
}

static MPJ_Count first_run(struct search *s)
{
  MPJ_Count k = 1;
  while (k < s->n && same_letter(s, k, 0))
    k++;
  s->budget -= k;
  return k;
}

MPJ_Count mpj_period(const struct mpj_series *displs, const struct mpj_series *lens)
{
  MPJ_Count nblocks = displs->n;
  if (nblocks < 4) return nblocks;
  struct search s = {displs, lens, nblocks - 1, 0, 4 * nblocks};
  s.run = first_run(&s);
  if (s.run == s.n) return nblocks; /* one letter; the last length may differ */
  MPJ_Count p = next_candidate(&s, s.run + 1);
  while (p <= nblocks / 2 && s.budget > 0) {
    MPJ_Count unlike = first_unlike(&s, p);
    if (unlike == nblocks) return p;
    MPJ_Count beyond = unlike - 1 - p; /* no period up to here, if letter unlike - 1 failed */
    p = next_candidate(&s, beyond > p ? beyond : p + 1);
  }
  return nblocks;
}
