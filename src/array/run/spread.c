/* This file spreads what was asked for repeatedly and has come once, and combines it back. */
#include <stdlib.h>

#include "array/run/play.h"
#include "array/run/rounds.h"
#include "base/memory.h"
#include "base/status.h"

/* An element that was asked for repeatedly, while they are sorted. */
struct repeated {
  MPJ_Count round, n, number, i, peer, within;
};

static int by_round(const void *a, const void *b)
{
  const struct repeated *x = a, *y = b;
  if (x->round != y->round) return x->round < y->round ? -1 : 1;
  if (x->n != y->n) return x->n > y->n ? -1 : 1;
  return x->number < y->number ? -1 : x->number > y->number;
}

/* The peers of an exchange: what comes from peer p are elements begins[p] .. begins[p + 1] - 1. */
struct peers {
  size_t n;
  MPJ_Count *begins;
};

static int find_peers(const struct mpj_array_schedule *s, struct peers *peers)
{
  peers->begins = mpj_alloc_array(s->in.n + 1, sizeof *peers->begins);
  if (!peers->begins) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu peers", s->in.n);
  for (size_t i = 0, end; i < s->in.n; i = end, peers->n++) {
    end = mpj_patches_of(&s->in, i);
    peers->begins[peers->n + 1] = peers->begins[peers->n] + mpj_elements_of(s, &s->in, i, end);
  }
  return MPJ_SUCCESS;
}

static void place(const struct peers *peers, const struct mpj_window *window, struct repeated *r)
{
  size_t low = 0, high = peers->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (peers->begins[middle] <= r->number)
      low = middle;
    else
      high = middle;
  }
  r->peer = (MPJ_Count)low;
  r->within = r->number - peers->begins[low];
  const MPJ_Count start = window && window->starts ? window->starts[low] : 0;
  r->round = window ? (start + r->within) / window->elements : 0;
}

/* Where what comes from peer p in a round begins in the round's image, less what it begins with of
 * the peer's: before[p]. */
static void find_rows(const struct peers *peers, const struct mpj_window *window, MPJ_Count round,
                      MPJ_Count before[])
{
  MPJ_Count at = 0;
  for (size_t p = 0; p < peers->n; p++) {
    const MPJ_Count n = peers->begins[p + 1] - peers->begins[p];
    const MPJ_Count start = window && window->starts ? window->starts[p] : 0;
    const MPJ_Count low = window ? mpj_round_begins(round, window, start, n) : 0;
    const MPJ_Count high = window ? mpj_round_begins(round + 1, window, start, n) : n;
    before[p] = at - low;
    at += high - low;
  }
}

static void permute(const struct mpj_array_schedule *s, const struct repeated list[], int nrounds,
                    struct mpj_spread *sorted, const struct peers *peers,
                    const struct mpj_window *window, MPJ_Count before[])
{
  const struct mpj_spread *old = &s->spread;
  for (MPJ_Count i = 0; i < old->n; i++) {
    const struct repeated *r = &list[i];
    if (i == 0 || r->round != list[i - 1].round) find_rows(peers, window, r->round, before);
    sorted->begins[r->round + 1]++;
    sorted->number[i] = r->number;
    sorted->at[i] = before[r->peer] + r->within;
    sorted->first[i + 1] = sorted->first[i] + r->n;
    memcpy(&sorted->places[sorted->first[i]], &old->places[old->first[r->i]],
           (size_t)r->n * sizeof *old->places);
  }
  for (int k = 0; k < nrounds; k++)
    sorted->begins[k + 1] += sorted->begins[k];
}

void mpj_spread_end(struct mpj_spread *spread)
{
  mpj_free(spread->first);
  mpj_free(spread->places);
  mpj_free(spread->number);
  mpj_free(spread->at);
  mpj_free(spread->begins);
  *spread = (struct mpj_spread){0};
}

int mpj_spread_new(struct mpj_spread *spread, MPJ_Count n, MPJ_Count places)
{
  spread->n = n;
  spread->first = mpj_alloc_array((size_t)n + 1, sizeof *spread->first);
  spread->places = mpj_alloc_array((size_t)places, sizeof *spread->places);
  spread->number = mpj_alloc_array((size_t)n, sizeof *spread->number);
  spread->at = mpj_alloc_array((size_t)n, sizeof *spread->at);
  if (spread->first && spread->places && spread->number && spread->at) return MPJ_SUCCESS;
  mpj_spread_end(spread);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld subscripts", (long long)places);
}

