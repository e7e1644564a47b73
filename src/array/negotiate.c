/* This file negotiates irregular exchanges. Numbers travel as those of a dissemination do: in round
 * k a rank sends on, by 2^k ranks, what still has that bit of its way before it. */
#include "array/negotiate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* A number on its way. */
struct parcel {
  int64_t way; /* ranks still to go, modulo p */
  int64_t origin, n;
};

struct parcels {
  size_t n, room;
  struct parcel *list; /* owned */
};

void mpj_requests_end(struct mpj_requests_of *r)
{
  mpj_free(r->peers);
  mpj_free(r->offsets);
  *r = (struct mpj_requests_of){0};
}

static int no_memory(size_t n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu requests", n);
}

static int reserve(struct parcels *p, size_t more)
{
  if (p->n + more <= p->room) return MPJ_SUCCESS;
  const size_t room = 2 * (p->n + more);
  struct parcel *list = mpj_alloc_array(room, sizeof *list);
  if (!list) return no_memory(room);
  if (p->n > 0) memcpy(list, p->list, p->n * sizeof *list);
  mpj_free(p->list);
  p->list = list;
  p->room = room;
  return MPJ_SUCCESS;
}

/* A sparse type of one part: n numbers of 64 bits for one rank. */
static int numbers_for(int size, int rank, MPJ_Count n, MPJ_Datatype *type)
{
  const MPJ_Count part = rank;
  const MPJ_Aint zero = 0;
  MPJ_Datatype row;
  int status = MPJ_Type_contiguous(n, MPJ_INT64, &row);
  if (status) return status;
  status = MPJ_Type_create_sparse(size, 1, &part, &zero, &row, type);
  MPJ_Type_free(&row);
  return status ? status : MPJ_Type_commit(type);
}

/* n numbers to one rank, m from another. */
static int pass(MPJ_Comm comm, int size, int to, const int64_t *sent, MPJ_Count n, int from,
                int64_t *received, MPJ_Count m)
{
  MPJ_Datatype send = MPJ_DATATYPE_NULL, recv = MPJ_DATATYPE_NULL;
  int status = numbers_for(size, to, n, &send);
  if (!status) status = numbers_for(size, from, m, &recv);
  const int passed = MPJ_Alltoall(sent, send, received, recv, comm); /* also to tell the others */
  if (send) MPJ_Type_free(&send);
  if (recv) MPJ_Type_free(&recv);
  return status ? status : passed;
}

/* Send on what has this bit of its way to go, and take in what comes. */
static int hop(MPJ_Comm comm, int size, int rank, int64_t bit, struct parcels *held)
{
  enum { FIELDS = sizeof(struct parcel) / sizeof(int64_t) };
  const int to = (int)((rank + bit) % size), from = (int)((rank - bit + size) % size);
  struct parcels gone = {0};
  int64_t sent, coming = 0;
  size_t kept = 0;
  int status = reserve(&gone, held->n + 1);
  for (size_t i = 0; i < held->n && !status; i++) {
    struct parcel *p = &held->list[i];
    if (p->way & bit) {
      gone.list[gone.n] = *p;
      gone.list[gone.n++].way -= bit;
    } else {
      held->list[kept++] = *p;
    }
  }
  if (!status) held->n = kept;
  sent = (int64_t)gone.n;
  const int told = pass(comm, size, to, &sent, 1, from, &coming, 1);
  if (!status) status = told;
  if (!status) status = reserve(held, (size_t)coming + 1);
  if (status) /* the others hear of it */
    MPJ_Alltoall(NULL, MPJ_DATATYPE_NULL, NULL, MPJ_DATATYPE_NULL, comm);
  else
    status = pass(comm, size, to, (const int64_t *)gone.list, sent * FIELDS, from,
                  (int64_t *)(held->list + held->n), coming * FIELDS);
  if (!status) held->n += (size_t)coming;
  mpj_free(gone.list);
  return status;
}

static int by_origin(const void *a, const void *b)
{
  const struct parcel *x = a, *y = b;
  return x->origin < y->origin ? -1 : x->origin > y->origin;
}

/* What has arrived, as peers, with room for their offsets; what this rank asks itself for is there.
 */
