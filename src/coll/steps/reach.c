/* This file says how far ahead of a peer this rank may be. */
#include "coll/comm/comm.h"
#include "coll/steps/steps.h"

bool mpj_window_look(struct mpj_comm *comm, uint64_t sequence, unsigned window, int peer)
{
  return sequence < mpj_comm_look_at_done(comm, peer) + window;
}

bool mpj_member_has_joined(struct mpj_comm *comm, int rank)
{
  const uint64_t taken = comm->serial << MPJ_SERIAL_SHIFT;
  if (rank == comm->rank) return true;
  return mpj_comm_known_done(comm, rank) >= taken || mpj_comm_look_at_done(comm, rank) >= taken;
}
