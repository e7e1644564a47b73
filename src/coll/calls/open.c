/* This file counts the operations that are under way. */
#include "coll/calls/request.h"
#include "coll/comm/context.h"

/* By the user, who knows the composed request alone whose operation it is. */
static bool is_freed(const struct mpj_request *r)
{
  return r->whole ? r->whole->freed : r->freed;
}

static uint64_t open_on(const struct mpj_comm *comm, bool given_up)
{
  uint64_t open = 0;
  for (const struct mpj_request *r = comm->queued; r; r = r->next) /* CHECKING: it has a slot */
    open += r->state == MPJ_REQUEST_QUEUED && is_freed(r) == given_up;
  for (unsigned i = 0; i < mpj_comm_slots(comm); i++) {
    const struct mpj_slot *slot = comm->slots[i];
    const struct mpj_request *r = slot->ended ? slot->owner : NULL;
    const bool freed = r && is_freed(r);
    open += slot->active && !slot->tells && freed == given_up;
  }
  return open;
}

uint64_t mpj_context_open(const struct mpj_context *context, bool given_up)
{
  uint64_t open = given_up ? context->given_up : 0; /* between two operations they have none */
  for (const struct mpj_comm *comm = context->live; comm; comm = comm->after)
    open += open_on(comm, given_up);
  return open;
}
