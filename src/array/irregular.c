/* This file makes irregular schedules: each rank names the elements that it wants, by global
 * subscripts or by ranks and offsets. What is named repeatedly travels once; a pair's elements go
 * in the order of their offsets. */
#include <inttypes.h>
#include <stdlib.h>

#include "array/ends.h"
#include "array/negotiate.h"
#include "base/checked.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

/* One element that is wanted, and where it goes. */
struct want {
  int rank;
  MPJ_Count offset, i, place;
};

/* An element wanted once or more: wants[first] is the first one that was named. */
struct unique {
  size_t first, n;
};

struct irregular {
  struct mpj_array_schedule *s;
  size_t n, nunique;
  struct want *wants;     /* [n] owned */
  struct unique *uniques; /* [nunique] owned, by rank and offset */
  struct mpj_requests_of wanted, owed;
};

static int no_memory(size_t n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu subscripts", n);
}

static int by_element(const void *a, const void *b)
{
  const struct want *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
  return x->i < y->i ? -1 : x->i > y->i;
}

static bool same_element(const struct want *a, const struct want *b)
{
  return a->rank == b->rank && a->offset == b->offset;
}

/* Sort what is wanted, and find what is wanted repeatedly. */
static int find_uniques(struct irregular *r)
{
  size_t npeers = 0;
  qsort(r->wants, r->n, sizeof *r->wants, by_element);
  for (size_t i = 0; i < r->n; i++) {
    r->nunique += i == 0 || !same_element(&r->wants[i], &r->wants[i - 1]);
    npeers += i == 0 || r->wants[i].rank != r->wants[i - 1].rank;
  }
  r->uniques = mpj_alloc_array(r->nunique, sizeof *r->uniques);
  r->wanted.peers = mpj_alloc_array(npeers, sizeof *r->wanted.peers);
  r->wanted.offsets = mpj_alloc_array(r->nunique, sizeof *r->wanted.offsets);
  if (!r->uniques || !r->wanted.peers || !r->wanted.offsets) return no_memory(r->nunique);
  size_t u = 0;
  for (size_t i = 0; i < r->n; i++) {
    const struct want *w = &r->wants[i];
    if (i > 0 && same_element(w, w - 1)) {
      r->uniques[u - 1].n++;
      continue;
    }
    if (i == 0 || w->rank != w[-1].rank)
      r->wanted.peers[r->wanted.npeers++] = (struct mpj_asked){w->rank, (MPJ_Count)u, 0};
    r->wanted.peers[r->wanted.npeers - 1].n++;
    r->wanted.offsets[u] = w->offset;
    r->uniques[u++] = (struct unique){i, 1};
  }
  return MPJ_SUCCESS;
}

/* A patch of elements at displs[n], for a rank. */
static int add_elements(const struct irregular *r, struct mpj_patches *patches, int rank,
                        MPJ_Count n, const MPJ_Aint displs[])
{
  MPJ_Datatype type;
  const int status = MPJ_Type_create_hindexed_block(n, 1, displs, r->s->element, &type);
  return status ? status : mpj_patches_add(patches, rank, 0, type);
}

/* What comes goes to the first place that each was named for. */
static int list_wanted(const struct irregular *r, MPJ_Aint displs[])
{
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->wanted.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->wanted.peers[p];
    for (MPJ_Count k = 0; k < peer->n && !status; k++)
      if (!mpj_mul_aint(r->wants[r->uniques[peer->first + k].first].place, r->s->extent,
                        &displs[k]))
        status = mpj_error(MPJ_ERR_OVERFLOW, "a place exceeds 64 bits");
    if (!status) status = add_elements(r, &r->s->in, peer->rank, peer->n, displs);
  }
  return status;
}

static int list_owed(const struct irregular *r, MPJ_Aint displs[])
{
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->owed.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->owed.peers[p];
    for (MPJ_Count k = 0; k < peer->n; k++)
      displs[k] = r->owed.offsets[peer->first + k] * r->s->extent; /* checked: it is inside */
    status = add_elements(r, &r->s->out, peer->rank, peer->n, displs);
  }
  return status;
}

/* The number of each unique when they are sorted by falling number of places: number[nunique]. */
static void number_uniques(const struct irregular *r, MPJ_Count number[], MPJ_Count begin[],
                           size_t most)
{
  for (size_t u = 0; u < r->nunique; u++)
    begin[most - r->uniques[u].n + 1]++;
  for (size_t k = 1; k <= most; k++)
    begin[k] += begin[k - 1];
  for (size_t u = 0; u < r->nunique; u++)
    number[u] = begin[most - r->uniques[u].n]++;
}

static int type_of_uniques(const struct irregular *r, const MPJ_Count number[], MPJ_Aint displs[])
{
  struct mpj_patches patches = {0};
  int status = MPJ_SUCCESS;
  for (size_t p = 0; p < r->wanted.npeers && !status; p++) {
    const struct mpj_asked *peer = &r->wanted.peers[p];
    for (MPJ_Count k = 0; k < peer->n; k++)
      displs[k] = number[peer->first + k] * r->s->true_extent - r->s->true_lb;
    status = add_elements(r, &patches, peer->rank, peer->n, displs);
  }
  if (!status) status = mpj_patches_type(&patches, r->s->size, &r->s->spread.uniques);
  mpj_patches_end(&patches);
  return status;
}

