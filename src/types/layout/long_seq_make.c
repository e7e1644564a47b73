/* This file makes long sequences. Their pieces are not joined with their
 * neighbours: that would save little, and a list of blocks stays what it was. */
#include "types/layout/long_seq_make.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/intern.h"
#include "types/layout/layout_measure.h"
#include "types/sequence/sequence.h"

static int no_memory(MPJ_Count npieces)
{
  return mpj_error(MPJ_ERR_NO_MEM, "sequence of %" PRId64 " pieces could not be allocated",
                   npieces);
}

static int too_far(MPJ_Count i, MPJ_Aint displ)
{
  return mpj_error(MPJ_ERR_OVERFLOW,
                   "packed size or true bounds overflow at piece %" PRId64
                   " at %td bytes from the first",
                   i, displ);
}

static int measure_new(struct mpj_layout *node, MPJ_Aint origin, const struct mpj_piece pieces[])
{
  MPJ_Count n = (node->u.seq.npieces + MPJ_LAYOUT_FRAME - 1) / MPJ_LAYOUT_FRAME + 1;
  MPJ_Count *starts = mpj_alloc((size_t)n * sizeof *starts);
  if (!starts) return no_memory(node->u.seq.npieces);
  int status = mpj_layout_measure_seq(node, origin, starts, pieces);
  struct mpj_series series = mpj_series_of(n, starts, 1);
  if (!status) status = mpj_sequence_make(&series, &node->u.seq.starts);
  mpj_free(starts);
  return status;
}

/* A node of these shapes (moved), rows and displacements, the latter from the
 * first piece, which lies at origin; pieces as of mpj_layout_measure_seq. */
static int make(struct mpj_shapes *shapes, const struct mpj_series *rows,
                const struct mpj_series *displs, MPJ_Aint origin, const struct mpj_piece pieces[],
                struct mpj_piece *out)
{
  struct mpj_layout *node = shapes ? mpj_layout_new(MPJ_LAYOUT_SEQ) : NULL;
  if (!node) {
    mpj_shapes_release(shapes);
    return no_memory(rows->n);
  }
  node->u.seq.shapes = shapes;
  node->u.seq.npieces = rows->n;
  int status = mpj_sequence_make(rows, &node->u.seq.rows);
  if (!status) status = mpj_sequence_make(displs, &node->u.seq.displs);
  if (!status) status = measure_new(node, origin, pieces);
  if (status)
    mpj_layout_discard(node);
  else
    mpj_layout_intern(node, origin, out);
  return status;
}

int mpj_long_seq(MPJ_Count n, const struct mpj_piece pieces[], struct mpj_piece *out)
{
  MPJ_Count *rows = mpj_alloc((size_t)n * sizeof *rows);
  MPJ_Count *displs = mpj_alloc((size_t)n * sizeof *displs);
  int status = rows && displs ? MPJ_SUCCESS : no_memory(n);
  if (!status) {
    for (MPJ_Count i = 0; i < n; i++)
      displs[i] = pieces[i].displ;
    struct mpj_series numbers = mpj_series_of(n, rows, 1), places = mpj_series_of(n, displs, 1);
    places.origin = pieces[0].displ;
    status =
        make(mpj_shapes_of_pieces(n, pieces, rows), &numbers, &places, places.origin, pieces, out);
  }
  mpj_free(displs);
  mpj_free(rows);
  return status;
}

/* Number the shapes in the order in which blocks have them, equal ones once:
 * row_of[nshapes], and the layouts. Returns how many there are. */
static MPJ_Count number_shapes(const struct mpj_mix *mix, MPJ_Count row_of[],
                               struct mpj_layout *layouts[])
{
  MPJ_Count n = 0, left = mix->nshapes;
  for (int s = 0; s < mix->nshapes; s++)
    row_of[s] = -1;
  for (MPJ_Count i = 0; i < mix->n && left > 0; i++) {
    const int s = mix->numbers[i];
    if (row_of[s] >= 0) continue;
    MPJ_Count row = 0;
    while (row < n && layouts[row] != mix->shapes[s].layout)
      row++;
    if (row == n) layouts[n++] = mix->shapes[s].layout;
    row_of[s] = row;
    left--;
  }
  return n;
}

/* Whether all blocks have data and their shapes one displacement, *displ. */
static bool one_displacement(const struct mpj_mix *mix, const MPJ_Count row_of[], MPJ_Aint *displ)
{
  *displ = mix->shapes[mix->numbers[0]].displ;
  for (int s = 0; s < mix->nshapes; s++) {
    const struct mpj_layout *shape = mix->shapes[s].layout;
    if (row_of[s] < 0) continue;
    if (mix->shapes[s].displ != *displ || shape->kind == MPJ_LAYOUT_EMPTY) return false;
    if (mpj_layout_opens(shape)) return false;
  }
  return true;
}

int mpj_long_seq_of_mix(const struct mpj_mix *mix, struct mpj_piece *out, bool *same,
                        MPJ_Count row_of[])
{
  MPJ_Aint displ, origin;
  *same = false;
  if (mix->n <= MPJ_LAYOUT_SEQ_OPEN || mix->nshapes > MPJ_LAYOUT_SEQ_OPEN) return MPJ_SUCCESS;
  struct mpj_layout *layouts[MPJ_LAYOUT_SEQ_OPEN];
  MPJ_Count nshapes = number_shapes(mix, row_of, layouts);
  if (!one_displacement(mix, row_of, &displ) || !mpj_mix_stays(mix)) return MPJ_SUCCESS;
  if (!mpj_add_aint(mix->displs[0], displ, &origin)) return too_far(0, mix->displs[0]);
  struct mpj_series rows = {
      .n = mix->n, .numbers = mix->numbers, .table = row_of, .rows = mix->nshapes, .scale = 1};
  struct mpj_series displs = mpj_series_of(mix->n, mix->displs, 1);
  displs.origin = mix->displs[0];
  int status = make(mpj_shapes_new(nshapes, layouts), &rows, &displs, origin, NULL, out);
  *same = !status;
  return status;
}

int mpj_long_seq_window(const struct mpj_layout *seq, MPJ_Count first, MPJ_Count n,
                        struct mpj_piece *out)
{
  const MPJ_Count frame = first / MPJ_LAYOUT_FRAME;
  const MPJ_Aint origin = mpj_sequence_at(seq->u.seq.displs, first);
  const MPJ_Count before = mpj_sequence_at(seq->u.seq.starts, frame);
  struct mpj_layout *node = mpj_layout_new(MPJ_LAYOUT_SEQ);
  if (!node) return no_memory(n);
  node->u.seq.npieces = n;
  node->u.seq.shapes = mpj_shapes_retain(seq->u.seq.shapes);
  int status = mpj_sequence_window(seq->u.seq.rows, first, n, 0, &node->u.seq.rows);
  if (!status)
    status = mpj_sequence_window(seq->u.seq.displs, first, n, origin, &node->u.seq.displs);
  if (!status)
    status = mpj_sequence_window(seq->u.seq.starts, frame, n / MPJ_LAYOUT_FRAME + 1, before,
                                 &node->u.seq.starts);
  if (!status) status = mpj_layout_measure_seq(node, origin, NULL, NULL);
  if (status)
    mpj_layout_discard(node);
  else
    mpj_layout_intern(node, origin, out);
  return status;
}
