/* This file moves on the operations of a rank that nobody waits for just now. */
#include "coll/context.h"
#include "coll/request.h"

/* Advance one slot; finish it if it has ended and a request takes the outcome. */
static bool advance_slot(struct mpj_comm *comm, struct mpj_slot *slot)
{
  bool moved = mpj_engine_advance(comm, slot);
  if (slot->request && mpj_engine_is_finished(comm, slot)) {
    mpj_request_ended(slot->request);
    moved = true;
  }
  return moved;
}

bool mpj_engine_advance_others(struct mpj_comm *comm, const struct mpj_slot *but)
{
  bool moved = false;
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = &comm->slots[n % MPJ_WINDOW];
    if (slot->active && slot != but) moved |= advance_slot(comm, slot);
  }
  if (comm->queued) moved |= mpj_requests_start(comm);
  return moved;
}

bool mpj_engine_progress(struct mpj_comm *comm)
{
  bool moved = comm->net && mpj_net_poll(comm->net);
  moved |= mpj_engine_advance_others(comm, NULL);
  return moved;
}

static bool progress_both(struct mpj_context *context)
{
  bool moved = mpj_engine_progress(&context->world);
  moved |= mpj_engine_progress(&context->self);
  return moved;
}

bool mpj_engine_progress_all(void)
{
  return progress_both(mpj_context_current());
}

/* Look whether ranks that are needed have gone (changed: some have, since the last
 * look), or after operations that wait for long. Returns whether there was a look. */
static bool look_at_ranks(struct mpj_comm *comm, bool changed)
{
  bool looked = false;
  for (uint64_t n = comm->completed; n < comm->started; n++) {
    struct mpj_slot *slot = &comm->slots[n % MPJ_WINDOW];
    if (!slot->active || slot->abandoned || !(changed || slot->look_again)) continue;
    mpj_notice_failures(comm, slot);
    looked = true;
  }
  return looked;
}

/* The oldest operation is the one that keeps the others waiting. */
static void watch(struct mpj_comm *comm)
{
  if (comm->completed < comm->started) mpj_watch(comm, &comm->slots[comm->completed % MPJ_WINDOW]);
}

static void step(struct mpj_context *context, struct mpj_comm *comm, struct mpj_pause *pause)
{
  if (progress_both(context)) {
    pause->idle = 0;
    return;
  }
  if (!comm->net) return;
  const uint32_t changes = mpj_net_changes(comm->net);
  const bool changed = changes != pause->changes;
  pause->changes = changes;
  if (look_at_ranks(comm, changed)) return;
  mpj_net_idle(comm->net, &pause->idle);
  if (pause->idle % 1024 == 0) watch(comm);
}

void mpj_engine_step(struct mpj_pause *pause)
{
  struct mpj_context *context = mpj_context_current();
  step(context, &context->world, pause);
}

void mpj_engine_make_room(struct mpj_comm *comm)
{
  struct mpj_pause pause = {0};
  while (comm->queued || comm->started >= comm->completed + MPJ_WINDOW)
    step(comm->context, &comm->context->world, &pause);
}
