/* This file makes the packed form of a view: a layout of the same basic types in
 * the same order with nothing between, which is what a temporary holds. */
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/plan/binding.h"
#include "types/layout/footprint.h"
#include "types/layout/layout_make.h"

static int packed_form_of(struct mpj_layout *layout, struct mpj_piece *out);

/* `count` twins of the layout, end to end. */
static int repeat(struct mpj_layout *layout, MPJ_Count count, struct mpj_piece *out)
{
  struct mpj_piece one;
  int status = packed_form_of(layout, &one);
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
    status = packed_form_of(piece.layout, &twins[made]);
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
static int packed_form_of(struct mpj_layout *layout, struct mpj_piece *out)
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

/* A packed form, kept with its layout. Invariant: owns a reference unless it is the
 * layout's own. */
struct packed_form {
  struct mpj_attachment head; /* first */
  struct mpj_piece piece;
  bool own;
};

static void destroy(struct mpj_attachment *self)
{
  struct packed_form *form = (struct packed_form *)self;
  if (form->own) mpj_layout_release(form->piece.layout);
  mpj_free(form);
}

static void measure(const struct mpj_attachment *self, struct mpj_footprint *f)
{
  const struct packed_form *form = (const struct packed_form *)self;
  mpj_footprint_add(f, form);
  if (form->own) mpj_footprint_layout(f, form->piece.layout);
}

static int attach_twin(struct mpj_layout *layout, struct mpj_attachment **attached)
{
  struct packed_form *form = mpj_alloc_array(1, sizeof *form);
  if (!form) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the packed form of a type");
  const int status = packed_form_of(layout, &form->piece);
  if (status != MPJ_SUCCESS) {
    mpj_free(form);
    return status;
  }
  form->head = (struct mpj_attachment){destroy, measure};
  form->own = form->piece.layout != layout;
  if (!form->own) mpj_layout_release(layout); /* its own reference would keep it for ever */
  *attached = mpj_layout_attach(layout, MPJ_ATTACH_PACKED, &form->head);
  return MPJ_SUCCESS;
}

int mpj_packed_alike(const struct mpj_view *view, struct mpj_view *alike)
{
  struct mpj_attachment *attached = mpj_layout_attachment(view->layout, MPJ_ATTACH_PACKED);
  const int status = attached ? MPJ_SUCCESS : attach_twin(view->layout, &attached);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_piece *piece = &((struct packed_form *)attached)->piece;
  *alike =
      (struct mpj_view){piece->layout, view->count, view->layout->signature.bytes, piece->displ};
  return MPJ_SUCCESS;
}
