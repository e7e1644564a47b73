/* This file says whom an operation still waits for. */
#include "coll/failure/failure.h"
#include "coll/run/control.h"

bool mpj_step_needs_peer(const struct mpj_slot *slot, unsigned i)
{
  const struct mpj_schedule *s = slot->schedule;
  if (s->steps[i].kind != MPJ_STEP_RECV_EITHER) return true;
  for (unsigned k = 0; k < s->nsteps; k++)
    if (s->steps[k].kind == MPJ_STEP_DELIVER && !slot->complete[k]) return false;
  return true;
}

bool mpj_operation_needs(const struct mpj_slot *slot, int rank)
{
  const struct mpj_schedule *s = slot->schedule;
  for (unsigned i = 0; i < s->nsteps; i++) {
    const struct mpj_step *step = &s->steps[i];
    if (slot->complete[i]) continue;
    if (step->kind == MPJ_STEP_MEET) return true;
    if (step->peer != rank || !mpj_step_needs_peer(slot, i)) continue;
    const bool arrives = mpj_step_kind_receives(step->kind) || step->kind == MPJ_STEP_AWAIT;
    if (!arrives || !mpj_bits_test(&slot->seen, step->bit)) return true;
  }
  return false;
}
