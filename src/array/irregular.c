/* This file makes irregular schedules: each rank names the elements that it wants, by global
 * subscripts or by ranks and offsets. What is named repeatedly travels once; a pair's elements go
 * in the order of their offsets. */
#include <inttypes.h>

#include "array/describe/grid_ranks.h"
#include "array/ends.h"
#include "array/negotiate.h"
#include "array/radix.h"
#include "array/schedule_life.h"
#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

struct irregular {
  struct mpj_array_schedule *s;
  size_t n, nunique;
  /* [n] owned: what is wanted, a key (the rank, and below it the offset) and the number i in the
   * order in which it was named; in one word of 64 bits if they fit, i in the lowest bits. */
  void *wants;
  bool narrow;
  int offset_bits, number_bits;
  int *ranks; /* [n] owned, by i, as the following; until they are sorted */
  MPJ_Count *offsets;
  const MPJ_Count *places; /* [n] by i, or NULL */
  MPJ_Count place_max;
  size_t *first; /* [nunique + 1] owned: the wants of each element, by rank and offset */
  struct mpj_requests_of wanted, owed;
};

static int no_memory(size_t n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu subscripts", n);
}

static uint64_t key_of(const struct irregular *r, size_t want)
{
  if (!r->narrow) return ((const struct mpj_keyed *)r->wants)[want].key;
  return ((const uint64_t *)r->wants)[want] >> r->number_bits;
}

static MPJ_Count place_of(const struct irregular *r, size_t want)
{
  const uint64_t mask = (UINT64_C(1) << r->number_bits) - 1;
  const MPJ_Count i = r->narrow ? (MPJ_Count)(((const uint64_t *)r->wants)[want] & mask)
                                : ((const struct mpj_keyed *)r->wants)[want].i;
  return r->places ? r->places[i] : i;
}

static int bits_of(uint64_t most)
{
  return most == 0 ? 1 : 64 - __builtin_clzll(most);
}

/* Sort what is wanted by rank, offset and the order in which it was named. */
static int sort_wants(struct irregular *r)
{
  uint64_t highest = 0, furthest = 0;
  for (size_t i = 0; i < r->n; i++) {
    if ((uint64_t)r->ranks[i] > highest) highest = (uint64_t)r->ranks[i];
    if ((uint64_t)r->offsets[i] > furthest) furthest = (uint64_t)r->offsets[i];
  }
  r->offset_bits = bits_of(furthest);
  const int bits = r->offset_bits + bits_of(highest);
  if (bits > 64)
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "ranks to %" PRIu64 " and offsets to %" PRIu64 " exceed 64 bits together",
                     highest, furthest);
  r->number_bits = bits_of(r->n);
  r->narrow = bits + r->number_bits <= 64;
  const size_t width = r->narrow ? sizeof(uint64_t) : sizeof(struct mpj_keyed);
  r->wants = mpj_alloc(r->n * width);
  if (!r->wants) return no_memory(r->n);
  for (size_t i = 0; i < r->n; i++) {
    const uint64_t key = (uint64_t)r->ranks[i] << r->offset_bits | (uint64_t)r->offsets[i];
    if (r->narrow)
      ((uint64_t *)r->wants)[i] = key << r->number_bits | i;
    else
      ((struct mpj_keyed *)r->wants)[i] = (struct mpj_keyed){key, (MPJ_Count)i};
  }
  mpj_free(r->ranks);
  mpj_free(r->offsets);
  r->ranks = NULL;
  r->offsets = NULL;
  const int low = r->narrow ? r->number_bits : 0;
  return mpj_radix_sort(r->wants, r->n, width, low, low + bits);
}

