/* This file compiles sequences and finds their pieces. Dense neighbours that adjoin
 * become one, in a list; where that would be long, the pieces stay with the layout. */
#include "pack/program/compile_seq.h"

#include "base/memory.h"
#include "base/status.h"

/* Pieces as they come: the last one, if it is dense, may grow. */
struct list {
  struct mpj_program_piece *pieces; /* or NULL: they are only counted */
  uintptr_t what;                   /* of the last one */
  MPJ_Aint displ;
  MPJ_Count start;
  MPJ_Count n, bytes;
  bool far; /* places do not fit a listed piece */
};

/* Append a piece of `child` at displ, or let the last one grow. */
static void take_piece(struct list *list, const struct mpj_program *child, MPJ_Aint displ)
{
  const MPJ_Count start = list->bytes;
  const bool dense = child->kind == MPJ_PROGRAM_DENSE;
  list->bytes += child->bytes;
  const uintptr_t what = dense ? 2 * (uintptr_t)(child->basic + 1) + 1 : (uintptr_t)child;
  if (list->n > 0 && dense && list->what == what && displ - list->displ == start - list->start)
    return;
  list->what = what;
  list->displ = displ;
  list->start = start;
  list->far |= displ < INT32_MIN || displ > INT32_MAX || start > UINT32_MAX;
  if (list->pieces)
    list->pieces[list->n] = (struct mpj_program_piece){what, (int32_t)displ, (uint32_t)start};
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

/* Of a layout whose shapes have been compiled. More than a program lists need not be counted. */
static void take_long(const struct mpj_layout *layout, const struct mpj_program *const shapes[],
                      struct list *list)
{
  const MPJ_Count n = layout->u.seq.npieces;
  MPJ_Count rows[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  for (MPJ_Count first = 0; first < n && list->n <= MPJ_PROGRAM_FEW_PIECES;
       first += MPJ_LAYOUT_FRAME) {
    const MPJ_Count m = n - first < MPJ_LAYOUT_FRAME ? n - first : MPJ_LAYOUT_FRAME;
    mpj_layout_seq_frame(layout, first, m, rows, displs);
    for (MPJ_Count k = 0; k < m; k++)
      take_piece(list, shapes[rows[k]], displs[k]);
  }
}

static void take(const struct mpj_layout *layout, const struct mpj_program *const programs[],
                 struct list *list)
{
  MPJ_Count nshapes;
  if (mpj_layout_seq_shapes(layout, &nshapes))
    take_long(layout, programs, list);
  else
    take_short(layout, programs, list);
}

/* Whether all pieces are dense, and which basic type they are of, or -1. */
static void sum_up(struct mpj_program *p, const struct mpj_program *const programs[], MPJ_Count n)
{
  p->u.seq.dense = true;
  p->basic = programs[0]->basic;
  for (MPJ_Count i = 0; i < n; i++) {
    if (programs[i]->kind != MPJ_PROGRAM_DENSE) p->u.seq.dense = false;
    if (programs[i]->basic != p->basic) p->basic = -1;
  }
}

static int list_pieces(struct mpj_program *p, const struct mpj_layout *layout,
                       const struct mpj_program *const programs[], MPJ_Count n)
{
  struct list list = {.pieces = mpj_alloc_array((size_t)n, sizeof *list.pieces)};
  if (!list.pieces)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a copy program of %lld pieces", (long long)n);
  take(layout, programs, &list);
  p->u.seq.npieces = n;
  p->u.seq.pieces = list.pieces;
  return MPJ_SUCCESS;
}

int mpj_program_compile_seq(struct mpj_program *p, const struct mpj_layout *layout,
                            const struct mpj_program **programs, MPJ_Count n, size_t *left)
{
  struct list counted = {.n = 0};
  int status = MPJ_SUCCESS;
  take(layout, programs, &counted);
  if (counted.n == 1) {
    mpj_program_set_dense(p, programs[0]->basic);
  } else {
    p->kind = MPJ_PROGRAM_SEQ;
    sum_up(p, programs, n);
    if (!counted.far && mpj_program_may_list(counted.n, MPJ_PROGRAM_FEW_PIECES,
                                             sizeof(struct mpj_program_piece), left)) {
      status = list_pieces(p, layout, programs, counted.n);
    } else {
      p->u.seq.npieces = layout->u.seq.npieces;
      p->u.seq.layout = layout;
      if (mpj_layout_seq_shapes(layout, &p->u.seq.nshapes)) {
        p->u.seq.shapes = programs;
        programs = NULL;
      }
    }
  }
  mpj_free(programs);
  return status;
}

void mpj_program_frame(const struct mpj_program *p, MPJ_Count first, MPJ_Count n,
                       const struct mpj_program *programs[], MPJ_Aint displs[])
{
  const struct mpj_layout *layout = p->u.seq.layout;
  if (p->u.seq.shapes) {
    MPJ_Count rows[MPJ_LAYOUT_FRAME];
    mpj_layout_seq_frame(layout, first, n, rows, displs);
    for (MPJ_Count i = 0; i < n; i++)
      programs[i] = p->u.seq.shapes[rows[i]];
    return;
  }
  const int slot = p->typed ? MPJ_ATTACH_TYPED_PROGRAM : MPJ_ATTACH_PROGRAM;
  for (MPJ_Count i = 0; i < n; i++) {
    struct mpj_piece piece;
    mpj_layout_seq_piece(layout, first + i, &piece, NULL);
    programs[i] = (const struct mpj_program *)mpj_layout_attachment(piece.layout, slot);
    displs[i] = piece.displ;
  }
}

static MPJ_Count runs_of_frame(const struct mpj_program *p, MPJ_Count first, MPJ_Count n)
{
  const struct mpj_program *programs[MPJ_LAYOUT_FRAME];
  MPJ_Aint displs[MPJ_LAYOUT_FRAME];
  MPJ_Count rows[MPJ_LAYOUT_FRAME], runs = 0;
  if (p->u.seq.shapes) {
    mpj_layout_seq_frame(p->u.seq.layout, first, n, rows, NULL);
    for (MPJ_Count i = 0; i < n; i++)
      runs += p->u.seq.shapes[rows[i]]->runs;
    return runs;
  }
  mpj_program_frame(p, first, n, programs, displs);
  for (MPJ_Count i = 0; i < n; i++)
    runs += programs[i]->runs;
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
    const struct mpj_program *program = mpj_piece_program(piece);
    return (struct mpj_program_item){program, piece->displ, mpj_program_listed_bytes(p, i),
                                     program ? program->basic : mpj_piece_basic(piece)};
  }
  const struct mpj_program *program;
  MPJ_Aint displ;
  mpj_program_frame(p, i, 1, &program, &displ);
  return (struct mpj_program_item){program->kind == MPJ_PROGRAM_DENSE ? NULL : program, displ,
                                   program->bytes, program->basic};
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
