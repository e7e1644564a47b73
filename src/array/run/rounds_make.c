/* This file divides what backward moves into rounds, and combines what has come in one in an order
 * that does not depend on when it came. */
#include "array/run/rounds_make.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/op/op.h"
#include "types/type.h"

void mpj_round_end(struct mpj_round *round)
{
  MPJ_Datatype *const types[] = {&round->slices_type, &round->image_type, &round->scratch_type,
                                 &round->pieces_type};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (*types[i]) MPJ_Type_free(types[i]);
  mpj_patches_end(&round->slices);
  mpj_patches_end(&round->image);
  mpj_patches_end(&round->scratch);
  mpj_patches_end(&round->pieces);
  mpj_free(round->cuts);
  *round = (struct mpj_round){0};
}

void mpj_rounds_end(struct mpj_array_schedule *s)
{
  if (s->round) mpj_round_end(s->round);
  mpj_free(atomic_exchange(&s->kept_scratch, NULL));
  mpj_free(atomic_exchange(&s->kept_image, NULL));
  mpj_free(s->round);
  mpj_free(s->window.starts);
  s->round = NULL;
  s->window = (struct mpj_window){0};
  s->bound = 0;
  s->nrounds = 0;
}

MPJ_Count mpj_rounds_needed(const struct mpj_array_schedule *s, MPJ_Count window)
{
  MPJ_Count most = 0, sum = 0;
  for (size_t i = 0, end; i < s->out.n; i = end) {
    end = mpj_patches_of(&s->out, i);
    const MPJ_Count n = mpj_elements_of(s, &s->out, i, end);
    sum += n;
    if (n > most) most = n;
  }
  if (s->overlap) most = sum;
  return most / window + (most % window > 0);
}

/* Elements [first, first + n) of a patch, which are some. */
static int add_slice(const struct mpj_array_schedule *s, const struct mpj_array_patch *patch,
                     MPJ_Count first, MPJ_Count n, struct mpj_patches *to)
{
  const MPJ_Count basics = s->element->map.layout->signature.elements;
  MPJ_Datatype type;
  const int status = n * s->element_bytes == patch->bytes
                         ? MPJ_Type_dup(patch->type, &type)
                         : MPJ_Type_create_slice(patch->type, first * basics, n * basics, &type);
  return status ? status : mpj_patches_add(to, patch->rank, patch->key, type);
}

/* Of each rank's patches those elements that belong to round k; starts: see struct mpj_window, or
 * this rank's own count, of all, goes on from rank to rank. */
static int cut(const struct mpj_array_schedule *s, const struct mpj_patches *p, int k,
               const struct mpj_window *window, bool counted, struct mpj_patches *to)
{
  MPJ_Count start = 0;
  int status = MPJ_SUCCESS;
  for (size_t i = 0, end, peer = 0; i < p->n && !status; i = end, peer++) {
    end = mpj_patches_of(p, i);
    const MPJ_Count n = mpj_elements_of(s, p, i, end);
    if (window && window->starts && !counted) start = window->starts[peer];
    const MPJ_Count low = window ? mpj_round_begins(k, window, start, n) : 0;
    const MPJ_Count high = window ? mpj_round_begins(k + 1, window, start, n) : n;
    MPJ_Count at = 0;
    for (; i < end && at < high && !status; i++) {
      const MPJ_Count of = mpj_elements_of(s, p, i, i + 1);
      const MPJ_Count a = low > at ? low - at : 0, b = high - at < of ? high - at : of;
      if (a < b) status = add_slice(s, &p->list[i], a, b - a, to);
      at += of;
    }
    if (counted) start += n;
  }
  return status;
}

/* Where the patches' elements are in memory of elements in a row: a part for each rank that has
 * some, one behind the other. */
static int lay_row(const struct mpj_array_schedule *s, const struct mpj_patches *patches,
                   struct mpj_patches *row, MPJ_Count *bytes, MPJ_Datatype *row_type)
{
  MPJ_Count at = 0;
  int status = MPJ_SUCCESS;
  for (size_t i = 0, end; i < patches->n && !status; i = end) {
    end = mpj_patches_of(patches, i);
    const MPJ_Count n = mpj_elements_of(s, patches, i, end);
    const MPJ_Aint displ = at - s->true_lb;
    MPJ_Datatype type;
    status = MPJ_Type_create_hindexed_block(1, n, &displ, s->spaced, &type);
    if (!status) status = mpj_patches_add(row, patches->list[i].rank, 0, type);
    at += n * s->true_extent;
  }
  *bytes = at;
  return status ? status : mpj_patches_type(row, s->size, row_type);
}

