/* This file lets the ranks of a job that all share memory find out by one word that their ends of
 * WORLD agree. */
#include "coll/closing/closing.h"
#include "coll/control/signals.h"

#include "coll/comm/context.h"

/* 1, and above it what tells this rank's record from others. */
static uint64_t term_of(const struct mpj_comm *comm)
{
  uint64_t hash = comm->history ^ (comm->started * UINT64_C(0x9e3779b97f4a7c15));
  hash = (hash ^ hash >> 32) * UINT64_C(0xd6e8feb86659fd93);
  return 1 + ((hash ^ hash >> 32) << MPJ_MEET_BITS);
}

static bool may_count(const struct mpj_comm *comm)
{
  const struct mpj_closing *c = comm->closing;
  return comm->id == MPJ_WORLD_ID && comm->net->shares_all && c->says == MPJ_ENDING_ALL &&
         comm->size < 1 << MPJ_MEET_BITS && comm->broken.code == 0;
}

/* Whether the others have had time to come: as long as one has not begun, they have not. Where many
 * share a core, each takes its time. */
static bool have_had_time(const struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  const double now = MPJ_Wtime(), most = .05 + 1e-3 * comm->size;
  while (c->present < comm->size &&
         mpj_net_peer_state(comm->net, c->present, NULL) != MPJ_RANK_ABSENT)
    c->present++;
  if (c->present < comm->size || c->since == 0) c->since = now;
  return now - c->since > most;
}

enum mpj_count mpj_closing_count(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  if (!may_count(comm)) return MPJ_COUNT_FAILS;
  const bool alone = comm->context->closings == comm && !c->next;
  const uint32_t gone = mpj_net_changes(comm->net); /* those who agree go after the last has come */
  if (alone || c->counted) {
    const uint64_t term = term_of(comm), all = term * (uint64_t)comm->size;
    const uint64_t word = mpj_control_count_ended(comm->windows, mpj_comm_world(comm, 0),
                                                  comm->control, c->counted ? 0 : term, all);
    c->counted = true;
    if (word == all) return MPJ_COUNT_AGREES;
    if (mpj_meet_beyond(word, all) == 0) c->by_messages = true;
  }
  c->by_messages |= gone != 0 || have_had_time(comm);
  return c->by_messages ? MPJ_COUNT_FAILS : MPJ_COUNT_WAITS;
}
