/* This file sets communicators up, resolves their handles, and keeps the free
 * lists that make repeated collectives allocate nothing. */
#include "coll/comm.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/context.h"
#include "types/basic.h"

int mpj_comm_begin(struct mpj_comm *comm, struct mpj_context *context, uint32_t id,
                   unsigned control, int rank, int size, struct mpj_net *net)
{
  comm->context = context;
  comm->id = id;
  comm->control = control;
  comm->rank = rank;
  comm->size = size;
  comm->net = size > 1 ? net : NULL;
  comm->oversubscribed = net && size > net->cores;
  comm->no_steps.root = -1;
  for (unsigned i = 0; i < MPJ_BITS_MAX; i++)
    comm->no_steps.step_of_bit[i] = MPJ_NO_STEP;
  comm->known_done = mpj_alloc_array((size_t)size, sizeof *comm->known_done);
  if (!comm->known_done)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator of %d ranks", size);
  const int status = mpj_layout_run(mpj_basic_of_handle(MPJ_BYTE), 1, &comm->byte);
  if (status != MPJ_SUCCESS) mpj_free(comm->known_done);
  return status;
}

void mpj_comm_end(struct mpj_comm *comm)
{
  for (unsigned i = 0; i < MPJ_WINDOW; i++) {
    mpj_early_drop_all(comm, &comm->slots[i]);
    mpj_slot_release(&comm->slots[i]);
  }
  for (unsigned i = 0; i < comm->ncached; i++)
    mpj_schedule_free(comm->cached[i]);
  while (comm->free_transfers) {
    struct mpj_transfer *t = comm->free_transfers;
    comm->free_transfers = t->next;
    mpj_free(t);
  }
  while (comm->free_early) {
    struct mpj_early *e = comm->free_early;
    comm->free_early = e->next;
    mpj_free(e);
  }
  mpj_layout_release(comm->byte.layout);
  mpj_free(comm->known_done);
}

static int no_context(const struct mpj_context *context)
{
  if (context) return mpj_error(MPJ_ERR_COMM, "comm cannot be used: MPJ_Finalize has been called");
  return mpj_error(MPJ_ERR_COMM, "comm cannot be used: this thread is no rank and MPJ_Init has not "
                                 "been called");
}

int mpj_comm_resolve_any(MPJ_Comm handle, struct mpj_comm **comm)
{
  struct mpj_context *context = mpj_context_current();
  if (handle == MPJ_COMM_NULL) return mpj_error(MPJ_ERR_COMM, "comm is MPJ_COMM_NULL");
  if (handle != MPJ_COMM_WORLD && handle != MPJ_COMM_SELF)
    return mpj_error(MPJ_ERR_COMM, "comm %p is no communicator", (void *)handle);
  if (!context || context->state != MPJ_CONTEXT_LIVE) return no_context(context);
  *comm = handle == MPJ_COMM_WORLD ? &context->world : &context->self;
  return MPJ_SUCCESS;
}

int mpj_comm_check(const struct mpj_comm *comm)
{
  if (comm->broken_code == 0) return MPJ_SUCCESS;
  return mpj_error(comm->broken_code, "comm has been broken since rank %d failed: %s",
                   comm->broken_rank, comm->broken_why);
}

int mpj_comm_resolve(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_any(handle, comm);
  return status == MPJ_SUCCESS ? mpj_comm_check(*comm) : status;
}

uint64_t mpj_comm_open(const struct mpj_comm *comm)
{
  uint64_t open = comm->queued ? 1 : 0;
  for (unsigned i = 0; i < MPJ_WINDOW; i++)
    open += comm->slots[i].active;
  return open;
}

struct mpj_transfer *mpj_comm_new_transfer(struct mpj_comm *comm)
{
  struct mpj_transfer *t = comm->free_transfers;
  if (!t) return mpj_alloc_array(1, sizeof *t);
  comm->free_transfers = t->next;
  t->sending = t->begun = t->has_cursor = false;
  return t;
}

void mpj_comm_drop_transfer(struct mpj_comm *comm, struct mpj_transfer *transfer)
{
  transfer->next = comm->free_transfers;
  comm->free_transfers = transfer;
}

struct mpj_early *mpj_comm_new_early(struct mpj_comm *comm)
{
  struct mpj_early *e = comm->free_early;
  if (!e) return mpj_alloc(sizeof *e);
  comm->free_early = e->next;
  return e;
}

void mpj_comm_drop_early(struct mpj_comm *comm, struct mpj_early *early)
{
  early->next = comm->free_early;
  comm->free_early = early;
}

int MPJ_Comm_rank(MPJ_Comm handle, int *rank)
{
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!rank) return mpj_error(MPJ_ERR_ARG, "rank is NULL");
  *rank = comm->rank;
  return MPJ_SUCCESS;
}

int MPJ_Comm_size(MPJ_Comm handle, int *size)
{
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (!size) return mpj_error(MPJ_ERR_ARG, "size is NULL");
  *size = comm->size;
  return MPJ_SUCCESS;
}
