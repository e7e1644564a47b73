/* This file makes irregular schedules: each rank names the elements that it wants, by global
 * subscripts or by ranks and offsets. What is named repeatedly travels once; a pair's elements go
 * in the order of their offsets. */
#include <inttypes.h>

#include "array/describe/grid_ranks.h"
#include "array/ends.h"
#include "array/negotiate.h"
#include "array/schedule_life.h"
#include "array/wants.h"
#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/type.h"

struct irregular {
  struct mpj_array_schedule *s;
  struct mpj_wants wants;
  const MPJ_Count *places; /* [n] by number, or NULL */
  MPJ_Count place_max;
  MPJ_Count *firsts; /* [nunique] in the memory of wants: the first place of each element */
  size_t nunique;
  struct mpj_requests_of wanted, owed;
};

static int no_memory(size_t n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu subscripts", n);
}

/* In how many blocks elements lie; places in elements. */
static MPJ_Count count_blocks(MPJ_Count n, const MPJ_Count places[])
{
  MPJ_Count blocks = n > 0;
  for (MPJ_Count k = 1; k < n; k++)
    blocks += places[k] != places[k - 1] + 1;
  return blocks;
}

/* The blocks, in the memory of the places, and their lengths. */
static void merge_blocks(MPJ_Count n, MPJ_Count places[], MPJ_Count lens[])
{
  MPJ_Count blocks = 0;
  for (MPJ_Count k = 0; k < n; k++) {
    const MPJ_Count at = places[k];
    const bool goes_on = blocks > 0 && at == places[blocks - 1] + lens[blocks - 1];
    if (goes_on) {
      lens[blocks - 1]++;
    } else {
      places[blocks] = at;
      lens[blocks++] = 1;
    }
  }
}

/* A patch of elements at places[n], which are changed, for a rank. Neighbours become blocks, whose
 * lengths are put into lens[blocks]; the type would do it as well, but keep each element as a part.
 */
static int add_elements(const struct irregular *r, struct mpj_patches *patches, int rank,
                        MPJ_Count n, MPJ_Count places[], MPJ_Count blocks, MPJ_Count lens[])
{
  MPJ_Datatype type;
  int status;
  if (blocks == n) {
    status = MPJ_Type_create_indexed_block(n, 1, places, r->s->element, &type);
  } else {
    merge_blocks(n, places, lens);
    status = MPJ_Type_indexed(blocks, lens, places, r->s->element, &type);
  }
  return status ? status : mpj_patches_add(patches, rank, 0, type);
}

/* Lengths of blocks, in memory that is there or has been got. */
struct lens {
  MPJ_Count *at, *got; /* got: owned, or NULL */
  size_t room;
};

static MPJ_Count *lens_of(struct lens *lens, MPJ_Count n, MPJ_Count blocks)
{
  if (blocks == n || (size_t)blocks <= lens->room) return lens->at;
  mpj_free(lens->got);
  lens->at = lens->got = mpj_alloc_work((size_t)blocks, sizeof *lens->at);
  lens->room = lens->got ? (size_t)blocks : 0;
  return lens->got;
}

static int list_peer(const struct irregular *r, struct mpj_patches *patches, int rank, MPJ_Count n,
                     MPJ_Count places[], struct lens *lens)
{
  const MPJ_Count blocks = count_blocks(n, places);
  MPJ_Count *room = lens_of(lens, n, blocks);
  if (blocks < n && !room) return no_memory((size_t)n);
  return add_elements(r, patches, rank, n, places, blocks, room);
}

/* What comes goes to the first place that each was named for. */
static int list_wanted(const struct irregular *r)
{
  MPJ_Aint most;
  struct lens lens = {0};
  MPJ_Count *places = r->firsts;
  if (!mpj_mul_aint(r->place_max, r->s->extent, &most))
    return mpj_error(MPJ_ERR_OVERFLOW,
                     "places: place %" PRId64 " of elements of %" PRIdPTR " bytes exceeds 64 bits",
                     r->place_max, r->s->extent);
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->wanted.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->wanted.peers[p];
    status = list_peer(r, &r->s->in, peer->rank, peer->n, places, &lens);
    places += peer->n;
  }
  mpj_free(lens.got);
  return status;
}

/* Once what is wanted has been listed: its memory serves again. */
static int list_owed(const struct irregular *r)
{
  struct lens lens = {.at = r->firsts, .room = r->nunique};
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->owed.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->owed.peers[p];
    status = list_peer(r, &r->s->out, peer->rank, peer->n, peer->offsets, &lens);
  }
  mpj_free(lens.got);
  return status;
}

