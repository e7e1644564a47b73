/* This file finds the least description of a small type map. */
#include "types/optimum.h"

#include <limits.h>
#include <string.h>

#include "types/basic.h"

struct map {
  const struct mpj_ref_entry *e;
  int cost[OPTIMUM_MOST][OPTIMUM_MOST + 1]; /* [first][end]; 0: not known */
};

static int least(int a, int b)
{
  return a < b ? a : b;
}

static MPJ_Aint distance(const struct map *m, int i, int j)
{
  return m->e[j].displ - m->e[i].displ;
}

/* Whether the n elements from i on are those from j on, somewhere else. */
static bool translate(const struct map *m, int i, int j, int n)
{
  for (int k = 0; k < n; k++)
    if (m->e[i + k].basic != m->e[j + k].basic || distance(m, i, i + k) != distance(m, j, j + k))
      return false;
  return true;
}

/* Whether [first, end) is translates of its first n elements. */
static bool repeats(const struct map *m, int first, int end, int n)
{
  if ((end - first) % n != 0) return false;
  for (int i = first + n; i < end; i += n)
    if (!translate(m, first, i, n)) return false;
  return true;
}

static bool dense(const struct map *m, int first, int end)
{
  const MPJ_Aint size = mpj_basics[m->e[first].basic].size;
  for (int i = first; i < end; i++)
    if (m->e[i].basic != m->e[first].basic || distance(m, first, i) != (i - first) * size)
      return false;
  return true;
}

static int best(struct map *m, int first, int end);

/* Rows of units of n elements, `stride` apart inside a row: how many. */
static int rows_of(const struct map *m, int first, int end, int n, MPJ_Aint stride)
{
  int rows = 1;
  for (int i = first + n; i < end; i += n)
    rows += distance(m, i - n, i) != stride;
  return rows;
}

/* LOOP or INDEX over the first n elements, which all others are translates of. */
static int best_of_unit(struct map *m, int first, int end, int n)
{
  const int copies = (end - first) / n, unit = best(m, first, first + n);
  int cost = 3 + copies + unit;
  for (int i = first + n; i < end; i += n) {
    const int rows = rows_of(m, first, end, n, distance(m, i - n, i));
    cost = least(cost, rows == 1 ? 3 + unit : 3 + 2 * rows + unit);
  }
  return cost;
}

/* SEQ of two or more pieces. */
static int best_of_pieces(struct map *m, int first, int end)
{
  int upto[OPTIMUM_MOST + 1] = {0}; /* cheapest pieces for [first, first + i) */
  for (int i = 1; i <= end - first; i++) {
    upto[i] = INT_MAX / 2;
    for (int j = 0; j < i; j++)
      if (i - j < end - first)
        upto[i] = least(upto[i], upto[j] + 2 + best(m, first + j, first + i));
  }
  return 1 + upto[end - first];
}

static int best(struct map *m, int first, int end)
{
  int *known = &m->cost[first][end];
  if (*known) return *known;
  int cost = INT_MAX / 2;
  if (dense(m, first, end)) cost = 2;
  for (int n = 1; n <= (end - first) / 2; n++)
    if (repeats(m, first, end, n)) cost = least(cost, best_of_unit(m, first, end, n));
  if (end - first > 1) cost = least(cost, best_of_pieces(m, first, end));
  return *known = cost;
}

int optimum_cost(const struct mpj_ref_entry entries[], MPJ_Count n)
{
  struct map m = {.e = entries};
  return best(&m, 0, (int)n);
}

int optimum_cost_of(const struct mpj_layout *layout)
{
  int cost = 1;
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
    return 0;
  case MPJ_LAYOUT_RUN:
    return 2;
  case MPJ_LAYOUT_LOOP:
    return 3 + optimum_cost_of(layout->u.loop.child);
  case MPJ_LAYOUT_INDEX:
    return 3 + (layout->u.index.uniform ? 1 : 2) * (int)layout->u.index.nblocks +
           optimum_cost_of(layout->u.index.child);
  case MPJ_LAYOUT_SEQ:
    break;
  }
  for (MPJ_Count i = 0; i < layout->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    cost += 2 + optimum_cost_of(piece.layout);
  }
  return cost;
}
