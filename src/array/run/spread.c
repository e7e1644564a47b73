/* This file spreads what was asked for repeatedly and has come once, and combines it back. */
#include <stdbool.h>

#include "array/run/play.h"
#include "array/run/rounds.h"
#include "base/memory.h"
#include "base/status.h"

/* While they are sorted `at` is an element's round. */
static bool is_before(const struct mpj_repeated *x, const struct mpj_repeated *y)
{
  if (x->at != y->at) return x->at < y->at;
  return x->n != y->n ? x->n > y->n : x->number < y->number;
}

/* Let an element sink among those of a heap to where none of its followers comes behind it. */
static void sink(struct mpj_repeated heap[], size_t i, size_t n)
{
  const struct mpj_repeated one = heap[i];
  for (size_t next; (next = 2 * i + 1) < n; i = next) {
    if (next + 1 < n && is_before(&heap[next], &heap[next + 1])) next++;
    if (!is_before(&one, &heap[next])) break;
    heap[i] = heap[next];
  }
  heap[i] = one;
}

/* A heapsort: it takes no memory, which a limit is about (D. Knuth, The Art of Computer Programming
 * 3, 5.2.3). */
static void sort(struct mpj_repeated list[], size_t n)
{
  size_t sorted = 1;
  while (sorted < n && is_before(&list[sorted - 1], &list[sorted]))
    sorted++;
  if (sorted >= n) return;
  for (size_t i = n / 2; i > 0; i--)
    sink(list, i - 1, n);
  for (size_t end = n - 1; end > 0; end--) {
    const struct mpj_repeated last = list[0];
    list[0] = list[end];
    list[end] = last;
    sink(list, 0, end);
  }
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

/* From whom an element comes. */
static size_t peer_of(const struct peers *peers, const struct mpj_repeated *r)
{
  size_t low = 0, high = peers->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (peers->begins[middle] <= r->number)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static MPJ_Count round_of(const struct peers *peers, const struct mpj_window *window,
                          const struct mpj_repeated *r)
{
  const size_t peer = peer_of(peers, r);
  const MPJ_Count start = window && window->starts ? window->starts[peer] : 0;
  return window ? (start + r->number - peers->begins[peer]) / window->elements : 0;
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

/* Sorted elements, whose rounds are known: where each is in its round's image, and where each round
 * begins. */
static void find_places(const struct mpj_spread *spread, int nrounds, const struct peers *peers,
                        const struct mpj_window *window, MPJ_Count before[])
{
  MPJ_Count last = -1;
  for (MPJ_Count i = 0; i < spread->n; i++) {
    struct mpj_repeated *r = &spread->elements[i];
    const size_t peer = peer_of(peers, r);
    if (r->at != last) find_rows(peers, window, r->at, before);
    last = r->at;
    spread->begins[last + 1]++;
    r->at = before[peer] + r->number - peers->begins[peer];
  }
  for (int k = 0; k < nrounds; k++)
    spread->begins[k + 1] += spread->begins[k];
}

void mpj_spread_end(struct mpj_spread *spread)
{
  mpj_free(spread->elements);
  mpj_free(spread->places);
  mpj_free(spread->begins);
  *spread = (struct mpj_spread){0};
}

int mpj_spread_new(struct mpj_spread *spread, MPJ_Count n, MPJ_Count places)
{
  spread->n = n;
  spread->elements = mpj_alloc_array((size_t)n, sizeof *spread->elements);
  spread->places = mpj_alloc_array((size_t)places, sizeof *spread->places);
  if (spread->elements && spread->places) return MPJ_SUCCESS;
  mpj_spread_end(spread);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld subscripts", (long long)places);
}

/* Put the places into the elements' order, in which runs go through them: faster, for the memory of
 * another list of them. */
static int order_places(struct mpj_spread *spread)
{
  MPJ_Count at = 0, n = 0;
  for (MPJ_Count i = 0; i < spread->n; i++)
    n += spread->elements[i].n;
  MPJ_Count *places = mpj_alloc_work((size_t)n, sizeof *places);
  if (!places) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld subscripts", (long long)n);
  for (MPJ_Count i = 0; i < spread->n; i++) {
    struct mpj_repeated *r = &spread->elements[i];
    memcpy(&places[at], &spread->places[r->first], (size_t)r->n * sizeof *places);
    r->first = at;
    at += r->n;
  }
  mpj_free(spread->places);
  spread->places = places;
  return MPJ_SUCCESS;
}

int mpj_spread_sort(struct mpj_array_schedule *s, int nrounds, const struct mpj_window *window)
{
  struct mpj_spread *spread = &s->spread;
  struct peers peers = {0};
  if (spread->n == 0) return MPJ_SUCCESS;
  mpj_free(spread->begins);
  spread->begins = mpj_alloc_array((size_t)nrounds + 1, sizeof *spread->begins);
  MPJ_Count *before = mpj_alloc_array(s->in.n, sizeof *before);
  int status = spread->begins && before
                   ? find_peers(s, &peers)
                   : mpj_error(MPJ_ERR_NO_MEM, "no memory for %d rounds", nrounds);
  for (MPJ_Count i = 0; i < spread->n && !status; i++) {
    struct mpj_repeated *r = &spread->elements[i];
    r->at = round_of(&peers, window, r);
    if (r->at >= nrounds) status = mpj_error(MPJ_ERR_INTERNAL, "a round is missing");
  }
  if (!status) {
    sort(spread->elements, (size_t)spread->n);
    find_places(spread, nrounds, &peers, window, before);
    if (!window) status = order_places(spread); /* in rounds the memory is short */
  }
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
  for (; i < end && !status; i++) {
    const MPJ_Count *places = &spread->places[spread->elements[i].first];
    for (MPJ_Count k = 1; k < spread->elements[i].n && !status; k++)
      status = copy_element(s, to + places[0] * s->extent, to + places[k] * s->extent);
  }
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
    const char *place = to + spread->places[spread->elements[e].first + k] * s->extent;
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
    char *one = image + s->spread.elements[i].at * s->true_extent - s->true_lb;
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
    while (n > 0 && spread->elements[i + n - 1].n <= k)
      n--;
    if (n == 0) break;
    status = combine_layer(s, i, n, k, to, sums, packed, op);
  }
  return status ? status : move_sums(s, round, image, sums, true);
}
