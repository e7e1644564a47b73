/* This file checks the invariants of layout.h on a whole tree. */
#include "base/least.h"
#include "types/basic.h"
#include "types/layout/intern.h"
#include "types/layout/layout.h"
#include "types/layout/neighbours.h"
#include "types/layout/shapes.h"
#include "types/sequence/sequence.h"

/* The fields that follow from a node's children, put together one by one. */
struct derived {
  struct mpj_signature signature;
  uint64_t basics;
  int depth, straight, alignment;
  MPJ_Aint true_lb, true_ub;
};

/* Before any child was added. */
static struct derived no_child(void)
{
  return (struct derived){mpj_signature_empty, 0, 1, 0, 1, PTRDIFF_MAX, PTRDIFF_MIN};
}

/* Add count copies of a child, the first and the last of them at these displacements. */
static void add_child(struct derived *d, const struct mpj_layout *child, MPJ_Count count,
                      MPJ_Aint first, MPJ_Aint last)
{
  const MPJ_Aint low = mpj_least(first, last) + child->true_lb;
  const MPJ_Aint high = (first > last ? first : last) + child->true_ub;
  d->signature = mpj_signature_join(d->signature, mpj_signature_repeat(child->signature, count));
  d->basics |= child->basics;
  if (child->depth >= d->depth) d->depth = child->depth + 1;
  if (child->straight > d->straight) d->straight = child->straight;
  if (child->alignment > d->alignment) d->alignment = child->alignment;
  if (low < d->true_lb) d->true_lb = low;
  if (high > d->true_ub) d->true_ub = high;
}

static bool is_derived(const struct mpj_layout *l, const struct derived *d)
{
  return l->signature.elements == d->signature.elements &&
         l->signature.power == d->signature.power &&
         mpj_signature_equal(&l->signature, &d->signature) && l->basics == d->basics &&
         l->depth == d->depth && l->straight == d->straight && l->alignment == d->alignment &&
         l->true_lb == d->true_lb && l->true_ub == d->true_ub;
}

static bool check_run(const struct mpj_layout *l)
{
  const int basic = l->u.run.basic;
  if (basic < 0 || basic >= MPJ_BASIC_COUNT || l->u.run.count < 1) return false;
  const struct derived d = {.signature =
                                mpj_signature_repeat(mpj_signature_of_basic(basic), l->u.run.count),
                            .basics = UINT64_C(1) << basic,
                            .depth = 1,
                            .alignment = mpj_basics[basic].alignment,
                            .true_ub = l->u.run.count * mpj_basics[basic].size};
  return is_derived(l, &d);
}

static bool check_loop(const struct mpj_layout *l)
{
  const struct mpj_layout *child = l->u.loop.child;
  struct derived d = no_child();
  if (l->u.loop.count < 2 || child->kind == MPJ_LAYOUT_EMPTY || !mpj_layout_check(child))
    return false;
  add_child(&d, child, l->u.loop.count, 0, (l->u.loop.count - 1) * l->u.loop.stride);
  return !mpj_layout_continues(child, l->u.loop.stride) && is_derived(l, &d);
}

static bool progression(const struct mpj_layout *l)
{
  MPJ_Aint step = 0, before = 0, displ;
  for (MPJ_Count i = 1; i < l->u.index.nblocks; i++, before = displ) {
    mpj_layout_index_block(l, i, &displ, NULL, NULL);
    if (i == 1) step = displ;
    if (displ - before != step) return false;
  }
  return true;
}

/* Lengths of 1 or more, not all alike, whose sums the accessors agree on. */
static bool check_lengths(const struct mpj_layout *l)
{
  bool varied = false;
  MPJ_Count sum = 0, first = 0;
  for (MPJ_Count i = 0; i < l->u.index.nblocks; i++) {
    MPJ_Count len, start;
    mpj_layout_index_block(l, i, NULL, &len, &start);
    if (len < 1 || start != sum || mpj_layout_index_find(l, start) != i) return false;
    if (i == 0) first = len;
    varied = varied || len != first;
    sum += len;
  }
  return varied && sum == mpj_layout_index_copies(l);
}