static int list_owed(struct parcels *arrived, int size, int rank,
                     const struct mpj_requests_of *wanted, struct mpj_requests_of *owed)
{
  MPJ_Count total = 0, at = 0;
  const struct mpj_asked *own = NULL;
  for (size_t i = 0; i < wanted->npeers; i++)
    if (wanted->peers[i].rank == rank) own = &wanted->peers[i];
  qsort(arrived->list, arrived->n, sizeof *arrived->list, by_origin);
  owed->peers = mpj_alloc_array(arrived->n, sizeof *owed->peers);
  if (!owed->peers) return no_memory(arrived->n);
  for (size_t i = 0; i < arrived->n; i++) {
    const struct parcel *p = &arrived->list[i];
    if (p->way != 0 || p->origin < 0 || p->origin >= size || p->n < 0 ||
        p->n > INT64_MAX / 16 - total || (i > 0 && p->origin == arrived->list[i - 1].origin) ||
        (p->origin == rank && (!own || own->n != p->n)))
      return mpj_error(MPJ_ERR_FORMAT, "requests for elements have been garbled on their way");
    owed->peers[owed->npeers++] = (struct mpj_asked){(int)p->origin, p->n, NULL};
    total += p->origin == rank ? 0 : p->n;
  }
  owed->offsets = mpj_alloc_work((size_t)total, sizeof *owed->offsets);
  if (!owed->offsets) return no_memory((size_t)total);
  for (size_t i = 0; i < owed->npeers; i++) {
    struct mpj_asked *p = &owed->peers[i];
    p->offsets = p->rank == rank ? own->offsets : owed->offsets + at;
    at += p->rank == rank ? 0 : p->n;
  }
  return MPJ_SUCCESS;
}

/* The type of the offsets, relative to those of all, with a part for each peer but `except`. */
static int offsets_type(const struct mpj_requests_of *r, int size, int except, MPJ_Datatype *type)
{
  MPJ_Count *parts = mpj_alloc_array(r->npeers, sizeof *parts), n = 0;
  MPJ_Aint *displs = mpj_alloc_array(r->npeers, sizeof *displs);
  MPJ_Datatype *types = mpj_alloc_array(r->npeers, sizeof *types);
  int status = parts && displs && types ? MPJ_SUCCESS : no_memory(r->npeers);
  for (size_t i = 0; i < r->npeers && !status; i++) {
    const struct mpj_asked *p = &r->peers[i];
    if (p->rank == except) continue;
    parts[n] = p->rank;
    displs[n] = (p->offsets - r->offsets) * (MPJ_Aint)sizeof *p->offsets;
    status = MPJ_Type_contiguous(p->n, MPJ_INT64, &types[n]);
    n += !status;
  }
  if (!status) status = MPJ_Type_create_sparse(size, n, parts, displs, types, type);
  if (!status) status = MPJ_Type_commit(type);
  while (n > 0)
    MPJ_Type_free(&types[--n]);
  mpj_free(parts);
  mpj_free(displs);
  mpj_free(types);
  return status;
}

int mpj_exchange_numbers(MPJ_Comm comm, int size, int except, const struct mpj_requests_of *wanted,
                         struct mpj_requests_of *owed)
{
  MPJ_Datatype send = MPJ_DATATYPE_NULL, recv = MPJ_DATATYPE_NULL;
  int status = offsets_type(wanted, size, except, &send);
  if (!status) status = offsets_type(owed, size, except, &recv);
  const int passed = MPJ_Alltoall(wanted->offsets, send, owed->offsets, recv, comm);
  if (send) MPJ_Type_free(&send);
  if (recv) MPJ_Type_free(&recv);
  return status ? status : passed;
}

int mpj_negotiate(MPJ_Comm comm, const struct mpj_requests_of *wanted, struct mpj_requests_of *owed)
{
  struct parcels held = {0};
  int size, rank;
  *owed = (struct mpj_requests_of){0};
  int status = MPJ_Comm_size(comm, &size);
  if (!status) status = MPJ_Comm_rank(comm, &rank);
  if (!status) status = reserve(&held, wanted->npeers + 1);
  for (size_t i = 0; i < wanted->npeers && !status; i++) {
    const struct mpj_asked *p = &wanted->peers[i];
    held.list[held.n++] = (struct parcel){((int64_t)p->rank - rank + size) % size, rank, p->n};
  }
  status = mpj_array_agree(comm, status, 0, NULL);
  for (int64_t bit = 1; bit < size && !status; bit *= 2)
    status = mpj_array_agree(comm, hop(comm, size, rank, bit, &held), 0, NULL);
  if (!status) status = mpj_array_agree(comm, list_owed(&held, size, rank, wanted, owed), 0, NULL);
  if (!status) status = mpj_exchange_numbers(comm, size, rank, wanted, owed);
  mpj_free(held.list);
  if (status) mpj_requests_end(owed);
  return status;
}