/* Sort what is wanted, and find what is wanted repeatedly. */
static int find_uniques(struct irregular *r)
{
  size_t npeers = 0, u = 0;
  int status = sort_wants(r);
  if (status) return status;
  const uint64_t mask = (UINT64_C(1) << r->offset_bits) - 1;
  uint64_t before = 0;
  for (size_t i = 0; i < r->n; i++) {
    const uint64_t key = key_of(r, i);
    r->nunique += i == 0 || key != before;
    npeers += i == 0 || key >> r->offset_bits != before >> r->offset_bits;
    before = key;
  }
  r->first = mpj_alloc((r->nunique + 1) * sizeof *r->first);
  r->wanted.peers = mpj_alloc_array(npeers, sizeof *r->wanted.peers);
  r->wanted.offsets = mpj_alloc(r->nunique * sizeof *r->wanted.offsets);
  if (!r->first || !r->wanted.peers || !r->wanted.offsets) return no_memory(r->nunique);
  for (size_t i = 0; i < r->n; i++) {
    const uint64_t key = key_of(r, i);
    if (i > 0 && key == before) continue;
    if (i == 0 || key >> r->offset_bits != before >> r->offset_bits)
      r->wanted.peers[r->wanted.npeers++] =
          (struct mpj_asked){(int)(key >> r->offset_bits), (MPJ_Count)u, 0};
    before = key;
    r->wanted.peers[r->wanted.npeers - 1].n++;
    r->wanted.offsets[u] = (MPJ_Count)(key & mask);
    r->first[u++] = i;
  }
  r->first[u] = r->n;
  return MPJ_SUCCESS;
}

/* A patch of elements at displs[n], for a rank. Neighbours become blocks, whose lengths are put
 * into lens[n]; the type would do it as well, but keep each element as a part. */
static int add_elements(const struct irregular *r, struct mpj_patches *patches, int rank,
                        MPJ_Count n, MPJ_Aint displs[], MPJ_Count lens[])
{
  const MPJ_Aint extent = r->s->extent;
  MPJ_Count blocks = 0;
  MPJ_Aint end = 0;
  MPJ_Datatype type;
  for (MPJ_Count k = 0; k < n; k++) {
    const MPJ_Aint at = displs[k];
    const bool goes_on = k > 0 && at == end;
    blocks += !goes_on;
    lens[blocks - 1] = goes_on ? lens[blocks - 1] + 1 : 1;
    if (!goes_on) displs[blocks - 1] = at;
    end = (MPJ_Aint)((uint64_t)at + (uint64_t)extent);
  }
  const int status = blocks == n
                         ? MPJ_Type_create_hindexed_block(n, 1, displs, r->s->element, &type)
                         : MPJ_Type_create_hindexed(blocks, lens, displs, r->s->element, &type);
  return status ? status : mpj_patches_add(patches, rank, 0, type);
}

/* What comes goes to the first place that each was named for. */
static int list_wanted(const struct irregular *r, MPJ_Aint displs[], MPJ_Count lens[])
{
  MPJ_Aint most;
  if (!mpj_mul_aint(r->place_max, r->s->extent, &most))
    return mpj_error(MPJ_ERR_OVERFLOW, "a place exceeds 64 bits");
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->wanted.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->wanted.peers[p];
    for (MPJ_Count k = 0; k < peer->n; k++)
      displs[k] = place_of(r, r->first[peer->first + k]) * r->s->extent;
    status = add_elements(r, &r->s->in, peer->rank, peer->n, displs, lens);
  }
  return status;
}

static int list_owed(const struct irregular *r, MPJ_Aint displs[], MPJ_Count lens[])
{
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->owed.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->owed.peers[p];
    for (MPJ_Count k = 0; k < peer->n; k++)
      displs[k] = r->owed.offsets[peer->first + k] * r->s->extent; /* checked: it is inside */
    status = add_elements(r, &r->s->out, peer->rank, peer->n, displs, lens);
  }
  return status;
}

/* The phase that spreads what was named repeatedly; all ranks have it. */
static int add_spread(const struct irregular *r)
{
  struct mpj_spread *spread = &r->s->spread;
  MPJ_Count repeated = 0, places = 0;
  r->s->phases[r->s->nphases++] = (struct mpj_phase){.kind = MPJ_PHASE_SPREAD};
  r->s->spreads = true;
  for (size_t u = 0; u < r->nunique; u++) {
    const MPJ_Count n = (MPJ_Count)(r->first[u + 1] - r->first[u]);
    repeated += n > 1;
    places += n > 1 ? n : 0;
  }
  const int status = mpj_spread_new(spread, repeated, places);
  if (status) return status;
  MPJ_Count i = 0, at = 0;
  for (size_t u = 0; u < r->nunique; u++) {
    if (r->first[u + 1] - r->first[u] == 1) continue;
    spread->number[i] = (MPJ_Count)u;
    for (size_t k = r->first[u]; k < r->first[u + 1]; k++)
      spread->places[at++] = place_of(r, k);
    spread->first[++i] = at;
  }
  return MPJ_SUCCESS;
}

