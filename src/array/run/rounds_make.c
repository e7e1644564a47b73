/* This file divides what backward moves into rounds, and combines what has come in one in an order
 * that does not depend on when it came. */
#include "array/run/rounds_make.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/type.h"

static void end_round(struct mpj_round *round)
{
  MPJ_Datatype *const types[] = {&round->slices_type, &round->image_type, &round->scratch_type};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (*types[i]) MPJ_Type_free(types[i]);
  mpj_patches_end(&round->slices);
  mpj_patches_end(&round->image);
  mpj_patches_end(&round->scratch);
  mpj_patches_end(&round->pieces);
}

void mpj_rounds_end(struct mpj_array_schedule *s)
{
  for (int i = 0; i < s->nrounds; i++)
    end_round(&s->rounds[i]);
  mpj_free(s->rounds);
  s->rounds = NULL;
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

static int make_round(struct mpj_array_schedule *s, int k, const struct mpj_window *window)
{
  struct mpj_round *r = &s->rounds[k];
  int status = cut(s, &s->in, k, window, false, &r->slices);
  if (!status) status = mpj_patches_type(&r->slices, s->size, &r->slices_type);
  if (!status && (s->spreads || s->reduces))
    status = lay_row(s, &r->slices, &r->image, &r->image_bytes, &r->image_type);
  if (!status) status = cut(s, &s->out, k, window, s->overlap, &r->pieces);
  if (!status) status = mpj_patches_finish(&r->pieces);
  if (!status) status = lay_row(s, &r->pieces, &r->scratch, &r->scratch_bytes, &r->scratch_type);
  return status;
}

int mpj_rounds_make(struct mpj_array_schedule *s, int nrounds, const struct mpj_window *window)
{
  if (!window && s->nrounds > 0) return MPJ_SUCCESS;
  mpj_rounds_end(s);
  s->rounds = mpj_alloc_array((size_t)nrounds, sizeof *s->rounds);
  if (!s->rounds) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d rounds", nrounds);
  s->nrounds = nrounds;
  int status = s->spreads ? mpj_spread_sort(s, nrounds, window) : MPJ_SUCCESS;
  for (int k = 0; k < nrounds && !status; k++)
    status = make_round(s, k, window);
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
  for (size_t i = 0, end; i < p->n && !status; i = end) {
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
