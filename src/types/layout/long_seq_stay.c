/* This file decides whether the pieces of a list stay as they are, or are joined
 * with their neighbours. */
#include <stddef.h>

#include "types/layout/long_seq.h"
#include "types/layout/neighbours.h"
#include "types/sequence/series.h"

/* Pieces of one row's unit and stride in a row that are worth an index node. */
enum { GROUP = 16 };
/* Pieces whose layouts are asked for before they are looked at. */
enum { AHEAD = 8 };

/* The list so far: what the last piece was, and how many pieces joining would save. */
struct tally {
  struct mpj_row row;
  const struct mpj_layout *layout;
  MPJ_Aint displ, distance; /* to it from the one before */
  MPJ_Count group, alike;   /* pieces of its unit; and how many of them join it */
  MPJ_Count saved;
};

static void end_group(struct tally *t)
{
  t->saved += t->group >= GROUP ? t->group - 1 : t->alike;
}

static void take(struct tally *t, struct mpj_layout *layout, MPJ_Aint displ)
{
  const struct mpj_row row = mpj_row_of(layout);
  const MPJ_Aint distance = mpj_wrap_sub(displ, t->displ);
  struct mpj_row whole;
  if (row.unit == t->row.unit && row.stride == t->row.stride) {
    const bool progress = t->group > 1 && layout == t->layout && distance == t->distance;
    t->alike += progress || mpj_row_goes_on(t->row, t->displ, row, displ, &whole);
    t->group++;
  } else {
    end_group(t);
    t->group = 1;
    t->alike = 0;
  }
  t->row = row;
  t->layout = layout;
  t->displ = displ;
  t->distance = distance;
}

static bool is_little(struct tally *t, MPJ_Count n)
{
  end_group(t);
  return t->saved < n / 8;
}

bool mpj_pieces_stay(MPJ_Count n, const struct mpj_piece pieces[])
{
  struct tally t = {.group = 0};
  if (n <= MPJ_LAYOUT_SEQ_OPEN) return false;
  for (MPJ_Count i = 0; i < n; i++) {
    if (i + AHEAD < n) __builtin_prefetch(&pieces[i + AHEAD].layout->u);
    take(&t, pieces[i].layout, pieces[i].displ);
  }
  return is_little(&t, n);
}

bool mpj_mix_stays(const struct mpj_mix *mix)
{
  struct tally t = {.group = 0};
  if (mix->n <= MPJ_LAYOUT_SEQ_OPEN) return false;
  for (MPJ_Count i = 0; i < mix->n; i++) {
    const struct mpj_piece *shape = &mix->shapes[mix->numbers[i]];
    take(&t, shape->layout, mpj_wrap_muladd(1, mix->displs[i], shape->displ));
  }
  return is_little(&t, mix->n);
}
