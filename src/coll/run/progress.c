/* This file moves on the operations of a rank that nobody waits for just now. */
#include <mpj/peers.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/comm/context_ids.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"
#include "coll/run/relay.h"
#include "coll/threads/hold.h"
#include "net/am/am_begin.h"

/* Advance one slot; finish it if it has ended and somebody takes the outcome. */
static bool advance_slot(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (slot->walking) return false; /* its caller looks after it */
  bool moved = mpj_engine_advance(comm, slot);
  if (slot->ended && mpj_engine_is_over(comm, slot)) {
    slot->ended(slot->owner);
    moved = true;
  } else if (slot->tells && mpj_engine_is_finished(slot)) {
    mpj_engine_finish(comm, slot);
    moved = true;
  }
  return moved;
}

/* A difference has been found while no operation was under way, or the communicator has broken here
 * for lack of memory: the others are told by one that fails, as this rank may call nothing more for
 * long. */
static bool tell_difference(struct mpj_comm *comm)
{
  struct mpj_slot *slot = mpj_comm_slot(comm, comm->completed);
  const int code = slot->poison.code;
  if (comm->completed < comm->started || slot->poison_heard) return false;
  if (code != MPJ_ERR_COMM && (code != MPJ_ERR_NO_MEM || comm->broken.code != code)) return false;
  mpj_engine_start_failed(comm, MPJ_ERR_COMM)->tells = true;
  return true;
}

static bool advance_comm(struct mpj_comm *comm)
{
  bool moved = tell_difference(comm);
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    if (slot->active) moved |= advance_slot(comm, slot);
  }
  if (comm->queued) moved |= comm->context->start_queued(comm);
  if (comm->relaying) moved |= mpj_relay_advance(comm);
  return moved;
}

/* Move on the first communicator of the list, and let it be the last, which is returned; or take it
 * off, if it has nothing under way: that is done only here, so one that is used again and again
 * stays. A freed one is left. */
static struct mpj_comm *advance_first(struct mpj_context *context, bool *moved)
{
  struct mpj_comm *comm = context->busy;
  context->busy = comm->next;
  comm->next = NULL;
  context->nbusy--;
  context->busy_looked++;
  *moved |= advance_comm(comm);
  if (comm->completed < comm->started || comm->queued || comm->relaying) {
    if (context->busy)
      context->last_busy->next = comm;
    else
      context->busy = comm;
    context->last_busy = comm;
    context->nbusy++;
    return comm;
  }
  comm->busy = false;
  mpj_context_ids_consider(comm);
  return NULL;
}

bool mpj_engine_advance_all(struct mpj_context *context)
{
  bool moved = context->closing_news && mpj_closings_advance(context);
  for (unsigned n = context->nbusy; n > 0 && context->busy; n--)
    advance_first(context, &moved);
  return moved;
}

bool mpj_engine_poll(struct mpj_context *context)
{
  if (context->net) return mpj_net_poll(context->net);
  return context->am && mpj_am_advance(context->am);
}

bool mpj_engine_progress(struct mpj_context *context)
{
  bool moved = mpj_engine_poll(context);
  moved |= mpj_engine_advance_all(context);
  if (moved) context->lock.news = true;
  return moved;
}

bool mpj_engine_look_at_ranks(struct mpj_comm *comm, uint32_t changes)
{
  bool looked = false;
  for (uint64_t n = comm->completed; comm->net && n < comm->started; n++) {
    struct mpj_slot *slot = mpj_comm_slot(comm, n);
    if (!slot->active || slot->abandoned) continue;
    if (slot->changes_seen == changes && !slot->look_again) continue;
    slot->changes_seen = changes;
    mpj_notice_failures(comm, slot);
    looked |= !slot->look_again; /* else it is to hear why somebody has left */
  }
  return looked;
}

bool mpj_engine_progress_some(struct mpj_context *context, bool look)
{
  enum { SOME = 16 };
  bool moved = mpj_engine_poll(context), looked = false;
  const uint32_t changes = look && context->net ? mpj_net_changes(context->net) : 0;
  if (context->closing_news) moved |= mpj_closings_advance(context);
  for (unsigned n = context->nbusy < SOME ? context->nbusy : SOME; n > 0 && context->busy; n--) {
    struct mpj_comm *comm = advance_first(context, &moved);
    if (look && comm) looked |= mpj_engine_look_at_ranks(comm, changes);
  }
  if (moved) context->lock.news = true;
  return moved || looked;
}

int MPJ_Progress_also(void (*fn)(void *ctx), void *ctx)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *world = NULL;
  const int status = mpj_comm_resolve_any(MPJ_COMM_WORLD, &world);
  if (status == MPJ_SUCCESS && world->context->net) mpj_net_elsewhere(world->context->net, fn, ctx);
  return status;
}

int MPJ_Progress_often(int looks)
{
  MPJ_ENTRY;
  if (looks < 0) return mpj_error(MPJ_ERR_ARG, "looks is %d, must not be negative", looks);
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *world = NULL;
  const int status = mpj_comm_resolve_any(MPJ_COMM_WORLD, &world);
  if (status == MPJ_SUCCESS && world->context->net)
    mpj_net_elsewhere_often(world->context->net, (unsigned)looks);
  return status;
}
