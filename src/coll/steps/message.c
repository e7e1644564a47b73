/* This file says what the messages of steps are, and answers those that bring nothing. */
#include <string.h>

#include "coll/comm/comm.h"
#include "coll/steps/steps.h"

void mpj_arrival_decline(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  struct mpj_am_remote remote;
  if (m->kind != MPJ_ARRIVAL_ADVERT) return;
  memcpy(&remote, m->data, sizeof remote);
  mpj_net_decline(comm->net, mpj_comm_world(comm, source), &remote);
}

struct mpj_arrival_message mpj_step_message(const struct mpj_comm *comm,
                                            const struct mpj_schedule *s, uint64_t sequence,
                                            const struct mpj_step *step)
{
  const uint32_t id = step->peer < 0 ? comm->id : mpj_comm_id_at(comm, step->peer); /* of a post */
  return (struct mpj_arrival_message){.comm = id,
                                      .sequence = (uint32_t)sequence,
                                      .operation = s->called.operation,
                                      .algorithm = s->called.algorithm,
                                      .bit = step->bit,
                                      .root = s->called.root,
                                      .radix = s->called.radix,
                                      .segments = s->called.segments};
}
