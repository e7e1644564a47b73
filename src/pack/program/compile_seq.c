/* This file compiles sequences and finds their pieces. Dense neighbours that adjoin
 * become one, in a list; where that would be long, the pieces stay with the layout and only
 * their shapes are listed. */
#include "pack/program/compile_seq.h"

#include "base/memory.h"
#include "base/status.h"

/* Pieces as they come: the last one, if it is dense, may grow. */
struct list {
  struct mpj_program_piece *pieces; /* or NULL: they are only counted */
  struct mpj_program_piece last;
  MPJ_Count n, bytes;
};

/* Append a piece of `child` at displ, or let the last one grow. */
static void take_piece(struct list *list, const struct mpj_program *child, MPJ_Aint displ)
{
  const struct mpj_program_piece *last = &list->last;
  const MPJ_Count start = list->bytes;
  const bool dense = child->kind == MPJ_PROGRAM_DENSE;
  list->bytes += child->bytes;
  const uintptr_t what = dense ? 2 * (uintptr_t)(child->basic + 1) + 1 : (uintptr_t)child;
  if (list->n > 0 && dense && last->what == what && displ - last->displ == start - last->start)
    return;
  list->last = (struct mpj_program_piece){what, displ, start};
  if (list->pieces) list->pieces[list->n] = list->last;
  list->n++;
}

static void take_short(const struct mpj_layout *layout, const struct mpj_program *const of[],
                       struct list *list)
{
  for (MPJ_Count i = 0; i < layout->u.seq.npieces; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, i, &piece, NULL);
    take_piece(list, of[i], piece.displ);
  }
}