int mpj_spread_sort(struct mpj_array_schedule *s, int nrounds, const struct mpj_window *window)
{
  const size_t n = (size_t)s->spread.n;
  struct mpj_spread sorted = {0};
  struct peers peers = {0};
  if (n == 0) return MPJ_SUCCESS;
  struct repeated *list = mpj_alloc_array(n, sizeof *list);
  MPJ_Count *before = mpj_alloc_array(s->in.n, sizeof *before);
  int status = list && before ? find_peers(s, &peers)
                              : mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu subscripts", n);
  if (!status) status = mpj_spread_new(&sorted, s->spread.n, s->spread.first[n]);
  if (!status) sorted.begins = mpj_alloc_array((size_t)nrounds + 1, sizeof *sorted.begins);
  if (!status && !sorted.begins)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d rounds", nrounds);
  for (size_t i = 0; i < n && !status; i++) {
    list[i].i = (MPJ_Count)i;
    list[i].n = s->spread.first[i + 1] - s->spread.first[i];
    list[i].number = s->spread.number[i];
    place(&peers, window, &list[i]);
    if (list[i].round >= nrounds) status = mpj_error(MPJ_ERR_INTERNAL, "a round is missing");
  }
  if (!status) {
    qsort(list, n, sizeof *list, by_round);
    permute(s, list, nrounds, &sorted, &peers, window, before);
    mpj_spread_end(&s->spread);
    s->spread = sorted;
  } else {
    mpj_spread_end(&sorted);
  }
  mpj_free(list);
  mpj_free(before);
  mpj_free(peers.begins);
  return status;
}

/* Sizes that are known are copied without a call. */
static inline int copy_element(const struct mpj_array_schedule *s, const char *from, char *to)
{
  if (!s->dense) return MPJ_Copy(from, s->element, to, s->element);
  from += s->true_lb;
  to += s->true_lb;
  switch (s->element_bytes) {
  case 4:
    memcpy(to, from, 4);
    break;
  case 8:
    memcpy(to, from, 8);
    break;
  case 16:
    memcpy(to, from, 16);
    break;
  default:
    memcpy(to, from, (size_t)s->element_bytes);
  }
  return MPJ_SUCCESS;
}

/* What has come to the first place of each goes to its others. */
static int copy_to_others(const struct mpj_array_schedule *s, MPJ_Count i, MPJ_Count end, char *to)
{
  const struct mpj_spread *spread = &s->spread;
  int status = MPJ_SUCCESS;
  for (; i < end && !status; i++)
    for (MPJ_Count k = spread->first[i] + 1; k < spread->first[i + 1] && !status; k++)
      status = copy_element(s, to + spread->places[spread->first[i]] * s->extent,
                            to + spread->places[k] * s->extent);
  return status;
}

int mpj_spread_forward(const struct mpj_array_schedule *s, void *to)
{
  return copy_to_others(s, 0, s->spread.n, to);
}

int mpj_spread_fetched(const struct mpj_array_schedule *s, const struct mpj_round *round,
                       const char *image, void *fetched)
{
  const int status = MPJ_Copy(image, round->image_type, fetched, round->slices_type);
  return status ? status : copy_to_others(s, round->repeated, round->repeated_end, fetched);
}

/* The places number k of the first n elements from i on, which all have so many: into memory of
 * sums[n], packed having room for as many. */
static int combine_layer(const struct mpj_array_schedule *s, MPJ_Count i, MPJ_Count n, MPJ_Count k,
                         const char *to, char *sums, char *packed, MPJ_Op op)
{
  const struct mpj_spread *spread = &s->spread;
  const MPJ_Count bytes = n * s->element_bytes;
  MPJ_Count at = 0;
  MPJ_Datatype row;
  int status = MPJ_SUCCESS;
  for (MPJ_Count e = i; e < i + n && !status; e++) {
    const char *place = to + spread->places[spread->first[e] + k] * s->extent;
    if (s->dense) {
      status = copy_element(s, place, packed + at - s->true_lb);
      at += s->element_bytes;
    } else {
      status = MPJ_Pack(place, s->element, packed, bytes, &at);
    }
  }
  if (!status) status = MPJ_Type_contiguous(n, s->spaced, &row);
  if (status) return status;
  at = 0;
  status = MPJ_Type_commit(&row);
  if (!status) status = MPJ_Unpack_reduce(packed, bytes, &at, sums - s->true_lb, row, op);
  MPJ_Type_free(&row);
  return status;
}

/* Between an element's place in the image and its sum. */
static int move_sums(const struct mpj_array_schedule *s, const struct mpj_round *round, char *image,
                     char *sums, bool back)
{
  int status = MPJ_SUCCESS;
  for (MPJ_Count i = round->repeated; i < round->repeated_end && !status; i++) {
    char *one = image + s->spread.at[i] * s->true_extent - s->true_lb;
    char *sum = sums + (i - round->repeated) * s->true_extent - s->true_lb;
    status = copy_element(s, back ? sum : one, back ? one : sum);
  }
  return status;
}

int mpj_spread_collect(const struct mpj_array_schedule *s, const struct mpj_round *round,
                       const void *to, char *image, MPJ_Op op)
{
  const struct mpj_spread *spread = &s->spread;
  const MPJ_Count i = round->repeated;
  MPJ_Count n = round->repeated_end - i;
  int status = MPJ_Copy(to, round->slices_type, image, round->image_type);
  if (n == 0 || status) return status;
  char *sums = image + round->image_bytes, *packed = sums + n * s->true_extent;
  status = move_sums(s, round, image, sums, false);
  for (MPJ_Count k = 1; !status; k++) {
    while (n > 0 && spread->first[i + n] - spread->first[i + n - 1] <= k)
      n--;
    if (n == 0) break;
    status = combine_layer(s, i, n, k, to, sums, packed, op);
  }
  return status ? status : move_sums(s, round, image, sums, true);
}
