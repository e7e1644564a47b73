/* This file is the public calls for communicators that are tori, and for what their neighbourhoods
 * go by.
 *
 * Making one is a collective of the parent. First an Allreduce of the highest and lowest digest of
 * the ranks' shapes, and of how their arguments' checks went; where the shapes differ, two more,
 * which tell everybody which two ranks differ and how; else a communicator is made as by
 * MPJ_Comm_dup, and each rank notes the shape. Cost: one Allreduce of 24 bytes more than that. */
#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/comm_make.h"
#include "coll/comm/context.h"
#include "coll/threads/hold.h"
#include "coll/torus/shape.h"

/* numbers[n] := combined over all ranks. Together. */
static int combine(struct mpj_comm *comm, int64_t *numbers, int n, MPJ_Op op)
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_contiguous(n, MPJ_INT64, &type);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&type);
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = MPJ_PART_OF_COMM_CREATE_TORUS,
                                  .sendbuf = MPJ_IN_PLACE,
                                  .sendtype = type,
                                  .recvbuf = numbers,
                                  .recvtype = type,
                                  .op = op,
                                  .comm = mpj_comm_handle(comm)};
  /* without a type the call fails, and the others hear of it */
  const int called = mpj_call_blocking(&a);
  if (status == MPJ_SUCCESS) status = called;
  if (type != MPJ_DATATYPE_NULL) MPJ_Type_free(&type);
  return status;
}

/* The shapes differ: the lowest rank with the highest digest, and the one with the lowest, show
 * theirs to all. */
static int name_difference(struct mpj_comm *comm, const struct mpj_torus *mine, bool is_highest,
                           bool is_lowest)
{
  enum { WORDS = (sizeof *mine + 7) / 8 };
  int64_t who[2] = {is_highest ? comm->size - comm->rank : 0,
                    is_lowest ? comm->size - comm->rank : 0};
  int64_t shapes[2][WORDS] = {{0}};
  int status = combine(comm, who, 2, MPJ_MAX);
  if (status != MPJ_SUCCESS) return status;
  for (int i = 0; i < 2; i++)
    if (comm->size - who[i] == comm->rank) memcpy(shapes[i], mine, sizeof *mine);
  status = combine(comm, shapes[0], 2 * WORDS, MPJ_BOR);
  if (status != MPJ_SUCCESS) return status;
  const int first = who[0] > who[1] ? 0 : 1;
  char text[2][110];
  for (int i = 0; i < 2; i++) {
    struct mpj_torus shown;
    memcpy(&shown, shapes[i], sizeof shown);
    if (shown.ndims < 0 || shown.ndims > MPJ_TORUS_DIMS_MAX) shown.ndims = 0;
    mpj_torus_text(&shown, text[i], sizeof text[i]);
  }
  return mpj_error(MPJ_ERR_ARG, "dims is %s on rank %d, but %s on rank %d", text[first],
                   (int)(comm->size - who[first]), text[1 - first],
                   (int)(comm->size - who[1 - first]));
}

/* Whether all ranks gave good arguments and the same shape; together. `status`: of this rank's own,
 * with the thread's detail. */
static int agree_on_shape(struct mpj_comm *comm, const struct mpj_torus *mine, int status)
{
  enum { RANK_BITS = 31 };
  char why[240] = "";
  const int64_t digest = mpj_torus_digest(mine);
  int64_t numbers[3] = {0, digest, -digest};
  if (status != MPJ_SUCCESS) {
    mpj_error_keep(why, sizeof why);
    numbers[0] = (int64_t)((uint64_t)(uint32_t)status << RANK_BITS) | comm->rank;
    numbers[1] = numbers[2] = INT64_MIN; /* no shape */
  }
  const int heard = combine(comm, numbers, 3, MPJ_MAX);
  if (status != MPJ_SUCCESS) return mpj_error(status, "%s", why);
  if (heard != MPJ_SUCCESS) return heard;
  if (numbers[0] != 0) {
    const int code = (int)(uint32_t)((uint64_t)numbers[0] >> RANK_BITS);
    return mpj_error(code, "rank %d failed: %s", (int)(numbers[0] & INT32_MAX),
                     mpj_error_name(code));
  }
  if (numbers[1] == -numbers[2]) return MPJ_SUCCESS;
  return name_difference(comm, mine, digest == numbers[1], digest == -numbers[2]);
}

