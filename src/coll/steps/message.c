/* This file answers messages that are not wanted. */
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