/* Of a layout whose shapes have been compiled. */
static void take_long(const struct mpj_layout *layout, const struct mpj_program *const shapes[],
                      struct list *list)
{
  const MPJ_Count n = layout->u.seq.npieces;
  MPJ_Count rows[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  for (MPJ_Count first = 0; first < n; first += MPJ_LAYOUT_FRAME) {
    const MPJ_Count m = n - first < MPJ_LAYOUT_FRAME ? n - first : MPJ_LAYOUT_FRAME;
    mpj_layout_seq_frame(layout, first, m, rows, displs);
    for (MPJ_Count k = 0; k < m; k++)
      take_piece(list, shapes[rows[k]], displs[k]);
  }
}

static bool all_dense(const struct mpj_program_piece *pieces, MPJ_Count n)
{
  for (MPJ_Count i = 0; i < n; i++)
    if (mpj_piece_program(&pieces[i])) return false;
  return true;
}

static int basic_of(const struct mpj_program_piece *piece)
{
  const struct mpj_program *program = mpj_piece_program(piece);
  return program ? program->basic : mpj_piece_basic(piece);
}

/* The basic type of all pieces, or -1. */
static int common_basic(const struct mpj_program_piece *pieces, MPJ_Count n)
{
  const int basic = basic_of(&pieces[0]);
  for (MPJ_Count i = 1; i < n; i++)
    if (basic != basic_of(&pieces[i])) return -1;
  return basic;
}

/* Make p the program of a list (moved) of n pieces. */
static void set_listed(struct mpj_program *p, struct mpj_program_piece *pieces, MPJ_Count n)
{
  if (n == 1) {
    mpj_program_set_dense(p, mpj_piece_basic(&pieces[0]));
    mpj_free(pieces);
    return;
  }
  p->kind = MPJ_PROGRAM_SEQ;
  p->u.seq.npieces = n;
  p->u.seq.pieces = pieces;
  p->u.seq.dense = all_dense(pieces, n);
  p->basic = common_basic(pieces, n);
}

static int no_memory(MPJ_Count n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a copy program of %lld pieces", (long long)n);
}

static int compile_short(struct mpj_program *p, const struct mpj_layout *layout,
                         const struct mpj_program *const of[])
{
  struct list counted = {.n = 0};
  take_short(layout, of, &counted);
  struct list list = {.pieces = mpj_alloc_array((size_t)counted.n, sizeof *list.pieces)};
  if (!list.pieces) return no_memory(counted.n);
  take_short(layout, of, &list);
  set_listed(p, list.pieces, list.n);
  return MPJ_SUCCESS;
}

/* Make p a program over the layout's own pieces. Moves the shapes. */
static void set_long(struct mpj_program *p, const struct mpj_layout *layout,
                     const struct mpj_program **shapes, MPJ_Count nshapes)
{
  p->kind = MPJ_PROGRAM_SEQ;
  p->u.seq.npieces = layout->u.seq.npieces;
  p->u.seq.layout = layout;
  p->u.seq.nshapes = nshapes;
  p->u.seq.shapes = shapes;
  p->u.seq.dense = true;
  p->basic = shapes[0]->basic;
  for (MPJ_Count i = 0; i < nshapes; i++) {
    if (shapes[i]->kind != MPJ_PROGRAM_DENSE) p->u.seq.dense = false;
    if (shapes[i]->basic != p->basic) p->basic = -1;
  }
}

static int list_long(struct mpj_program *p, const struct mpj_layout *layout,
                     const struct mpj_program *const shapes[], MPJ_Count n)
{
  struct list list = {.pieces = mpj_alloc_array((size_t)n, sizeof *list.pieces)};
  if (!list.pieces) return no_memory(n);
  take_long(layout, shapes, &list);
  set_listed(p, list.pieces, list.n);
  return MPJ_SUCCESS;
}

/* p takes *shapes, and sets it to NULL, if its pieces are too many to be listed. */
static int compile_long(struct mpj_program *p, const struct mpj_layout *layout,
                        const struct mpj_program ***shapes, MPJ_Count nshapes)
{
  struct list counted = {.n = 0};
  take_long(layout, *shapes, &counted);
  if (counted.n <= MPJ_PROGRAM_FEW_PIECES) return list_long(p, layout, *shapes, counted.n);
  set_long(p, layout, *shapes, nshapes);
  *shapes = NULL;
  return MPJ_SUCCESS;
}

int mpj_program_compile_seq(struct mpj_program *p, const struct mpj_layout *layout,
                            const struct mpj_program **programs, MPJ_Count n)
{
  MPJ_Count nshapes;
  int status = mpj_layout_seq_shapes(layout, &nshapes) ? compile_long(p, layout, &programs, n)
                                                       : compile_short(p, layout, programs);
  mpj_free(programs);
  return status;
}

static MPJ_Count runs_of_frame(const struct mpj_program *p, MPJ_Count first, MPJ_Count n)
{
  MPJ_Count rows[MPJ_LAYOUT_FRAME], runs = 0;
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  mpj_layout_seq_frame(p->u.seq.layout, first, n, rows, displs);
  for (MPJ_Count i = 0; i < n; i++)
    runs += p->u.seq.shapes[rows[i]]->runs;
  return runs;
}

static MPJ_Count runs_of(const struct mpj_program_piece *piece)
{
  const struct mpj_program *program = mpj_piece_program(piece);
  return program ? program->runs : 1;
}

MPJ_Count mpj_program_seq_runs(const struct mpj_program *p)
{
  const MPJ_Count n = p->u.seq.npieces;
  MPJ_Count runs = 0;
  if (p->u.seq.dense) return n;
  for (MPJ_Count i = 0; p->u.seq.pieces && i < n; i++)
    runs += runs_of(&p->u.seq.pieces[i]);
  for (MPJ_Count first = 0; !p->u.seq.pieces && first < n; first += MPJ_LAYOUT_FRAME)
    runs += runs_of_frame(p, first, n - first < MPJ_LAYOUT_FRAME ? n - first : MPJ_LAYOUT_FRAME);
  return runs;
}

struct mpj_program_item mpj_program_item(const struct mpj_program *p, MPJ_Count i)
{
  if (p->u.seq.pieces) {
    const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
    return (struct mpj_program_item){mpj_piece_program(piece), piece->displ,
                                     mpj_program_listed_bytes(p, i), basic_of(piece)};
  }
  MPJ_Count row;
  MPJ_Aint displ;
  mpj_layout_seq_frame(p->u.seq.layout, i, 1, &row, &displ);
  const struct mpj_program *shape = p->u.seq.shapes[row];
  return (struct mpj_program_item){shape->kind == MPJ_PROGRAM_DENSE ? NULL : shape, displ,
                                   shape->bytes, shape->basic};
}

MPJ_Count mpj_program_find_piece(const struct mpj_program *p, MPJ_Count byte, MPJ_Count *start)
{
  MPJ_Count low = 0, high = p->u.seq.npieces;
  if (!p->u.seq.pieces) {
    low = mpj_layout_seq_find(p->u.seq.layout, byte);
    mpj_layout_seq_piece(p->u.seq.layout, low, NULL, start);
    return low;
  }
  while (high - low > 1) {
    MPJ_Count middle = low + (high - low) / 2;
    if (p->u.seq.pieces[middle].start <= byte)
      low = middle;
    else
      high = middle;
  }
  *start = p->u.seq.pieces[low].start;
  return low;
}
