/* This file counts ranks in at meetings. */
#include <string.h>

#include "coll/comm/comm.h"
#include "coll/control/signals.h"
#include "coll/steps/steps.h"

/* What a rank adds to the count: its low bits are 1, the others a hash of what it has called. */
static uint64_t meeting_term(const struct mpj_schedule *s, uint64_t sequence)
{
  uint64_t name = 0;
  memcpy(&name, &s->called, sizeof s->called);
  uint64_t hash = (name * UINT64_C(0x9e3779b97f4a7c15) + sequence) * UINT64_C(0xbf58476d1ce4e5b9);
  hash ^= hash >> 29;
  return hash << MPJ_MEET_BITS | 1;
}

/* Count in once, then look. A slot's word goes on from one meeting to the next, and no rank comes
 * to the next one before it has seen that all are at this one; so the first `size` terms are this
 * meeting's. Who comes last reads the word when it has these terms and no others: at least this
 * rank sees it if one of them is not like its own. */
int mpj_step_run_meet(struct mpj_comm *comm, struct mpj_slot *slot,
                      const struct mpj_plan_step *step)
{
  const int home = mpj_comm_peer(comm, step->peer);
  const unsigned number = mpj_slot_number(comm, slot->sequence);
  if (!slot->counted && !mpj_member_has_joined(comm, home)) return MPJ_AM_AGAIN;
  const uint64_t term = slot->counted ? 0 : meeting_term(slot->schedule, slot->sequence);
  if (term != 0) comm->met[number] += (uint64_t)comm->size * term;
  slot->counted = true;
  const uint64_t all = comm->met[number];
  const uint64_t word = mpj_control_meet(comm->windows, mpj_comm_world(comm, home),
                                         mpj_comm_control_at(comm, home), number, term, all);
  const int beyond = mpj_meet_beyond(word, all);
  if (beyond == 0 && word != all) slot->disagrees = true;
  if (beyond < 0 || slot->disagrees) return MPJ_AM_AGAIN;
  slot->counted = false;
  return MPJ_SUCCESS;
}
