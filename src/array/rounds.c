/* This file receives what backward combines into memory of its own, and combines it in an order
 * that does not depend on when it came. */
#include "array/rounds.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/status.h"

void mpj_round_end(struct mpj_round *round)
{
  if (round->sent) MPJ_Type_free(&round->sent);
  if (round->scratch) MPJ_Type_free(&round->scratch);
  mpj_patches_end(&round->pieces);
  *round = (struct mpj_round){0};
}

MPJ_Datatype mpj_array_schedule_sent_back(const struct mpj_array_schedule *s)
{
  return s->spread.uniques ? s->spread.uniques : s->phases[0].recv;
}

/* The elements of pieces [i, end). */
static MPJ_Count elements_of(const struct mpj_array_schedule *s, const struct mpj_patches *p,
                             size_t i, size_t end)
{
  MPJ_Count bytes = 0;
  for (; i < end; i++)
    bytes += p->list[i].bytes;
  return s->element_bytes > 0 ? bytes / s->element_bytes : 0;
}

/* The type of the scratch memory: a part for each rank that has pieces, one behind the other. */
static int lay_scratch(const struct mpj_array_schedule *s, struct mpj_round *round)
{
  struct mpj_patches parts = {0};
  MPJ_Count at = 0;
  int status = MPJ_SUCCESS;
  for (size_t i = 0, end; i < round->pieces.n && !status; i = end) {
    end = mpj_patches_of(&round->pieces, i);
    const MPJ_Count n = elements_of(s, &round->pieces, i, end);
    const MPJ_Aint displ = at - s->true_lb;
    MPJ_Datatype type;
    status = MPJ_Type_create_hindexed_block(1, n, &displ, s->spaced, &type);
    if (!status) status = mpj_patches_add(&parts, round->pieces.list[i].rank, 0, type);
    at += n * s->true_extent;
  }
  round->scratch_bytes = at;
  if (!status) status = mpj_patches_type(&parts, s->size, &round->scratch);
  mpj_patches_end(&parts);
  return status;
}

static int make_round(const struct mpj_array_schedule *s, struct mpj_round *round)
{
  int status = MPJ_Type_dup(mpj_array_schedule_sent_back(s), &round->sent);
  for (size_t i = 0; i < s->out.n && !status; i++) {
    MPJ_Datatype type;
    status = MPJ_Type_dup(s->out.list[i].type, &type);
    if (!status)
      status = mpj_patches_add(&round->pieces, s->out.list[i].rank, s->out.list[i].key, type);
    if (!status) round->pieces.list[i].bytes = s->out.list[i].bytes;
  }
  return status ? status : lay_scratch(s, round);
}

int mpj_rounds_make(struct mpj_array_schedule *s)
{
  if (s->nrounds > 0) return MPJ_SUCCESS;
  s->rounds = mpj_alloc_array(1, sizeof *s->rounds);
  if (!s->rounds) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the rounds of a schedule");
  const int status = make_round(s, &s->rounds[0]);
  if (!status) {
    s->nrounds = 1;
    return MPJ_SUCCESS;
  }
  mpj_round_end(&s->rounds[0]);
  mpj_free(s->rounds);
  s->rounds = NULL;
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
    const MPJ_Count n = elements_of(s, p, i, end);
    if (n > most) most = n;
  }
  const size_t room = (size_t)(most * s->element_bytes);
  char *packed = s->dense ? NULL : mpj_alloc(room), *before = fetch ? mpj_alloc(room) : NULL;
  if ((!s->dense && !packed) || (fetch && !before))
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu bytes to be combined", room);
  for (size_t i = 0, end; i < p->n && !status; i = end) {
    end = mpj_patches_of(p, i);
    const MPJ_Count n = elements_of(s, p, i, end), bytes = n * s->element_bytes;
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