static int lay(const struct irregular *r)
{
  MPJ_Count most = 0;
  for (size_t p = 0; p < r->wanted.npeers; p++)
    if (r->wanted.peers[p].n > most) most = r->wanted.peers[p].n;
  for (size_t p = 0; p < r->owed.npeers; p++)
    if (r->owed.peers[p].n > most) most = r->owed.peers[p].n;
  MPJ_Aint *displs = mpj_alloc((size_t)most * sizeof *displs);
  MPJ_Count *lens = mpj_alloc((size_t)most * sizeof *lens);
  r->s->overlap = true;
  r->s->rising = r->s->extent > 0;
  int status = displs && lens ? list_wanted(r, displs, lens) : no_memory((size_t)most);
  if (!status) status = list_owed(r, displs, lens);
  if (!status) status = mpj_array_schedule_exchange(r->s, false);
  if (!status) status = add_spread(r);
  mpj_free(displs);
  mpj_free(lens);
  return status;
}

/* Offsets of the least local array become offsets of this rank's; those outside are an error. */
static int own_offsets(const struct mpj_grid_array *a, MPJ_Count nroots,
                       struct mpj_requests_of *owed)
{
  MPJ_Count least[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX];
  MPJ_Count own[MPJ_ARRAY_DIMS_MAX], own_strides[MPJ_ARRAY_DIMS_MAX];
  int coords[MPJ_ARRAY_DIMS_MAX];
  const bool inside = a && mpj_array_coords(a, a->rank, coords);
  if (inside) {
    nroots = 1;
    mpj_array_shape(a, false, coords, least, strides);
    mpj_array_shape(a, true, coords, own, own_strides);
    for (int d = 0; d < a->ndims; d++)
      nroots *= least[d];
  }
  for (size_t p = 0; p < owed->npeers; p++)
    for (MPJ_Count k = 0; k < owed->peers[p].n; k++) {
      MPJ_Count *offset = &owed->offsets[owed->peers[p].first + k], at = 0;
      if (*offset < 0 || *offset >= nroots)
        return mpj_error(MPJ_ERR_ARG,
                         "rank %d wants offset %" PRId64 ", this rank has %" PRId64 " elements",
                         owed->peers[p].rank, *offset, nroots);
      if (!inside || !a->padding) continue;
      for (int d = 0; d < a->ndims; d++)
        at += *offset / strides[d] % least[d] * own_strides[d];
      *offset = at;
    }
  return MPJ_SUCCESS;
}

/* The rest, once `wants` is there or status says why not. Collective. */
static int make(struct irregular *r, const char *name, struct mpj_grid_array *array,
                MPJ_Count nroots, MPJ_Datatype element, MPJ_Comm comm, int status)
{
  if (!status) status = mpj_array_schedule_new(name, comm, element, &r->s);
  if (!status) status = find_uniques(r);
  MPJ_Count bytes = 0, serial = 0;
  if (!status) status = MPJ_Type_size(element, &bytes);
  const struct mpj_fact facts[] = {{"the serial number of array", array ? array->serial : 0},
                                   {"the size of element in bytes", bytes}};
  const int agreed = mpj_array_agree_new(comm, status, 2, facts, &serial);
  status = agreed;
  if (!status) status = mpj_negotiate(comm, &r->wanted, &r->owed);
  if (!status) status = own_offsets(array, nroots, &r->owed);
  if (!status) status = lay(r);
  if (!agreed) status = mpj_array_agree(comm, status, 0, NULL);
  if (status) {
    mpj_array_schedule_release(r->s);
    r->s = NULL;
  } else {
    r->s->serial = serial;
  }
  mpj_free(r->wants);
  mpj_free(r->ranks);
  mpj_free(r->offsets);
  mpj_free(r->first);
  mpj_requests_end(&r->wanted);
  mpj_requests_end(&r->owed);
  return status;
}

static int begin(struct irregular *r, MPJ_Count n, const void *named, const char *argument,
                 const MPJ_Schedule *schedule)
{
  int status = mpj_need(schedule, "schedule");
  if (!status && n < 0) status = mpj_error(MPJ_ERR_ARG, "n is %" PRId64 ", must be at least 0", n);
  if (!status && n > 0) status = mpj_need(named, argument);
  if (status) return status;
  r->n = (size_t)n;
  r->ranks = mpj_alloc(r->n * sizeof *r->ranks);
  r->offsets = mpj_alloc(r->n * sizeof *r->offsets);
  return r->ranks && r->offsets ? MPJ_SUCCESS : no_memory(r->n);
}

