/* This file lists a view's elements by recursion over its layout. */
#include "types/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "types/basic.h"

struct walk {
  struct mpj_ref_entry *entries;
  MPJ_Count n;
};

static void visit(struct walk *w, const struct mpj_layout *layout, MPJ_Aint displ);

static void visit_run(struct walk *w, const struct mpj_layout *layout, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < layout->u.run.count; i++) {
    w->entries[w->n++] = (struct mpj_ref_entry){layout->u.run.basic, displ};
    displ += mpj_basics[layout->u.run.basic].size;
  }
}

static void visit_index(struct walk *w, const struct mpj_layout *layout, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < layout->u.index.nblocks; i++) {
    MPJ_Aint block;
    MPJ_Count copies;
    mpj_layout_index_block(layout, i, &block, &copies, NULL);
    for (MPJ_Count c = 0; c < copies; c++)
      visit(w, layout->u.index.child, displ + block + c * layout->u.index.stride);
  }
}

static void visit_seq(struct walk *w, const struct mpj_layout *layout, MPJ_Aint displ)
{
  for (MPJ_Count i = 0; i < layout->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    visit(w, piece.layout, displ + piece.displ);
  }
}

static void visit(struct walk *w, const struct mpj_layout *layout, MPJ_Aint displ)
{
  switch (layout->kind) {
  case MPJ_LAYOUT_EMPTY:
    break;
  case MPJ_LAYOUT_RUN:
    visit_run(w, layout, displ);
    break;
  case MPJ_LAYOUT_LOOP:
    for (MPJ_Count i = 0; i < layout->u.loop.count; i++)
      visit(w, layout->u.loop.child, displ + i * layout->u.loop.stride);
    break;
  case MPJ_LAYOUT_INDEX:
    visit_index(w, layout, displ);
    break;
  case MPJ_LAYOUT_SEQ:
    visit_seq(w, layout, displ);
    break;
  }
}

struct mpj_ref_entry *mpj_walk(const struct mpj_view *view, MPJ_Count *n)
{
  struct mpj_signature s = mpj_view_signature(view);
  struct walk w = {calloc((size_t)s.elements + 1, sizeof *w.entries), 0};
  if (!w.entries) {
    fprintf(stderr, "walk: no memory for %" PRId64 " elements\n", s.elements);
    exit(2);
  }
  for (MPJ_Count i = 0; i < view->count; i++)
    visit(&w, view->layout, view->displ + i * view->stride);
  *n = w.n;
  return w.entries;
}

bool mpj_walk_matches(const struct mpj_view *view, MPJ_Aint origin, const struct mpj_ref *ref)
{
  MPJ_Count n, e = 0;
  bool same = true;
  struct mpj_ref_entry *entries = mpj_walk(view, &n);
  for (MPJ_Count r = 0; r < ref->n && same; r++) {
    if (ref->map[r].basic < 0) continue;
    same = e < n && entries[e].basic == ref->map[r].basic &&
           entries[e].displ == ref->map[r].displ + origin;
    if (!same)
      fprintf(stderr, "walk: element %" PRId64 " of %" PRId64 " should be %s at %td\n", e, n,
              mpj_basics[ref->map[r].basic].name, ref->map[r].displ + origin);
    e++;
  }
  free(entries);
  return same && e == n;
}
