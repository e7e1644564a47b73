/* This file tells equal layout nodes: by hash, then field by field. */
#include <string.h>

#include "types/layout/intern.h"
#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ (hash >> 32);
}

static uint64_t hash_index(uint64_t hash, const struct mpj_layout *l)
{
  hash = mix(hash, l->u.index.child->id);
  hash = mix(hash, (uint64_t)l->u.index.stride);
  hash = mix(hash, (uint64_t)l->u.index.uniform);
  hash = mix(hash, mpj_sequence_hash(l->u.index.lens));
  return mix(hash, mpj_sequence_hash(l->u.index.displs));
}

static uint64_t hash_long_seq(uint64_t hash, const struct mpj_layout *l)
{
  struct mpj_layout *const *shapes = l->u.seq.shapes->all;
  const MPJ_Count n = l->u.seq.shapes->n;
  uint64_t chain[4] = {hash, hash + 1, hash + 2, hash + 3}; /* that do not wait for one another */
  for (MPJ_Count i = 0; i < n; i++)
    chain[i % 4] = mix(chain[i % 4], shapes[i]->id);
  for (int k = 0; k < 4; k++)
    hash = mix(hash, chain[k]);
  hash = mix(hash, mpj_sequence_hash(l->u.seq.rows));
  return mix(hash, mpj_sequence_hash(l->u.seq.displs));
}

static uint64_t hash_seq(uint64_t hash, const struct mpj_layout *l)
{
  if (l->u.seq.shapes) return hash_long_seq(hash, l);
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    hash = mix(hash, l->u.seq.pieces[i].layout->id);
    hash = mix(hash, (uint64_t)l->u.seq.pieces[i].displ);
  }
  return hash;
}

uint64_t mpj_layout_hash_node(const struct mpj_layout *l)
{
  uint64_t hash = mix(0, (uint64_t)l->kind);
  switch (l->kind) {
  case MPJ_LAYOUT_EMPTY:
    return hash;
  case MPJ_LAYOUT_RUN:
    return mix(mix(hash, (uint64_t)l->u.run.basic), (uint64_t)l->u.run.count);
  case MPJ_LAYOUT_LOOP:
    hash = mix(hash, l->u.loop.child->id);
    return mix(mix(hash, (uint64_t)l->u.loop.count), (uint64_t)l->u.loop.stride);
  case MPJ_LAYOUT_INDEX:
    return hash_index(hash, l);
  case MPJ_LAYOUT_SEQ:
    return hash_seq(hash, l);
  }
  return hash;
}

static bool equal_index(const struct mpj_layout *a, const struct mpj_layout *b)
{
  return a->u.index.child == b->u.index.child && a->u.index.stride == b->u.index.stride &&
         a->u.index.nblocks == b->u.index.nblocks && a->u.index.uniform == b->u.index.uniform &&
         mpj_sequence_equal(a->u.index.lens, b->u.index.lens) &&
         mpj_sequence_equal(a->u.index.displs, b->u.index.displs);
}

static bool equal_shapes(const struct mpj_shapes *a, const struct mpj_shapes *b)
{
  return a->n == b->n && memcmp(a->all, b->all, (size_t)a->n * sizeof a->all[0]) == 0;
}

static bool equal_seq(const struct mpj_layout *a, const struct mpj_layout *b)
{
  if (a->u.seq.npieces != b->u.seq.npieces || !a->u.seq.shapes != !b->u.seq.shapes) return false;
  if (a->u.seq.shapes)
    return equal_shapes(a->u.seq.shapes, b->u.seq.shapes) &&
           mpj_sequence_equal(a->u.seq.rows, b->u.seq.rows) &&
           mpj_sequence_equal(a->u.seq.displs, b->u.seq.displs);
  for (MPJ_Count i = 0; i < a->u.seq.npieces; i++) {
    if (a->u.seq.pieces[i].layout != b->u.seq.pieces[i].layout ||
        a->u.seq.pieces[i].displ != b->u.seq.pieces[i].displ)
      return false;
  }
  return true;
}

/* Children are interned, so comparing nodes needs no recursion. */
bool mpj_layout_equal_nodes(const struct mpj_layout *a, const struct mpj_layout *b)
{
  if (a->hash != b->hash || a->kind != b->kind) return false;
  switch (a->kind) {
  case MPJ_LAYOUT_EMPTY:
    return true;
  case MPJ_LAYOUT_RUN:
    return a->u.run.basic == b->u.run.basic && a->u.run.count == b->u.run.count;
  case MPJ_LAYOUT_LOOP:
    return a->u.loop.child == b->u.loop.child && a->u.loop.count == b->u.loop.count &&
           a->u.loop.stride == b->u.loop.stride;
  case MPJ_LAYOUT_INDEX:
    return equal_index(a, b);
  case MPJ_LAYOUT_SEQ:
    return equal_seq(a, b);
  }
  return false;
}