/* All ranks have the phase that spreads what was named repeatedly. */
static int lay(const struct irregular *r)
{
  r->s->overlap = true;
  r->s->rising = r->s->extent > 0;
  int status = list_wanted(r);
  if (!status) status = list_owed(r);
  if (!status) status = mpj_array_schedule_exchange(r->s, false);
  if (status) return status;
  r->s->phases[r->s->nphases++] = (struct mpj_phase){.kind = MPJ_PHASE_SPREAD};
  r->s->spreads = true;
  return MPJ_SUCCESS;
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
  for (size_t p = 0; p < owed->npeers; p++) {
    const struct mpj_asked *peer = &owed->peers[p];
    for (MPJ_Count k = 0; k < peer->n; k++)
      if ((uint64_t)peer->offsets[k] >= (uint64_t)nroots)
        return mpj_error(MPJ_ERR_ARG,
                         "rank %d wants offset %" PRId64 ", which is outside this rank's %" PRId64
                         " elements",
                         peer->rank, peer->offsets[k], nroots);
    for (MPJ_Count k = 0; inside && a->padding && k < peer->n; k++) {
      MPJ_Count at = 0;
      for (int d = 0; d < a->ndims; d++)
        at += peer->offsets[k] / strides[d] % least[d] * own_strides[d];
      peer->offsets[k] = at;
    }
  }
  return MPJ_SUCCESS;
}

/* The rest, once `wants` is there or status says why not. Collective. */
static int make(struct irregular *r, const char *name, struct mpj_grid_array *array,
                MPJ_Count nroots, MPJ_Datatype element, MPJ_Comm comm, int status)
{
  if (!status) status = mpj_array_schedule_new(name, comm, element, &r->s);
  if (!status)
    status =
        mpj_wants_unique(&r->wants, r->places, &r->wanted, &r->firsts, &r->nunique, &r->s->spread);
  MPJ_Count serial = 0;
  struct mpj_fact facts[2] = {
      {.name = "the serial number of array", .value = array ? array->serial : 0}};
  if (!status) facts[1] = mpj_fact_of_element(element);
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
  r->wanted.offsets = NULL; /* those of wants */
  mpj_requests_end(&r->wanted);
  mpj_requests_end(&r->owed);
  mpj_wants_end(&r->wants);
  return status;
}

static int check(MPJ_Count n, const void *named, const char *argument, const MPJ_Schedule *schedule)
{
  int status = mpj_need(schedule, "schedule");
  if (!status && n < 0) status = mpj_error(MPJ_ERR_ARG, "n is %" PRId64 ", must be at least 0", n);
  return !status && n > 0 ? mpj_need(named, argument) : status;
}

/* The highest offset that any rank can have in the least local array. */
static int furthest_offset(const struct mpj_grid_array *a, MPJ_Count *furthest)
{
  MPJ_Count n = 1;
  for (int d = 0; d < a->ndims; d++) {
    const struct mpj_axis *axis = &a->axes[d];
    if (!mpj_mul_count(n, mpj_axis_held_most(axis) + axis->low + axis->high, &n))
      return mpj_error(MPJ_ERR_OVERFLOW, "a local array exceeds 64 bits");
  }
  *furthest = n > 0 ? n - 1 : 0;
  return MPJ_SUCCESS;
}

/* The copy and the offset in its least local array of what each subscript names. */
static int want_indices(const struct mpj_grid_array *a, const MPJ_Count index[],
                        struct mpj_wants *wants)
{
  const bool replicated = mpj_array_replicated(a);
  int coords[MPJ_ARRAY_DIMS_MAX];
  for (size_t i = 0; i < wants->n; i++, index += a->ndims) {
    MPJ_Count stride = 1, at = 0;
    for (int k = 0; k < a->grid_ndims; k++)
      coords[k] = 0;
    for (int k = 0; k < a->ndims; k++) { /* the fastest first */
      const int d = a->order == MPJ_ORDER_C ? a->ndims - 1 - k : k;
      const struct mpj_axis *axis = &a->axes[d];
      struct mpj_stretch stretch;
      if (index[d] < 0 || index[d] >= axis->size)
        return mpj_error(MPJ_ERR_ARG,
                         "index[%zu][%d] is %" PRId64 ", the axis has %" PRId64 " indices", i, d,
                         index[d], axis->size);
      mpj_axis_at(axis, index[d], &stretch);
      if (axis->grid_dim >= 0) coords[axis->grid_dim] = stretch.coord;
      at += (axis->low + stretch.local + index[d] - stretch.start) * stride;
      if (k < a->ndims - 1) stride *= mpj_axis_held(axis, stretch.coord) + axis->low + axis->high;
    }
    if (replicated) mpj_nearest_copy(a, a->rank, coords);
    mpj_wants_put(wants, i, mpj_array_rank_at(a, coords), at);
  }
  return MPJ_SUCCESS;
}