int MPJ_Comm_create_torus(MPJ_Comm handle, int ndims, const int dims[], const int periodic[],
                          int reorder, MPJ_Comm *newcomm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  (void)reorder; /* a permission, which is not needed: see comm.h */
  struct mpj_comm *comm = NULL;
  struct mpj_torus shape;
  int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_torus_begin(&shape, ndims, dims, periodic, comm->size);
  if (status == MPJ_SUCCESS && !newcomm) status = mpj_error(MPJ_ERR_ARG, "newcomm is NULL");
  status = agree_on_shape(comm, &shape, status);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_torus *kept = mpj_torus_copy(&shape);
  struct mpj_wish wish = {.member = true, .is_all = true, .n = -1};
  if (!kept) wish.status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the shape of a torus");
  struct mpj_comm_exchange exchange =
      mpj_comm_exchange_of_comm(comm, MPJ_PART_OF_COMM_CREATE_TORUS);
  MPJ_Comm made = MPJ_COMM_NULL;
  status = mpj_comm_make(&exchange, &wish, &made);
  if (status != MPJ_SUCCESS) {
    mpj_free(kept);
    return status;
  }
  mpj_context_comm(comm->context, (uint32_t)(uintptr_t)made)->torus = kept;
  *newcomm = made;
  return MPJ_SUCCESS;
}

/* The torus that comm is. */
static int resolve_torus(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_any(handle, comm);
  if (status != MPJ_SUCCESS) return status;
  if ((*comm)->torus) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_COMM, "comm is no torus: MPJ_Comm_create_torus did not make it");
}

/* Whether the caller's arrays have room. */
static int check_room(const struct mpj_torus *torus, int maxdims)
{
  if (maxdims >= torus->ndims) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "maxdims is %d, comm has %d dimensions", maxdims, torus->ndims);
}

int MPJ_Comm_torus(MPJ_Comm handle, int maxdims, int *ndims, int dims[], int periodic[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_torus none = {0}, *t = comm->torus ? comm->torus : &none;
  if (!ndims) return mpj_error(MPJ_ERR_ARG, "ndims is NULL");
  if (dims || periodic) status = check_room(t, maxdims);
  if (status != MPJ_SUCCESS) return status;
  const size_t bytes = (size_t)t->ndims * sizeof *dims;
  if (dims) memcpy(dims, t->dims, bytes);
  if (periodic) memcpy(periodic, t->periodic, bytes);
  *ndims = t->ndims;
  return MPJ_SUCCESS;
}

int MPJ_Comm_coords(MPJ_Comm handle, int rank, int maxdims, int coords[])
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  int status = resolve_torus(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (rank < 0 || rank >= comm->size)
    return mpj_error(MPJ_ERR_ARG, "rank is %d, comm has ranks 0 to %d", rank, comm->size - 1);
  if (!coords) return mpj_error(MPJ_ERR_ARG, "coords is NULL");
  status = check_room(comm->torus, maxdims);
  if (status != MPJ_SUCCESS) return status;
  mpj_torus_coords(comm->torus, rank, coords);
  return MPJ_SUCCESS;
}

int MPJ_Comm_rank_at(MPJ_Comm handle, const int coords[], int *rank)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = resolve_torus(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!coords) return mpj_error(MPJ_ERR_ARG, "coords is NULL");
  if (!rank) return mpj_error(MPJ_ERR_ARG, "rank is NULL");
  return mpj_torus_rank(comm->torus, coords, rank);
}

int MPJ_Comm_set_qualifies(MPJ_Comm handle, MPJ_Comm_qualifies_fn *fn, void *ctx)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  comm->qualifies = fn;
  comm->qualifies_ctx = ctx;
  return MPJ_SUCCESS;
}

int MPJ_Neighbourhood_counts(MPJ_Count *put, MPJ_Count *fifo)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  if (status != MPJ_SUCCESS) return status;
  if (put) *put = (MPJ_Count)context->went[1];
  if (fifo) *fifo = (MPJ_Count)context->went[0];
  return MPJ_SUCCESS;
}
