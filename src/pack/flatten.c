/* This file flattens indices: where blocks are dense and short, a program keeps
 * one 32-bit offset for each unit of equal size, which its kernels run through
 * with nothing to decode and no branch that depends on a block's length. Memory:
 * 4 bytes a unit. */
#include "base/memory.h"
#include "pack/program.h"

enum {
  MOST_COPIES = 4, /* in a block on average: more, and whole blocks are faster */
  MOST_UNIT = 64   /* bytes of a copy where blocks differ in length, likewise */
};

/* Sets unit and nflat. Returns whether a flat list is worth it. */
static bool choose_units(struct mpj_program *p)
{
  MPJ_Count size = p->u.index.child->bytes, nblocks = p->u.index.nblocks;
  p->u.index.unit = p->u.index.uniform ? p->u.index.uniform * size : size;
  p->u.index.nflat = p->bytes / p->u.index.unit;
  if (!p->u.index.dense) return false;
  return p->u.index.uniform || (size <= MOST_UNIT && p->u.index.nflat <= MOST_COPIES * nblocks);
}

/* Append a block's n units. Returns false if one is too far for 32 bits. */
static bool append(int32_t *to, MPJ_Aint displ, MPJ_Count n, MPJ_Count unit)
{
  MPJ_Aint last;
  if (!mpj_muladd_aint(displ, n - 1, unit, &last)) return false;
  if (displ < INT32_MIN || last > INT32_MAX) return false;
  for (MPJ_Count i = 0; i < n; i++)
    to[i] = (int32_t)(displ + i * unit);
  return true;
}

static bool fill(const struct mpj_program *p, int32_t *to)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, nblocks = p->u.index.nblocks;
  for (MPJ_Count first = 0, n; first < nblocks; first += n) {
    n = nblocks - first < MPJ_LAYOUT_FRAME ? nblocks - first : MPJ_LAYOUT_FRAME;
    mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
    for (MPJ_Count i = 0; i < n; i++) {
      MPJ_Count units = p->u.index.uniform ? 1 : copies[i];
      if (!append(to, displs[i], units, p->u.index.unit)) return false;
      to += units;
    }
  }
  return true;
}

void mpj_program_flatten(struct mpj_program *p)
{
  p->u.index.flat = NULL;
  if (choose_units(p)) {
    int32_t *flat = mpj_alloc_array((size_t)p->u.index.nflat, sizeof *flat);
    if (flat && fill(p, flat)) {
      p->u.index.flat = flat;
      return;
    }
    mpj_free(flat);
  }
  p->u.index.nflat = 0;
}
