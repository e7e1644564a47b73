/* This file keeps data for ranks that are late. */
#include "coll/steps/parked.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

struct mpj_parked {
  struct mpj_parked *next, **link; /* in its context's list; what points at it there */
  struct mpj_layout *byte;         /* retained: the exposed view is of it */
  _Alignas(16) unsigned char data[];
};

static void drop(struct mpj_parked *p)
{
  *p->link = p->next;
  if (p->next) p->next->link = p->link;
  mpj_layout_release(p->byte);
  mpj_free(p);
}

/* Taken, or not wanted, or it cannot be had any more. */
static void on_taken(void *arg, int status)
{
  (void)status;
  drop(arg);
}

/* The step's data, to where it stays. */
static int copy(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step,
                void *to)
{
  struct mpj_cursor from;
  if (!comm->net->pack) return mpj_end_pack(comm, slot, &step->from, to, step->bytes);
  int status = mpj_end_cursor(comm, slot, &step->from, step->bytes, &from);
  if (status != MPJ_SUCCESS) return status;
  status = comm->net->pack(comm->net, &from, to, step->bytes);
  mpj_cursor_end(&from);
  return status;
}

int mpj_park(struct mpj_comm *comm, struct mpj_slot *slot, const struct mpj_plan_step *step)
{
  const MPJ_Count bytes = step->bytes;
  const int peer = mpj_comm_peer(comm, step->peer);
  struct mpj_arrival_message m;
  struct mpj_context *context = comm->context;
  struct mpj_am_remote remote;
  struct mpj_parked *p = mpj_alloc(sizeof *p + (size_t)bytes);
  if (!p)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to keep %lld bytes for rank %d", (long long)bytes,
                     peer);
  p->byte = mpj_layout_retain(comm->byte.layout);
  p->next = context->parked;
  p->link = &context->parked;
  if (p->next) p->next->link = &p->next;
  context->parked = p;
  const struct mpj_view view = {p->byte, bytes, 1, 0};
  int status = copy(comm, slot, step, p->data);
  if (status == MPJ_SUCCESS)
    status = mpj_net_expose(comm->net, &view, p->data, 1, on_taken, p, &remote);
  if (status != MPJ_SUCCESS) {
    drop(p);
    return status;
  }
  mpj_step_message(slot, step, mpj_comm_id_at(comm, peer), &m);
  m.kind = MPJ_ARRIVAL_ADVERT;
  memcpy(m.data, &remote, sizeof remote);
  status = mpj_net_short(comm->net, mpj_comm_world(comm, peer), MPJ_AM_COLLECTIVE, &m,
                         MPJ_ARRIVAL_HEADER + sizeof remote);
  if (status != MPJ_SUCCESS) {
    mpj_net_withdraw(comm->net, &remote, false);
    drop(p);
  }
  return status;
}

void mpj_parked_end(struct mpj_context *context)
{
  while (context->parked)
    drop(context->parked);
}