/* Bytes of the elements of a piece in rising order that lie below `place`; the first `least` do. */
static int bytes_below(const struct mpj_array_patch *piece, MPJ_Count element_bytes, MPJ_Aint place,
                       MPJ_Count least, MPJ_Count *bytes)
{
  const void *const base = piece; /* any: only distances from it count */
  MPJ_Count low = least / element_bytes, high = piece->bytes / element_bytes;
  while (low < high) {
    const MPJ_Count middle = low + (high - low) / 2;
    struct iovec segment;
    MPJ_Count n;
    const int status = MPJ_Type_iov_at(base, piece->type, middle * element_bytes, &segment, 1, &n);
    if (status) return status;
    if ((MPJ_Aint)((uintptr_t)segment.iov_base - (uintptr_t)base) < place)
      low = middle + 1;
    else
      high = middle;
  }
  *bytes = low * element_bytes;
  return MPJ_SUCCESS;
}

/* The windows of a round that combines what several ranks have sent into more memory than caches
 * keep: of some bytes of each rank. */
static int cut_windows(const struct mpj_array_schedule *s, struct mpj_round *r)
{
  enum { WINDOW_BYTES = 1 << 15, SPAN_LEAST = 1 << 22 };
  const struct mpj_patches *p = &r->pieces;
  const MPJ_Count n = (MPJ_Count)p->n;
  MPJ_Aint low = PTRDIFF_MAX, high = PTRDIFF_MIN, lb, span;
  MPJ_Count most = 0;
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = 0; i < n && !status; i++) {
    status = MPJ_Type_get_true_extent(p->list[i].type, &lb, &span);
    if (lb < low) low = lb;
    if (lb + span > high) high = lb + span;
    if (p->list[i].bytes > most) most = p->list[i].bytes;
  }
  if (status || !s->rising || !s->dense || n < 2 || most < 2 * WINDOW_BYTES ||
      !mpj_sub_aint(high, low, &span) || span < SPAN_LEAST)
    return status;
  r->ncuts = (most - 1) / WINDOW_BYTES + 1;
  r->cuts = mpj_alloc_array((size_t)(r->ncuts * n), sizeof *r->cuts);
  if (!r->cuts) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the windows of a round");
  for (MPJ_Count w = 0; w < r->ncuts; w++)
    for (MPJ_Count i = 0; i < n && !status; i++) {
      MPJ_Count *cut = &r->cuts[w * n + i];
      *cut = p->list[i].bytes;
      if (w < r->ncuts - 1)
        status = bytes_below(&p->list[i], s->element_bytes, low + (w + 1) * (span / r->ncuts),
                             w > 0 ? cut[-n] : 0, cut);
    }
  return status;
}

int mpj_round_make(struct mpj_array_schedule *s, int k, struct mpj_round *r)
{
  const struct mpj_window *window = s->nrounds > 1 ? &s->window : NULL;
  *r = (struct mpj_round){0};
  if (s->spread.n > 0) {
    r->repeated = s->spread.begins[k];
    r->repeated_end = s->spread.begins[k + 1];
  }
  int status = cut(s, &s->in, k, window, false, &r->slices);
  if (!status) status = mpj_patches_type(&r->slices, s->size, &r->slices_type);
  if (!status && (s->spreads || s->reduces))
    status = lay_row(s, &r->slices, &r->image, &r->image_bytes, &r->image_type);
  if (!status) status = cut(s, &s->out, k, window, s->overlap, &r->pieces);
  if (!status && s->nrounds > 1 && !s->overlap)
    status = mpj_patches_type(&r->pieces, s->size, &r->pieces_type);
  else if (!status)
    status = mpj_patches_finish(&r->pieces);
  if (!status) status = lay_row(s, &r->pieces, &r->scratch, &r->scratch_bytes, &r->scratch_type);
  return status ? status : cut_windows(s, r);
}

/* The most elements that a round has of all peers, each of whom has at most `most` in one. */
static MPJ_Count elements_of_round(const struct mpj_array_schedule *s, const struct mpj_patches *p,
                                   MPJ_Count most)
{
  MPJ_Count sum = 0;
  for (size_t i = 0, end; i < p->n; i = end) {
    end = mpj_patches_of(p, i);
    const MPJ_Count n = mpj_elements_of(s, p, i, end);
    sum += n < most ? n : most;
  }
  return sum;
}

/* The memory of the largest round. */
static void size_rounds(struct mpj_array_schedule *s)
{
  const MPJ_Count most = s->nrounds > 1 ? s->window.elements : INT64_MAX;
  MPJ_Count scratch = elements_of_round(s, &s->out, most), repeated = 0;
  if (s->overlap && scratch > most) scratch = most;
  for (int k = 0; s->spread.n > 0 && k < s->nrounds; k++) {
    const MPJ_Count n = s->spread.begins[k + 1] - s->spread.begins[k];
    if (n > repeated) repeated = n;
  }
  s->scratch_bytes = scratch * s->true_extent;
  s->image_bytes = 0;
  if (s->spreads || s->reduces)
    s->image_bytes = elements_of_round(s, &s->in, most) * s->true_extent;
  s->image_bytes += repeated * (s->true_extent + s->element_bytes);
}