/* The phase that spreads what was named repeatedly; all ranks have it. */
static int add_spread(const struct irregular *r, MPJ_Aint displs[])
{
  struct mpj_spread *spread = &r->s->spread;
  size_t most = 0;
  r->s->phases[r->s->nphases++] = (struct mpj_phase){.kind = MPJ_PHASE_SPREAD};
  if (r->nunique == r->n) return MPJ_SUCCESS;
  for (size_t u = 0; u < r->nunique; u++)
    if (r->uniques[u].n > most) most = r->uniques[u].n;
  MPJ_Count *number = mpj_alloc_array(r->nunique, sizeof *number);
  MPJ_Count *begin = mpj_alloc_array(most + 1, sizeof *begin);
  spread->nunique = (MPJ_Count)r->nunique;
  spread->first = mpj_alloc_array(r->nunique + 1, sizeof *spread->first);
  spread->places = mpj_alloc_array(r->n, sizeof *spread->places);
  int status = number && begin && spread->first && spread->places ? MPJ_SUCCESS : no_memory(r->n);
  if (!status) {
    number_uniques(r, number, begin, most);
    for (size_t u = 0; u < r->nunique; u++)
      spread->first[number[u] + 1] = (MPJ_Count)r->uniques[u].n;
    for (size_t u = 0; u < r->nunique; u++)
      spread->first[u + 1] += spread->first[u];
    for (size_t u = 0; u < r->nunique; u++)
      for (size_t k = 0; k < r->uniques[u].n; k++)
        spread->places[(size_t)spread->first[number[u]] + k] =
            r->wants[r->uniques[u].first + k].place;
    status = type_of_uniques(r, number, displs);
  }
  mpj_free(number);
  mpj_free(begin);
  return status;
}

static int lay(const struct irregular *r)
{
  MPJ_Count most = 0;
  for (size_t p = 0; p < r->wanted.npeers; p++)
    if (r->wanted.peers[p].n > most) most = r->wanted.peers[p].n;
  for (size_t p = 0; p < r->owed.npeers; p++)
    if (r->owed.peers[p].n > most) most = r->owed.peers[p].n;
  MPJ_Aint *displs = mpj_alloc_array((size_t)most, sizeof *displs);
  if (!displs) return no_memory((size_t)most);
  r->s->overlap = true;
  int status = list_wanted(r, displs);
  if (!status) status = list_owed(r, displs);
  if (!status) status = mpj_array_schedule_exchange(r->s);
  if (!status) status = add_spread(r, displs);
  mpj_free(displs);
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
  status = mpj_array_agree(comm, status, 0, NULL);
  if (!status) status = mpj_negotiate(comm, &r->wanted, &r->owed);
  if (!status) status = own_offsets(array, nroots, &r->owed);
  if (!status) status = lay(r);
  status = mpj_array_agree(comm, status, 0, NULL);
  if (status) {
    mpj_array_schedule_release(r->s);
    r->s = NULL;
  }
  mpj_free(r->wants);
  mpj_free(r->uniques);
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
  r->wants = mpj_alloc_array(r->n, sizeof *r->wants);
  return r->wants ? MPJ_SUCCESS : no_memory(r->n);
}

/* The copy and the offset in its least local array of what a subscript names. */
static int want_index(const struct mpj_grid_array *a, MPJ_Count i, const MPJ_Count index[],
                      struct want *want)
{
  struct mpj_stretch stretch;
  MPJ_Count sizes[MPJ_ARRAY_DIMS_MAX], strides[MPJ_ARRAY_DIMS_MAX], local[MPJ_ARRAY_DIMS_MAX];
  int coords[MPJ_ARRAY_DIMS_MAX];
  for (int d = 0; d < a->ndims; d++) {
    const struct mpj_axis *axis = &a->axes[d];
    if (index[d] < 0 || index[d] >= axis->size)
      return mpj_error(MPJ_ERR_ARG,
                       "index[%" PRId64 "][%d] is %" PRId64 ", the axis has %" PRId64 " indices", i,
                       d, index[d], axis->size);
    mpj_axis_at(axis, index[d], &stretch);
    if (axis->grid_dim >= 0) coords[axis->grid_dim] = stretch.coord;
    local[d] = axis->low + stretch.local + index[d] - stretch.start;
  }
  mpj_nearest_copy(a, a->rank, coords);
  want->rank = mpj_array_rank_at(a, coords);
  mpj_array_shape(a, false, coords, sizes, strides);
  for (int d = 0; d < a->ndims; d++)
    want->offset += local[d] * strides[d];
  return MPJ_SUCCESS;
}

static int take_place(const MPJ_Count places[], MPJ_Count i, struct want *want)
{
  want->i = i;
  want->place = places ? places[i] : i;
  if (want->place >= 0) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "places[%" PRId64 "] is %" PRId64 ", must be at least 0", i,
                   want->place);
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
  for (MPJ_Count i = 0; i < n && !status; i++) {
    status = want_index(a, i, index + i * a->ndims, &r.wants[i]);
    if (!status) status = take_place(places, i, &r.wants[i]);
  }
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
    r.wants[i].rank = ranks[i];
    r.wants[i].offset = offsets[i];
    if (!status) status = take_place(places, i, &r.wants[i]);
  }
  status = make(&r, "graph", NULL, nroots, element, comm, status);
  if (!status) *schedule = r.s;
  return status;
}
