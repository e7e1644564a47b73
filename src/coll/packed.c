/* This file makes the packed twin of a view: a layout of the same basic types in
 * the same order with nothing between, which is what a temporary holds. */
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm.h"

static int twin_of(struct mpj_layout *layout, struct mpj_piece *out);

/* `count` twins of the layout, end to end. */
static int repeat(struct mpj_layout *layout, MPJ_Count count, struct mpj_piece *out)
{
  struct mpj_piece one;
  int status = twin_of(layout, &one);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_layout_loop(count, layout->signature.bytes, one, out);
  mpj_layout_release(one.layout);
  return status;
}

static int join(const struct mpj_layout *seq, struct mpj_piece *out)
{
  const MPJ_Count n = seq->u.seq.npieces;
  MPJ_Count made = 0, start = 0;
  int status = MPJ_SUCCESS;
  struct mpj_piece *twins = mpj_alloc_array((size_t)n, sizeof *twins);
  if (!twins)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the packed form of %lld pieces", (long long)n);
  for (; made < n && status == MPJ_SUCCESS; made++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(seq, made, &piece, NULL);
    status = twin_of(piece.layout, &twins[made]);
    if (status != MPJ_SUCCESS) break;
    twins[made].displ += (MPJ_Aint)start;
    start += piece.layout->signature.bytes;
  }
  if (status == MPJ_SUCCESS) status = mpj_layout_seq(n, twins, out);
  while (made > 0)
    mpj_layout_release(twins[--made].layout);
  mpj_free(twins);
  return status;
}

/* Recursion as deep as the layout. */
static int twin_of(struct mpj_layout *layout, struct mpj_piece *out)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
  case MPJ_LAYOUT_RUN:
    break;
  case MPJ_LAYOUT_LOOP:
    return repeat(layout->u.loop.child, layout->u.loop.count, out);
  case MPJ_LAYOUT_INDEX:
    return repeat(layout->u.index.child, mpj_layout_index_copies(layout), out);
  case MPJ_LAYOUT_SEQ:
    return join(layout, out);
  }
  *out = (struct mpj_piece){mpj_layout_retain(layout), 0};
  return MPJ_SUCCESS;
}

int mpj_packed_twin(const struct mpj_view *view, struct mpj_piece *twin)
{
  return view->count == 1 ? twin_of(view->layout, twin) : repeat(view->layout, view->count, twin);
}
