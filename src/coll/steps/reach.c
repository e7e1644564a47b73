/* This file says how far ahead of a peer this rank may be. */
#include "coll/comm/comm.h"
#include "coll/steps/steps.h"

bool mpj_window_look(struct mpj_comm *comm, uint64_t sequence, int peer)
{
  comm->known_done[peer] = mpj_comm_done_at(comm, peer);
  return mpj_window_was_open(comm, sequence, peer);
}

bool mpj_window_is_wide(struct mpj_comm *comm, uint64_t sequence, int peer)
{
  comm->known_done[peer] = mpj_comm_done_at(comm, peer);
  return sequence < comm->known_done[peer] + mpj_comm_slots(comm) / 2;
}

bool mpj_member_has_joined(struct mpj_comm *comm, int rank)
{
  const uint64_t taken = comm->serial << MPJ_SERIAL_SHIFT;
  if (rank == comm->rank) return true;
  if (comm->known_done[rank] < taken) comm->known_done[rank] = mpj_comm_done_at(comm, rank);
  return comm->known_done[rank] >= taken;
}
