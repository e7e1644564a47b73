/* This file finds the units of an index: where blocks are dense and short, all are units of
 * one size, which kernels run through with no branch that depends on a block's length. A
 * few are listed, by 32-bit offsets of 4 bytes a unit, and so are a few blocks that are no
 * units, of 8 bytes each; more are decoded from the layout as they are moved, or listed then. */
#include <stdatomic.h>

#include "base/least.h"
#include "base/memory.h"
#include "pack/program/compile_seq.h"

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

enum { FIRST_LOOK = 8 }; /* blocks, of which most indices show that nothing divides them */

/* The most copies that divide every block: 3 of the doubles of a list of points,
 * whatever neighbours have merged. */
static MPJ_Count copies_in_unit(const struct mpj_program *p)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, nblocks = p->u.index.nblocks, unit = 0;
  MPJ_Count n = FIRST_LOOK;
  if (p->u.index.layout->u.index.uniform) return p->u.index.layout->u.index.uniform;
  for (MPJ_Count first = 0; first < nblocks && unit != 1; first += n, n = MPJ_LAYOUT_FRAME) {
    n = mpj_least(nblocks - first, n);
    mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
    for (MPJ_Count i = 0; i < n; i++)
      unit = common_divisor(copies[i], unit);
  }
  return unit;
}

/* Sets unit and nunits: to nothing where whole blocks are better. */
static void choose_units(struct mpj_program *p)
{
  p->u.index.unit = p->u.index.nunits = 0;
  if (!p->u.index.dense) return;
  const MPJ_Count unit = copies_in_unit(p) * p->u.index.child->bytes, n = p->bytes / unit;
  const bool few = unit <= MOST_UNIT && n <= MOST_COPIES * p->u.index.nblocks;
  if (!p->u.index.layout->u.index.uniform && !few) return;
  p->u.index.unit = unit;
  p->u.index.nunits = n;
}

/* Whether offsets of 32 bits reach all data. */
static bool is_near(const struct mpj_program *p)
{
  return p->u.index.layout->true_lb >= INT32_MIN && p->u.index.layout->true_ub <= INT32_MAX;
}

static void fill(const struct mpj_program *p, int32_t *to)
{
  const MPJ_Count unit = p->u.index.unit, nblocks = p->u.index.nblocks;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start;
  for (MPJ_Count first = 0, n; first < nblocks; first += n) {
    n = mpj_least(nblocks - first, MPJ_LAYOUT_FRAME);
    mpj_layout_index_blocks(p->u.index.layout, first, n, displs, copies, &start);
    for (MPJ_Count i = 0; i < n; i++) {
      const MPJ_Aint end = displs[i] + copies[i] * p->u.index.child->bytes;
      for (MPJ_Aint at = displs[i]; at < end; at += unit)
        *to++ = (int32_t)at;
    }
  }
}

/* A list of the units, owned, or NULL. */
static int32_t *list_units(const struct mpj_program *p)
{
  int32_t *flat = mpj_alloc((size_t)p->u.index.nunits * sizeof *flat);
  if (flat) fill(p, flat);
  return flat;
}

static void list_blocks(struct mpj_program *p, size_t *left)
{
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count copies[MPJ_LAYOUT_FRAME], start, n = p->u.index.nblocks;
  if (n > MPJ_PROGRAM_FEW_BLOCKS || p->bytes > UINT32_MAX) return;
  mpj_layout_index_blocks(p->u.index.layout, 0, n, displs, copies, &start);
  for (MPJ_Count i = 0; i < n; i++)
    if (displs[i] < INT32_MIN || displs[i] > INT32_MAX) return;
  if (!mpj_program_may_list(n, MPJ_PROGRAM_FEW_BLOCKS, sizeof(struct mpj_program_block), left))
    return;
  struct mpj_program_block *blocks = mpj_alloc_array((size_t)n, sizeof *blocks);
  p->u.index.blocks = blocks;
  if (!blocks) return;
  for (MPJ_Count i = 0; i < n; i++) {
    blocks[i] = (struct mpj_program_block){(int32_t)displs[i], (uint32_t)start};
    start += copies[i] * p->u.index.child->bytes;
  }
}

void mpj_program_flatten(struct mpj_program *p, size_t *left)
{
  p->u.index.blocks = NULL;
  choose_units(p);
  const MPJ_Count n = p->u.index.nunits;
  const bool few =
      n > 0 && is_near(p) && mpj_program_may_list(n, MPJ_PROGRAM_FEW_UNITS, sizeof(int32_t), left);
  atomic_init(&p->u.index.flat, few ? list_units(p) : NULL);
  if (n == 0) list_blocks(p, left);
}

/* Bytes of all lists that were made when they were wanted: at most MPJ_PROGRAM_ALL_LISTS. */
static _Atomic(MPJ_Count) listed;

static MPJ_Count list_bytes(const struct mpj_program *p)
{
  return p->u.index.nunits * (MPJ_Count)sizeof(int32_t);
}

/* Whether it runs by rows, which need no list. */
static bool is_regular(const struct mpj_program *p)
{
  MPJ_Aint displ, stride;
  MPJ_Count copies;
  return mpj_layout_index_row(p->u.index.layout, 0, &displ, &stride, &copies) > 1;
}

const int32_t *mpj_program_list(const struct mpj_program *p)
{
  int32_t *present = atomic_load_explicit(&p->u.index.flat, memory_order_acquire);
  const MPJ_Count bytes = list_bytes(p);
  if (present || bytes > MPJ_PROGRAM_ONE_LIST || !is_near(p) || is_regular(p)) return present;
  if (atomic_fetch_add(&listed, bytes) <= MPJ_PROGRAM_ALL_LISTS - bytes) {
    int32_t *made = list_units(p);
    _Atomic(int32_t *) *flat = &((struct mpj_program *)p)->u.index.flat;
    if (made && atomic_compare_exchange_strong(flat, &present, made)) return made;
    mpj_free(made);
  }
  atomic_fetch_sub(&listed, bytes);
  return present;
}

void mpj_program_unlist(struct mpj_program *p)
{
  int32_t *flat = atomic_load_explicit(&p->u.index.flat, memory_order_relaxed);
  if (flat && p->u.index.nunits > MPJ_PROGRAM_FEW_UNITS) atomic_fetch_sub(&listed, list_bytes(p));
  mpj_free(flat);
}