static bool index_is_derived(const struct mpj_layout *l)
{
  struct derived d = no_child();
  for (MPJ_Count i = 0; i < l->u.index.nblocks; i++) {
    MPJ_Aint displ;
    MPJ_Count copies;
    mpj_layout_index_block(l, i, &displ, &copies, NULL);
    add_child(&d, l->u.index.child, copies, displ,
              mpj_wrap_muladd(copies - 1, l->u.index.stride, displ));
  }
  return is_derived(l, &d);
}

static bool check_index(const struct mpj_layout *l)
{
  const struct mpj_layout *child = l->u.index.child;
  MPJ_Aint first;
  if (l->u.index.nblocks < 2) return false;
  mpj_layout_index_block(l, 0, &first, NULL, NULL);
  if (first != 0 || child->kind == MPJ_LAYOUT_EMPTY || !mpj_layout_check(child)) return false;
  if (!index_is_derived(l)) return false;
  if (l->u.index.uniform == 0) return check_lengths(l);
  return l->u.index.uniform == 1 && !l->u.index.lens && !l->u.index.starts && !progression(l);
}

static bool check_piece(const struct mpj_layout *piece)
{
  return piece->kind != MPJ_LAYOUT_EMPTY && mpj_layout_check(piece) && !mpj_layout_opens(piece);
}

static bool seq_is_derived(const struct mpj_layout *l)
{
  struct derived d = no_child();
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(l, i, &piece, NULL);
    add_child(&d, piece.layout, 1, piece.displ, piece.displ);
    if (mpj_layout_straight_over(piece.layout) > d.straight)
      d.straight = mpj_layout_straight_over(piece.layout);
  }
  return is_derived(l, &d);
}

static bool check_short_seq(const struct mpj_layout *l)
{
  const struct mpj_piece *p = l->u.seq.pieces;
  const MPJ_Count *starts = l->u.seq.starts_of_short;
  struct mpj_row whole;
  if (l->u.seq.npieces < 2 || p[0].displ != 0 || starts[0] != 0) return false;
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    if (!check_piece(p[i].layout)) return false;
    if (starts[i + 1] - starts[i] != p[i].layout->signature.bytes) return false;
    if (i > 0 && mpj_rows_join(p[i - 1], p[i], &whole)) return false;
  }
  return starts[l->u.seq.npieces] == l->signature.bytes && seq_is_derived(l);
}

/* Pieces of the shapes that there are, whose packed bytes the accessors agree on. */
static bool check_long_seq(const struct mpj_layout *l)
{
  const struct mpj_shapes *shapes = l->u.seq.shapes;
  MPJ_Count bytes = 0;
  for (MPJ_Count s = 0; s < shapes->n; s++)
    if (!check_piece(shapes->all[s])) return false;
  for (MPJ_Count i = 0; i < l->u.seq.npieces; i++) {
    const MPJ_Count row = mpj_sequence_at(l->u.seq.rows, i);
    struct mpj_piece piece;
    MPJ_Count start;
    if (row < 0 || row >= shapes->n) return false;
    mpj_layout_seq_piece(l, i, &piece, &start);
    if (piece.layout != shapes->all[row] || start != bytes) return false;
    if (mpj_layout_seq_find(l, start) != i || (i == 0 && piece.displ != 0)) return false;
    bytes += piece.layout->signature.bytes;
    if (mpj_layout_seq_find(l, bytes - 1) != i) return false;
  }
  return l->u.seq.npieces > MPJ_LAYOUT_SEQ_OPEN && bytes == l->signature.bytes && seq_is_derived(l);
}

bool mpj_layout_check(const struct mpj_layout *layout)
{
  const struct derived nothing = {mpj_signature_empty, 0, 1, 0, 1, 0, 0};
  if (layout->id == 0 || atomic_load(&layout->references) < 1) return false;
  if (layout->hash != mpj_layout_hash_node(layout) || layout->depth > MPJ_LAYOUT_DEPTH_MAX)
    return false;
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
    return is_derived(layout, &nothing);
  case MPJ_LAYOUT_RUN:
    return check_run(layout);
  case MPJ_LAYOUT_LOOP:
    return check_loop(layout);
  case MPJ_LAYOUT_INDEX:
    return check_index(layout);
  case MPJ_LAYOUT_SEQ:
    return layout->u.seq.shapes ? check_long_seq(layout) : check_short_seq(layout);
  }
  return false;
}
