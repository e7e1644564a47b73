/* This file spreads what was asked for repeatedly and has come once, and combines it back. */
#include "array/play.h"
#include "base/memory.h"
#include "base/status.h"

static int copy_element(const struct mpj_array_schedule *s, const char *from, char *to)
{
  if (!s->dense) return MPJ_Copy(from, s->element, to, s->element);
  memcpy(to + s->true_lb, from + s->true_lb, (size_t)s->element_bytes);
  return MPJ_SUCCESS;
}

/* Where unique u lies in an array of the uniques. */
static char *unique_at(const struct mpj_play *play, MPJ_Count u)
{
  return play->uniques + u * play->schedule->true_extent - play->schedule->true_lb;
}

int mpj_spread_forward(struct mpj_play *play, int index)
{
  const struct mpj_array_schedule *s = play->schedule;
  char *to = (char *)(uintptr_t)play->to;
  int status = MPJ_SUCCESS;
  (void)index;
  for (MPJ_Count u = 0; u < s->spread.nunique; u++) {
    const MPJ_Count *place = &s->spread.places[s->spread.first[u]];
    const MPJ_Count n = s->spread.first[u + 1] - s->spread.first[u];
    if (n == 1) break; /* by falling number */
    for (MPJ_Count k = 1; k < n && !status; k++)
      status = copy_element(s, to + place[0] * s->extent, to + place[k] * s->extent);
  }
  return status;
}

int mpj_spread_fetched(struct mpj_play *play, int index)
{
  const struct mpj_array_schedule *s = play->schedule;
  int status = MPJ_SUCCESS;
  (void)index;
  for (MPJ_Count u = 0; u < s->spread.nunique; u++)
    for (MPJ_Count k = s->spread.first[u]; k < s->spread.first[u + 1] && !status; k++)
      status = copy_element(s, unique_at(play, u),
                            (char *)play->fetched + s->spread.places[k] * s->extent);
  return status;
}

static int gather_element(const struct mpj_array_schedule *s, const char *from, char *packed,
                          MPJ_Count room, MPJ_Count *at)
{
  if (!s->dense) return MPJ_Pack(from, s->element, packed, room, at);
  memcpy(packed + *at, from + s->true_lb, (size_t)s->element_bytes);
  *at += s->element_bytes;
  return MPJ_SUCCESS;
}

/* The (k + 1)th places of the first n uniques, which all have so many. */
static int combine_layer(struct mpj_play *play, MPJ_Count n, MPJ_Count k, char *packed)
{
  const struct mpj_array_schedule *s = play->schedule;
  const char *to = play->to;
  const MPJ_Count bytes = n * s->element_bytes;
  MPJ_Count at = 0;
  MPJ_Datatype row;
  int status = MPJ_SUCCESS;
  for (MPJ_Count u = 0; u < n && !status; u++)
    status = gather_element(s, to + s->spread.places[s->spread.first[u] + k] * s->extent, packed,
                            bytes, &at);
  if (status) return status;
  status = MPJ_Type_contiguous(n, s->spaced, &row);
  if (status) return status;
  at = 0;
  status = MPJ_Type_commit(&row);
  if (!status) status = MPJ_Unpack_reduce(packed, bytes, &at, unique_at(play, 0), row, play->op);
  MPJ_Type_free(&row);
  return status;
}

int mpj_spread_backward(struct mpj_play *play, int index)
{
  const struct mpj_array_schedule *s = play->schedule;
  const struct mpj_spread *spread = &s->spread;
  MPJ_Count n = spread->nunique;
  int status = MPJ_SUCCESS;
  (void)index;
  for (MPJ_Count u = 0; u < n && !status; u++)
    status = copy_element(s, (const char *)play->to + spread->places[spread->first[u]] * s->extent,
                          unique_at(play, u));
  char *packed = mpj_alloc((size_t)(n * s->element_bytes));
  if (!packed) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld elements", (long long)n);
  for (MPJ_Count k = 1; !status; k++) {
    while (n > 0 && spread->first[n] - spread->first[n - 1] <= k)
      n--;
    if (n == 0) break;
    status = combine_layer(play, n, k, packed);
  }
  mpj_free(packed);
  return status;
}
