/* This file finds the period of a list of blocks.
 *
 * Seen as a string of letters (distance to the next block, length), the list
 * begins with k equal letters a and then another one, b. A period p > 1 puts
 * a..ab at p again, so the places where that stands are the candidates, in
 * rising order. Where candidate p, checked letter by letter, fails at letter i,
 * no period q <= i - p can exist: the i letters before would have both periods,
 * hence their common divisor (Fine and Wilf), and letter i would agree after all.
 * So the search goes on from i - p + 1. */
#include "types/layout/period.h"

#include <stdbool.h>
#include <string.h>

#include "types/sequence/widths.h"

enum { CHUNK = 128, GLANCE = 8, SPARE = 1024, FEW = 16 };

struct search {
  const struct mpj_series *displs, *lens; /* lens may be NULL */
  MPJ_Count n;                            /* letters: one fewer than blocks */
  MPJ_Count run;                          /* k */
  MPJ_Count budget;                       /* comparisons left */
};

struct letter {
  MPJ_Count distance, len;
};

struct letters {
  MPJ_Count distance[CHUNK], len[CHUNK];
};

static struct letter letter_at(const struct search *s, MPJ_Count i)
{
  return (struct letter){mpj_wrap_sub(mpj_series_at(s->displs, i + 1), mpj_series_at(s->displs, i)),
                         s->lens ? mpj_series_at(s->lens, i) : 0};
}

/* Letters [first, first + n), n <= CHUNK. */
static void read_letters(const struct search *s, MPJ_Count first, MPJ_Count n, struct letters *out)
{
  MPJ_Count displs[CHUNK + 1];
  mpj_series_read(s->displs, first, n + 1, displs);
  if (s->lens)
    mpj_series_read(s->lens, first, n, out->len);
  else
    memset(out->len, 0, (size_t)n * sizeof out->len[0]);
  for (MPJ_Count k = 0; k < n; k++)
    out->distance[k] = mpj_wrap_sub(displs[k + 1], displs[k]);
}

/* Whether one of n letters, of these raw numbers, is that of the first two displacements and the
 * first length; lens may be NULL. */
static inline MPJ_WIDE_BODY bool any_body(const MPJ_Count displs[], const MPJ_Count lens[],
                                          MPJ_Count n, MPJ_Count distance, MPJ_Count len)
{
  int64_t any = 0; /* of the width of what is compared, or vectors are narrowed each time */
  for (MPJ_Count k = 0; k < n && !lens; k++)
    any |= mpj_wrap_sub(displs[k + 1], displs[k]) == distance ? -1 : 0;
  for (MPJ_Count k = 0; k < n && lens; k++)
    any |= ((mpj_wrap_sub(displs[k + 1], displs[k]) ^ distance) | (lens[k] ^ len)) == 0 ? -1 : 0;
  return any != 0;
}

MPJ_IN_WIDTHS(bool, any,
              (const MPJ_Count displs[], const MPJ_Count lens[], MPJ_Count n, MPJ_Count distance,
               MPJ_Count len),
              (displs, lens, n, distance, len))

/* The caller's numbers, if the series is these alone, and differs where they do. */
static const MPJ_Count *raw_of(const struct mpj_series *s)
{
  return s->npatches == 0 && s->scale != 0 ? s->values : NULL;
}

/* Whether letters [first, first + n) can be passed over since none of them is the first one of
 * all. The caller's numbers say so as they are. */
static bool has_no_first(const struct search *s, MPJ_Count first, MPJ_Count n)
{
  const MPJ_Count *displs = raw_of(s->displs), *lens = s->lens ? raw_of(s->lens) : NULL;
  if (!displs || (s->lens && !lens)) return false;
  const MPJ_Count distance = mpj_wrap_sub(displs[1], displs[0]), len = lens ? lens[0] : 0;
  displs += first;
  lens = lens ? lens + first : NULL;
  return !any(displs, lens, n, distance, len);
}

static bool is_letter(const struct letters *letters, MPJ_Count k, struct letter letter)
{
  return letters->distance[k] == letter.distance && letters->len[k] == letter.len;
}

/* The first candidate >= from, or n: the start of k letters a before a b, or
 * before the end (which is half-way through two periods of a..ab). Those beyond
 * the middle are not looked for. */
static MPJ_Count next_candidate(struct search *s, MPJ_Count from)
{
  struct letter a = letter_at(s, 0), b = letter_at(s, s->run);
  struct letters letters;
  MPJ_Count run = 0, beyond = s->n / 2 + s->run + 2;
  MPJ_Count end = beyond < s->n ? beyond : s->n;
  for (MPJ_Count i = from; i < end && s->budget > 0; i += CHUNK) {
    MPJ_Count m = end - i < CHUNK ? end - i : CHUNK;
    s->budget -= m;
    if (run == 0 && has_no_first(s, i, m)) continue;
    read_letters(s, i, m, &letters);
    for (MPJ_Count k = 0; k < m; k++) {
      bool is_a = is_letter(&letters, k, a);
      if (!is_a && run >= s->run && is_letter(&letters, k, b)) {
        s->budget += m - k;
        return i + k - s->run;
      }
      run = is_a ? run + 1 : 0;
    }
  }
  return end == s->n && s->budget > 0 && run >= s->run ? end - s->run : s->n;
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
  MPJ_Count m = GLANCE; /* most candidates fail at once */
  for (MPJ_Count i = p; i < nblocks; i += m, m = CHUNK) {
    if (nblocks - i < m) m = nblocks - i;
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
  struct letter a = letter_at(s, 0);
  struct letters letters;
  MPJ_Count m = GLANCE; /* most runs are short */
  for (MPJ_Count i = 0; i < s->n; i += m, m = CHUNK) {
    if (s->n - i < m) m = s->n - i;
    read_letters(s, i, m, &letters);
    s->budget -= m;
    for (MPJ_Count k = 0; k < m; k++)
      if (!is_letter(&letters, k, a)) return i + k;
  }
  return s->n;
}

/* Whether all blocks from p on are like those p before. */
static bool repeats(const MPJ_Count displs[], const MPJ_Count lens[], MPJ_Count n, MPJ_Count p)
{
  const MPJ_Count step = mpj_wrap_sub(displs[p], displs[0]);
  for (MPJ_Count i = p; i < n; i++)
    if (mpj_wrap_sub(displs[i], displs[i - p]) != step || lens[i] != lens[i - p]) return false;
  return true;
}

/* For 4 to FEW blocks: all periods are tried. */
static MPJ_Count period_of_few(const struct mpj_series *displs, const struct mpj_series *lens)
{
  const MPJ_Count n = displs->n;
  MPJ_Count d[FEW], l[FEW];
  for (MPJ_Count i = 0; i < n; i++) {
    d[i] = mpj_series_at(displs, i);
    l[i] = lens ? mpj_series_at(lens, i) : 0;
  }
  if (repeats(d, l, n, 1)) return n;
  for (MPJ_Count p = 2; p <= n / 2; p++)
    if (repeats(d, l, n, p)) return p;
  return n;
}

MPJ_Count mpj_period(const struct mpj_series *displs, const struct mpj_series *lens)
{
  MPJ_Count nblocks = displs->n;
  if (nblocks < 4) return nblocks;
  if (nblocks <= FEW) return period_of_few(displs, lens);
  struct search s = {displs, lens, nblocks - 1, 0, 4 * nblocks + SPARE};
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