/* The copy and the offset in its least local array of what a subscript names. */
static int want_index(const struct mpj_grid_array *a, MPJ_Count i, const MPJ_Count index[],
                      int *rank, MPJ_Count *offset)
{
  struct mpj_stretch stretch;
  int coords[MPJ_ARRAY_DIMS_MAX];
  MPJ_Count stride = 1, at = 0;
  for (int k = 0; k < a->grid_ndims; k++)
    coords[k] = 0;
  for (int k = 0; k < a->ndims; k++) { /* the fastest first */
    const int d = a->order == MPJ_ORDER_C ? a->ndims - 1 - k : k;
    const struct mpj_axis *axis = &a->axes[d];
    if (index[d] < 0 || index[d] >= axis->size)
      return mpj_error(MPJ_ERR_ARG,
                       "index[%" PRId64 "][%d] is %" PRId64 ", the axis has %" PRId64 " indices", i,
                       d, index[d], axis->size);
    mpj_axis_at(axis, index[d], &stretch);
    if (axis->grid_dim >= 0) coords[axis->grid_dim] = stretch.coord;
    at += (axis->low + stretch.local + index[d] - stretch.start) * stride;
    if (k < a->ndims - 1) stride *= mpj_axis_held(axis, stretch.coord) + axis->low + axis->high;
  }
  if (mpj_array_replicated(a)) mpj_nearest_copy(a, a->rank, coords);
  *rank = mpj_array_rank_at(a, coords);
  *offset = at;
  return MPJ_SUCCESS;
}

static int take_places(struct irregular *r, const MPJ_Count places[])
{
  r->places = places;
  r->place_max = r->n > 0 ? (MPJ_Count)r->n - 1 : 0;
  for (size_t i = 0; places && i < r->n; i++) {
    if (places[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "places[%zu] is %" PRId64 ", must be at least 0", i, places[i]);
    if (i == 0 || places[i] > r->place_max) r->place_max = places[i];
  }
  return MPJ_SUCCESS;
}

int MPJ_Subscript_create(MPJ_Array array, MPJ_Count n, const MPJ_Count index[],
                         const MPJ_Count places[], MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct irregular r = {.s = NULL};
  struct mpj_grid_array *a;
  int status = mpj_array_resolve(array, "array", &a);
  if (status) return status;
  status = begin(&r, n, index, "index", schedule);
  for (MPJ_Count i = 0; i < n && !status; i++)
    status = want_index(a, i, index + i * a->ndims, &r.ranks[i], &r.offsets[i]);
  if (!status) status = take_places(&r, places);
  status = make(&r, "subscript", a, 0, a->element, a->comm, status);
  if (!status) *schedule = r.s;
  return status;
}

int MPJ_Graph_create(MPJ_Count nroots, MPJ_Count n, const MPJ_Count places[], const int ranks[],
                     const MPJ_Count offsets[], MPJ_Datatype element, MPJ_Comm comm,
                     MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct irregular r = {.s = NULL};
  int size;
  int status = MPJ_Comm_size(comm, &size);
  if (status) return status;
  status = begin(&r, n, ranks, "ranks", schedule);
  if (!status && n > 0) status = mpj_need(offsets, "offsets");
  if (!status && nroots < 0)
    status = mpj_error(MPJ_ERR_ARG, "nroots is %" PRId64 ", must be at least 0", nroots);
  for (MPJ_Count i = 0; i < n && !status; i++) {
    if (ranks[i] < 0 || ranks[i] >= size)
      status =
          mpj_error(MPJ_ERR_ARG, "ranks[%" PRId64 "] is %d, comm has %d ranks", i, ranks[i], size);
    else if (offsets[i] < 0)
      status = mpj_error(MPJ_ERR_ARG, "offsets[%" PRId64 "] is %" PRId64 ", must be at least 0", i,
                         offsets[i]);
    r.ranks[i] = ranks[i];
    r.offsets[i] = offsets[i];
  }
  if (!status) status = take_places(&r, places);
  status = make(&r, "graph", NULL, nroots, element, comm, status);
  if (!status) *schedule = r.s;
  return status;
}
