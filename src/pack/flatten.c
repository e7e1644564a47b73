/* This file decodes indices: where blocks are dense and short, a program keeps
 * one 32-bit offset for each unit of equal size, which its kernels run through
 * with nothing to decode and no branch that depends on a block's length. Memory:
 * 4 bytes a unit. Of other indices it keeps the blocks, if they are few. Memory: 4 KiB at
 * most. */
#include "base/memory.h"
#include "pack/program.h"

enum {
  MOST_COPIES = 4, /* units in a block on average: more, and whole blocks are faster */
  MOST_UNIT = 64   /* bytes of a unit where blocks differ in length, likewise */
};

static MPJ_Count common_divisor(MPJ_Count a, MPJ_Count b)
{
  while (b > 0) {
    MPJ_Count rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The most copies that divide every block: 3 of the doubles of a list of points,
 * whatever neighbours have merged. */
static MPJ_Count copies_in_unit(const struct mpj_program *p)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, nblocks = p->u.index.nblocks, unit = 0;
  if (p->u.index.layout->u.index.uniform) return p->u.index.layout->u.index.uniform;
  for (MPJ_Count first = 0, n; first < nblocks && unit != 1; first += n) {
    n = nblocks - first < MPJ_LAYOUT_FRAME ? nblocks - first : MPJ_LAYOUT_FRAME;
    mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
    for (MPJ_Count i = 0; i < n; i++)
      unit = common_divisor(copies[i], unit);
  }
  return unit;
}

/* Sets unit and nflat. Returns whether a flat list is worth it. */
static bool choose_units(struct mpj_program *p)
{
  if (!p->u.index.dense) return false;
  p->u.index.unit = copies_in_unit(p) * p->u.index.child->bytes;
  p->u.index.nflat = p->bytes / p->u.index.unit;
  if (p->u.index.layout->u.index.uniform) return true;
  return p->u.index.unit <= MOST_UNIT && p->u.index.nflat <= MOST_COPIES * p->u.index.nblocks;
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
      MPJ_Count units = copies[i] * p->u.index.child->bytes / p->u.index.unit;
      if (!append(to, displs[i], units, p->u.index.unit)) return false;
      to += units;
    }
  }
  return true;
}

static void list_blocks(struct mpj_program *p)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, n = p->u.index.nblocks;
  if (n > MPJ_PROGRAM_FEW_BLOCKS) return;
  struct mpj_program_block *blocks = mpj_alloc_array((size_t)n, sizeof *blocks);
  p->u.index.blocks = blocks;
  if (!blocks) return;
  mpj_layout_index_blocks(p->u.index.layout, 0, n, displs, copies, &start);
  for (MPJ_Count i = 0; i < n; i++) {
    MPJ_Count bytes = copies[i] * p->u.index.child->bytes;
    blocks[i] = (struct mpj_program_block){displs[i], copies[i], start, bytes};
    start += bytes;
  }
}

void mpj_program_flatten(struct mpj_program *p)
{
  p->u.index.flat = NULL;
  p->u.index.blocks = NULL;
  if (choose_units(p)) {
    int32_t *flat = mpj_alloc_array((size_t)p->u.index.nflat, sizeof *flat);
    if (flat && fill(p, flat)) {
      p->u.index.flat = flat;
      return;
    }
    mpj_free(flat);
  }
  p->u.index.nflat = 0;
  list_blocks(p);
}
