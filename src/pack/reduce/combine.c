/* This file combines a packed stream into a layout, element by element: the
 * data movement of a reduction whose result is a layout. */
#include "base/least.h"
#include "pack/program/compile.h"
#include "pack/run/cursor.h"

#include <stdalign.h>
#include <string.h>

#include "base/status.h"
#include "pack/kernels/kernels.h"
#include "pack/kernels/kernels_choose.h"
#include "pack/program/walk.h"
#include "pack/run/address.h"
#include "types/basic.h"

enum {
  SCRATCH = 4096,
  SHORT = 512
}; /* bytes: of each scratch array; below it, runs go in batches */

/* A run of elements of one basic type on its way through `fn`. */
struct combiner {
  mpj_combine_fn *fn;
  void *ctx;
  alignas(MPJ_BASIC_ALIGN_MAX) char in[SCRATCH];
  alignas(MPJ_BASIC_ALIGN_MAX) char inout[SCRATCH];
};

static bool is_aligned(const void *at, int basic)
{
  return (uintptr_t)at % (uintptr_t)mpj_basics[basic].alignment == 0;
}

/* The packed elements, or an aligned copy of at most SCRATCH bytes of them. */
static const char *aligned_in(struct combiner *k, const char *packed, MPJ_Count bytes, int basic)
{
  if (is_aligned(packed, basic)) return packed;
  memcpy(k->in, packed, (size_t)bytes);
  return k->in;
}

/* A dense run. */
static void combine_run(struct combiner *k, char *at, const char *packed, MPJ_Count bytes,
                        int basic)
{
  MPJ_Count size = mpj_basics[basic].size;
  bool direct = is_aligned(at, basic), all = direct && is_aligned(packed, basic);
  MPJ_Count most = all ? bytes : SCRATCH / size * size;
  for (MPJ_Count n; bytes > 0; at += n, packed += n, bytes -= n) {
    n = mpj_least(bytes, most);
    if (!direct) memcpy(k->inout, at, (size_t)n);
    k->fn(k->ctx, aligned_in(k, packed, n, basic), direct ? at : k->inout, n / size, basic);
    if (!direct) memcpy(at, k->inout, (size_t)n);
  }
}

/* n short runs of one size, gathered so that fn gets them at once. */
static void combine_short(struct combiner *k, const struct mpj_span *s, const char *packed,
                          MPJ_Count n)
{
  MPJ_Count bytes = n * s->block;
  enum mpj_block_class class = mpj_block_class(s->block);
  mpj_kernels()->pack.strided[class](s->at, s->stride, k->inout, s->block, s->block, n);
  k->fn(k->ctx, aligned_in(k, packed, bytes, s->basic), k->inout, bytes / mpj_basics[s->basic].size,
        s->basic);
  mpj_kernels()->unpack.strided[class](s->at, s->stride, k->inout, s->block, s->block, n);
}

/* Combine what the batch allows at once, at most `bytes`; returns how much. */
static MPJ_Count combine_batch(struct combiner *k, const struct mpj_span *s, const char *packed,
                               MPJ_Count bytes)
{
  if (s->count > 1 && s->within == 0 && s->block <= SHORT) {
    MPJ_Count n = mpj_least(mpj_least(s->count, bytes / s->block), SCRATCH / s->block);
    /* Copies that overlap (stride 0) must see each other's results. */
    bool apart = s->stride >= s->block || s->stride <= -s->block;
    if (n > 1 && apart) {
      combine_short(k, s, packed, n);
      return n * s->block;
    }
  }
  MPJ_Count n = mpj_least(s->block - s->within, bytes);
  combine_run(k, s->at + s->within, packed, n, s->basic);
  return n;
}

static void combine_walk(const struct mpj_cursor *c, const struct mpj_program *typed,
                         const char *packed, MPJ_Count bytes, struct combiner *k)
{
  struct mpj_walk w;
  mpj_walk_begin(&w, typed, c->view.count, c->view.stride, mpj_at(c->base, c->view.displ),
                 c->offset);
  while (bytes > 0) {
    struct mpj_span *s = mpj_walk_span(&w);
    MPJ_Count n = combine_batch(k, s, packed, bytes);
    mpj_span_consume(s, n);
    packed += n;
    bytes -= n;
  }
}

/* Whether byte `offset` of a typed program, 0 <= offset < bytes, begins an element. */
static bool begins_element(const struct mpj_program *p, MPJ_Count offset)
{
  for (;;) {
    switch (p->kind) {
    case MPJ_PROGRAM_DENSE:
      return offset % mpj_basics[p->basic].size == 0;
    case MPJ_PROGRAM_LOOP:
      p = p->u.loop.child;
      break;
    case MPJ_PROGRAM_INDEX:
      p = p->u.index.child;
      break;
    case MPJ_PROGRAM_SEQ: {
      MPJ_Count start, i = mpj_program_find_piece(p, offset, &start);
      const struct mpj_program_item item = mpj_program_item(p, i);
      offset -= start;
      if (!item.program) return offset % mpj_basics[item.basic].size == 0;
      p = item.program;
      break;
    }
    }
    offset %= p->bytes;
  }
}

static int check_place(const struct mpj_program *typed, MPJ_Count offset)
{
  if (begins_element(typed, offset % typed->bytes)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "byte %lld of the packed stream is inside a basic element",
                   (long long)offset);
}

int mpj_cursor_combine(struct mpj_cursor *c, const void *packed, MPJ_Count bytes,
                       mpj_combine_fn *fn, void *ctx)
{
  assert(0 <= bytes && bytes <= mpj_cursor_remaining(c));
  if (bytes == 0) return MPJ_SUCCESS;
  const struct mpj_program *typed;
  int status = mpj_program_typed_of(c->view.layout, &typed);
  if (status) return status;
  status = check_place(typed, c->offset);
  if (status == MPJ_SUCCESS) status = check_place(typed, c->offset + bytes);
  if (status) return status;
  struct combiner k;
  k.fn = fn;
  k.ctx = ctx;
  combine_walk(c, typed, packed, bytes, &k);
  c->offset += bytes;
  return MPJ_SUCCESS;
}
