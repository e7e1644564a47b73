/* This file says whom an operation still waits for. */
#include "coll/comm/comm.h"
#include "coll/failure/failure.h"

static bool is_complete(const struct mpj_slot *slot, unsigned i)
{
  return slot->listed ? slot->complete[i] : i < slot->done;
}

bool mpj_operation_needs(const struct mpj_comm *comm, const struct mpj_slot *slot, int rank)
{
  const struct mpj_schedule *s = slot->schedule;
  for (unsigned i = 0; i < s->nsteps; i++) {
    const struct mpj_step *step = &s->steps[i];
    if (is_complete(slot, i)) continue;
    if (step->kind == MPJ_STEP_MEET) return true;
    if (step->peer < 0 || mpj_comm_peer(comm, step->peer) != rank) continue;
    const bool arrives = step->kind == MPJ_STEP_RECV || step->kind == MPJ_STEP_AWAIT;
    if (!arrives || !mpj_bits_test(&slot->seen, step->bit)) return true;
  }
  return false;
}
