/* This file keeps the free lists that make repeated collectives allocate nothing, and the list of
 * communicators that have something to do. */
#include "coll/run/comm_records.h"
#include "base/memory.h"
#include "coll/comm/context.h"

void mpj_comm_list(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  comm->busy = true;
  comm->next = context->busy;
  if (!comm->next) context->last_busy = comm;
  context->busy = comm;
  context->nbusy++;
}

static struct mpj_transfer *make_transfer(struct mpj_comm *comm)
{
  comm->ntransfers++;
  return mpj_alloc_array(1, sizeof(struct mpj_transfer));
}

static struct mpj_early *make_early(struct mpj_comm *comm)
{
  comm->nearly++;
  return mpj_alloc(sizeof(struct mpj_early));
}

/* Records are the user's: a persistent request keeps none of its own. */

struct mpj_transfer *mpj_comm_new_transfer(struct mpj_comm *comm)
{
  comm = mpj_comm_user(comm);
  struct mpj_transfer *t = comm->free_transfers;
  if (!t) return make_transfer(comm);
  comm->free_transfers = t->next;
  t->sending = t->begun = t->copying = t->has_cursor = false;
  return t;
}

void mpj_comm_drop_transfer(struct mpj_comm *comm, struct mpj_transfer *transfer)
{
  comm = mpj_comm_user(comm);
  transfer->next = comm->free_transfers;
  comm->free_transfers = transfer;
}

struct mpj_early *mpj_comm_new_early(struct mpj_comm *comm)
{
  comm = mpj_comm_user(comm);
  struct mpj_early *e = comm->free_early;
  if (!e) return make_early(comm);
  comm->free_early = e->next;
  return e;
}

void mpj_comm_drop_early(struct mpj_comm *comm, struct mpj_early *early)
{
  comm = mpj_comm_user(comm);
  early->next = comm->free_early;
  comm->free_early = early;
}

static unsigned at_most_reserved(unsigned n)
{
  return n < MPJ_RECORDS_RESERVED ? n : MPJ_RECORDS_RESERVED;
}

void mpj_comm_reserve(struct mpj_comm *comm, const struct mpj_schedule *schedule)
{
  unsigned sends = 0, recvs = 0;
  if (comm->context->shared) return; /* there are too many of them */
  comm = mpj_comm_user(comm);
  for (unsigned i = 0; i < schedule->nsteps; i++) {
    const unsigned kind = schedule->steps[i].kind;
    sends += kind == MPJ_STEP_SEND;
    recvs += kind == MPJ_STEP_RECV;
  }
  while (comm->ntransfers < at_most_reserved(sends + recvs)) {
    struct mpj_transfer *t = make_transfer(comm);
    if (!t) return;
    mpj_comm_drop_transfer(comm, t);
  }
  while (comm->nearly < at_most_reserved(recvs * MPJ_WINDOW)) {
    struct mpj_early *e = make_early(comm);
    if (!e) return;
    mpj_comm_drop_early(comm, e);
  }
}