int mpj_rounds_set(struct mpj_array_schedule *s, int nrounds, struct mpj_window window)
{
  mpj_rounds_end(s);
  s->window = window;
  s->nrounds = nrounds;
  int status = s->spreads ? mpj_spread_sort(s, nrounds, nrounds > 1 ? &window : NULL) : MPJ_SUCCESS;
  if (!status) size_rounds(s);
  if (!status && nrounds == 1) {
    s->round = mpj_alloc_array(1, sizeof *s->round);
    status = s->round ? mpj_round_make(s, 0, s->round)
                      : mpj_error(MPJ_ERR_NO_MEM, "no memory for the rounds of a schedule");
  }
  if (status) mpj_rounds_end(s);
  return status;
}

/* Combine pieces [i, end), whose data is packed[bytes]; before: room for as much, or NULL. */
static int combine_packed(const struct mpj_patches *p, size_t i, size_t end, char *packed,
                          MPJ_Count bytes, char *before, void *from, MPJ_Op op)
{
  MPJ_Count read = 0, kept = 0;
  int status = MPJ_SUCCESS;
  for (; i < end && !status; i++) {
    if (before) status = MPJ_Pack(from, p->list[i].type, before, bytes, &kept);
    if (!status) status = MPJ_Unpack_reduce(packed, bytes, &read, from, p->list[i].type, op);
  }
  if (before && !status) memcpy(packed, before, (size_t)bytes);
  return status;
}

/* Each window's part of the pieces, whose data lies dense in scratch. */
static int combine_windows(const struct mpj_round *round, char *scratch, char *before, void *from,
                           MPJ_Op op)
{
  const struct mpj_patches *p = &round->pieces;
  const MPJ_Count n = (MPJ_Count)p->n;
  int status = MPJ_SUCCESS;
  for (MPJ_Count w = 0; w < round->ncuts; w++) {
    char *packed = scratch;
    for (MPJ_Count i = 0; i < n && !status; packed += p->list[i++].bytes) {
      const MPJ_Count at = w > 0 ? round->cuts[(w - 1) * n + i] : 0;
      const MPJ_Count bytes = round->cuts[w * n + i] - at;
      if (before) status = MPJ_Pack_range(from, p->list[i].type, at, before, bytes);
      if (!status) status = mpj_op_unpack_range(packed + at, bytes, from, p->list[i].type, at, op);
      if (before && !status) memcpy(packed + at, before, (size_t)bytes);
    }
  }
  return status;
}

int mpj_round_combine(const struct mpj_array_schedule *s, const struct mpj_round *round,
                      char *scratch, void *from, MPJ_Op op, bool fetch)
{
  const struct mpj_patches *p = &round->pieces;
  MPJ_Count most = 0;
  int status = MPJ_SUCCESS;
  for (size_t i = 0, end; i < p->n; i = end) {
    end = mpj_patches_of(p, i);
    const MPJ_Count n = mpj_elements_of(s, p, i, end);
    if (n > most) most = n;
  }
  const size_t room = (size_t)(most * s->element_bytes);
  char *packed = s->dense ? NULL : mpj_alloc(room), *before = fetch ? mpj_alloc(room) : NULL;
  if ((!s->dense && !packed) || (fetch && !before))
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu bytes to be combined", room);
  const struct mpj_op *known;
  if (!status) status = mpj_op_resolve(op, &known);
  const bool windows = !status && round->cuts && known->predefined >= 0;
  if (windows) status = combine_windows(round, scratch, before, from, op);
  for (size_t i = 0, end; i < p->n && !status && !windows; i = end) {
    end = mpj_patches_of(p, i);
    const MPJ_Count n = mpj_elements_of(s, p, i, end), bytes = n * s->element_bytes;
    char *at = packed ? packed : scratch;
    MPJ_Datatype row = MPJ_DATATYPE_NULL;
    MPJ_Count position = 0;
    if (n == 0) continue;
    if (packed) {
      status = MPJ_Type_contiguous(n, s->spaced, &row);
      if (!status) status = MPJ_Type_commit(&row);
      if (!status) status = MPJ_Pack(scratch - s->true_lb, row, packed, bytes, &position);
    }
    if (!status) status = combine_packed(p, i, end, at, bytes, before, from, op);
    position = 0;
    if (!status && packed && fetch)
      status = MPJ_Unpack(packed, bytes, &position, scratch - s->true_lb, row);
    if (row) MPJ_Type_free(&row);
    scratch += n * s->true_extent;
  }
  mpj_free(packed);
  mpj_free(before);
  return status;
}
