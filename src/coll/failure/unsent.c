/* This file settles what a pair of a sparse Alltoall does not send, though its receiver waits for
 * it: that hears of it as of data whose sender has failed. */
#include "coll/failure/failure.h"
#include "coll/failure/one_sided.h"
#include "coll/plan/bind.h"
#include "coll/run/early.h"
#include "coll/steps/steps.h"

/* A message from `sender` to this rank, or to it from this rank, that there is no data. */
static struct mpj_arrival_message no_data(const struct mpj_comm *comm, const struct mpj_slot *slot,
                                          int sender, int receiver)
{
  struct mpj_arrival_message m;
  struct mpj_plan_step step = {.bit = mpj_distance_bit(sender, receiver, comm->size) &
                                      MPJ_ARRIVALS_MOST};
  mpj_plan_head(comm, slot->schedule, 0, MPJ_ERR_SIGNATURE, &step);
  mpj_step_message(slot, &step, mpj_comm_id_at(comm, receiver), &m);
  m.kind = MPJ_ARRIVAL_POISON;
  return m;
}

static bool sends_to(const struct mpj_schedule *s, int rank)
{
  for (unsigned i = 0; i < s->nsteps; i++)
    if (s->steps[i].kind == MPJ_STEP_SEND && s->steps[i].peer == rank) return true;
  return false;
}

/* A full ring is no harm: it asks again. */
void mpj_one_sided_answer(struct mpj_comm *comm, const struct mpj_slot *slot, int source)
{
  if (!mpj_called_sparse(slot->schedule->called) || sends_to(slot->schedule, source)) return;
  const struct mpj_arrival_message m = no_data(comm, slot, comm->rank, source);
  (void)mpj_net_short(comm->net, mpj_comm_world(comm, source), MPJ_AM_COLLECTIVE, &m,
                      MPJ_ARRIVAL_HEADER);
}

static void take_none(struct mpj_comm *comm, struct mpj_slot *slot, int sender)
{
  const struct mpj_arrival_message m = no_data(comm, slot, sender, comm->rank);
  mpj_early_or_now(comm, slot, &m, &(struct mpj_am_arrival){.source = sender});
}

void mpj_one_sided_answered(struct mpj_comm *comm, struct mpj_slot *slot, int source)
{
  if (mpj_called_sparse(slot->schedule->called) && mpj_operation_needs(comm, slot, source))
    take_none(comm, slot, source);
}

bool mpj_one_sided_ended(struct mpj_comm *comm, struct mpj_slot *slot)
{
  if (!mpj_called_sparse(slot->schedule->called)) return false;
  for (int rank = 0; rank < comm->size; rank++) {
    if (rank != comm->rank && mpj_operation_needs(comm, slot, rank) &&
        mpj_comm_done_at(comm, rank) > slot->sequence)
      take_none(comm, slot, rank);
  }
  return true;
}
