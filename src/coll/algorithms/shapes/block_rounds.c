/* This file finds the rounds in which blocks go along the circulant graph.
 *
 * A place is reached from 0 by paths of falling skips. Block k leaves place 0 in round k,
 * so what place r takes in round k is named by the first skip of a path to a place
 * between r - skip[k + 1] and r - skip[k]; the search takes for each k the highest such
 * place whose block has not come yet, and a block found leaves the list.
 * Source: J. L. Traeff, "Optimal broadcast schedules in logarithmic time with
 * applications to broadcast, all-broadcast, reduction and all-reduction", 2024. What is
 * given is found here as what the neighbours take. */
#include "coll/algorithms/shapes/block_rounds.h"

#include <assert.h>
#include <stdint.h>

enum { NONE = -1 };

/* The blocks not taken yet, in falling order, q standing for place 0's next one. */
struct open {
  int next[MPJ_SKIPS_MAX + 1], before[MPJ_SKIPS_MAX + 1];
};

static void strike(struct open *open, int block)
{
  const int next = open->next[block], before = open->before[block];
  if (before != NONE) open->next[before] = next;
  if (next != NONE) open->before[next] = before;
}

/* The last skip of the greedy path to `place` >= 1: the block that comes straight. */
static int straight_block(const struct mpj_block_rounds *r, int place)
{
  int k = r->q - 1;
  for (; r->skip[k] != place; k--)
    if (r->skip[k] < place) place -= r->skip[k];
  return k;
}

/* The place so far from place 0. */
static int around(const struct mpj_block_rounds *r, int64_t far)
{
  return (int)(far % r->size);
}

struct search {
  const struct mpj_block_rounds *rounds;
  int64_t place; /* plus p */
  int64_t below; /* paths found must end before this one */
  int found;     /* rounds 0 .. found - 1 have their blocks */
  int *blocks;   /* [q] */
  struct open open;
};

/* Paths that go on from `at` with skips no longer than that of `block`. As deep as
 * ceil(log2 p). */
static void find_paths(struct search *s, int64_t at, int block)
{
  const int *skip = s->rounds->skip, q = s->rounds->q;
  for (; block != NONE; block = s->open.next[block]) {
    const int64_t end = at + skip[block];
    if (s->found == q || end > s->place - skip[s->found] || end >= s->below) continue;
    if (end <= s->place - skip[s->found + 1]) find_paths(s, end, block);
    if (s->found == q || at > s->place - skip[s->found + 1]) return;
    s->below = end;
    s->blocks[s->found++] = block;
    strike(&s->open, block);
  }
}

/* blocks[q]: what `place` >= 1 takes in rounds 0 .. q - 1. */
static void find_taken(const struct mpj_block_rounds *r, int place, int blocks[])
{
  const int q = r->q, straight = straight_block(r, place);
  struct search s = {
      .rounds = r, .place = (int64_t)r->size + place, .below = INT64_MAX, .blocks = blocks};
  for (int b = 0; b <= q; b++) {
    s.open.next[b] = b - 1;
    s.open.before[b] = b < q ? b + 1 : NONE;
  }
  strike(&s.open, straight);
  find_paths(&s, 0, q);
  assert(s.found == q);
  for (int k = 0; k < q; k++)
    blocks[k] = blocks[k] == q ? straight : blocks[k] - q;
}

void mpj_block_rounds_find(int size, int place, int nblocks, struct mpj_block_rounds *r)
{
  int falling[MPJ_SKIPS_MAX], taken[MPJ_SKIPS_MAX];
  *r = (struct mpj_block_rounds){.nblocks = nblocks, .place = place, .size = size};
  const int q = r->q = mpj_circulant_skips(size, falling);
  if (q == 0) return;
  for (int k = 0; k <= q; k++)
    r->skip[k] = falling[q - k];
  r->rounds = nblocks - 1 + q;
  r->shift = (q - (nblocks - 1) % q) % q;
  if (place != 0) find_taken(r, place, r->taken);
  for (int k = 0; k < q; k++) {
    const int to = around(r, (int64_t)place + r->skip[k]);
    if (to == 0) continue;
    find_taken(r, to, taken);
    r->given[k] = taken[k];
  }
}

/* The block of round i by the pattern, or -1. Those past the last are the last. */
static int block_of(const struct mpj_block_rounds *r, const int pattern[], int i)
{
  const int at = i + r->shift;
  const int block = pattern[at % r->q] + at / r->q * r->q - r->shift;
  if (block < 0) return -1;
  return block < r->nblocks ? block : r->nblocks - 1;
}

struct mpj_block_move mpj_block_taken(const struct mpj_block_rounds *r, int i)
{
  const int skip = r->skip[(i + r->shift) % r->q];
  const int block = r->place == 0 ? -1 : block_of(r, r->taken, i);
  return (struct mpj_block_move){block, around(r, (int64_t)r->place - skip + r->size)};
}

struct mpj_block_move mpj_block_given(const struct mpj_block_rounds *r, int i)
{
  const int skip = r->skip[(i + r->shift) % r->q];
  const int to = around(r, (int64_t)r->place + skip);
  return (struct mpj_block_move){to == 0 ? -1 : block_of(r, r->given, i), to};
}