/* No place is named twice. Rising ones are not sorted. */
static int check_places(size_t n, const MPJ_Count places[], MPJ_Count most)
{
  size_t rising = 1;
  while (rising < n && places[rising] > places[rising - 1])
    rising++;
  if (rising >= n) return MPJ_SUCCESS;
  void *items = mpj_alloc_work(n, sizeof(struct mpj_keyed));
  void *room = mpj_alloc_work(n, sizeof(struct mpj_keyed));
  int status = items && room ? MPJ_SUCCESS : no_memory(n);
  for (size_t i = 0; i < n && !status; i++)
    ((struct mpj_keyed *)items)[i] = (struct mpj_keyed){(uint64_t)places[i], (MPJ_Count)i};
  if (!status)
    mpj_radix_sort(&items, &room, n, sizeof(struct mpj_keyed), 0,
                   most == 0 ? 1 : 64 - __builtin_clzll((uint64_t)most));
  const struct mpj_keyed *sorted = items;
  for (size_t i = 1; i < n && !status; i++)
    if (sorted[i].key == sorted[i - 1].key)
      status =
          mpj_error(MPJ_ERR_ARG, "places[%" PRId64 "] is %" PRId64 ", as places[%" PRId64 "] is",
                    sorted[i].i, (MPJ_Count)sorted[i].key, sorted[i - 1].i);
  mpj_free(items);
  mpj_free(room);
  return status;
}

static int take_places(struct irregular *r, const MPJ_Count places[])
{
  r->places = places;
  const size_t n = r->wants.n;
  r->place_max = n > 0 ? (MPJ_Count)n - 1 : 0;
  for (size_t i = 0; places && i < n; i++) {
    if (places[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "places[%zu] is %" PRId64 ", must be at least 0", i, places[i]);
    if (i == 0 || places[i] > r->place_max) r->place_max = places[i];
  }
  return places ? check_places(n, places, r->place_max) : MPJ_SUCCESS;
}

int MPJ_Subscript_create(MPJ_Array array, MPJ_Count n, const MPJ_Count index[],
                         const MPJ_Count places[], MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct irregular r = {.s = NULL};
  struct mpj_grid_array *a;
  int status = mpj_array_resolve(array, "array", &a);
  if (status) return status;
  MPJ_Count furthest = 0;
  status = check(n, index, "index", schedule);
  if (!status) status = furthest_offset(a, &furthest);
  if (!status) status = mpj_wants_begin(&r.wants, (size_t)n, a->size - 1, furthest);
  if (!status) status = want_indices(a, index, &r.wants);
  if (!status) status = take_places(&r, places);
  status = make(&r, "subscript", a, 0, a->element, a->comm, status);
  if (!status) *schedule = r.s;
  return status;
}

static int check_pairs(MPJ_Count n, const int ranks[], const MPJ_Count offsets[], int size,
                       MPJ_Count *furthest)
{
  const MPJ_Count most = mpj_wants_furthest(size - 1); /* 2^44 elements of each of 2^20 ranks */
  for (MPJ_Count i = 0; i < n; i++) {
    if (ranks[i] < 0 || ranks[i] >= size)
      return mpj_error(MPJ_ERR_ARG, "ranks[%" PRId64 "] is %d, comm has %d ranks", i, ranks[i],
                       size);
    if (offsets[i] < 0)
      return mpj_error(MPJ_ERR_ARG, "offsets[%" PRId64 "] is %" PRId64 ", must be at least 0", i,
                       offsets[i]);
    if (offsets[i] > most)
      return mpj_error(MPJ_ERR_ARG,
                       "offsets[%" PRId64 "] is %" PRId64 ", which is outside rank %d's memory", i,
                       offsets[i], ranks[i]);
    if (offsets[i] > *furthest) *furthest = offsets[i];
  }
  return MPJ_SUCCESS;
}

int MPJ_Graph_create(MPJ_Count nroots, MPJ_Count n, const MPJ_Count places[], const int ranks[],
                     const MPJ_Count offsets[], MPJ_Datatype element, MPJ_Comm comm,
                     MPJ_Schedule *schedule)
{
  MPJ_ENTRY;
  struct irregular r = {.s = NULL};
  MPJ_Count furthest = 0;
  int size;
  struct mpj_type *known;
  int status = MPJ_Comm_size(comm, &size);
  if (status) return status;
  status = check(n, ranks, "ranks", schedule);
  if (!status) status = mpj_type_resolve(element, "element", &known);
  if (!status && n > 0) status = mpj_need(offsets, "offsets");
  if (!status && nroots < 0)
    status = mpj_error(MPJ_ERR_ARG, "nroots is %" PRId64 ", must be at least 0", nroots);
  if (!status) status = check_pairs(n, ranks, offsets, size, &furthest);
  if (!status) status = mpj_wants_begin(&r.wants, (size_t)n, size - 1, furthest);
  for (MPJ_Count i = 0; i < n && !status; i++)
    mpj_wants_put(&r.wants, (size_t)i, ranks[i], offsets[i]);
  if (!status) status = take_places(&r, places);
  status = make(&r, "graph", NULL, nroots, element, comm, status);
  if (!status) *schedule = r.s;
  return status;
}
