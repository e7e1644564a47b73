/* This file lays down the way of data from one rank to all. */
#include "coll/algorithms/shapes/to_all.h"
#include "coll/plan/schedule_steps.h"

/* Two ranks send: the cell that a peer waits for costs no more than a post. */
bool mpj_may_post(const struct mpj_comm *comm)
{
  return comm->facts.posts;
}

void mpj_send_to_all(const struct mpj_comm *comm, struct mpj_schedule_builder *b,
                     struct mpj_operand what, int ndeps, const int deps[])
{
  const int p = comm->size, me = comm->rank;
  const int post = mpj_may_post(comm) ? mpj_schedule_post(b, what, ndeps, deps) : -1;
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    const int sent = mpj_schedule_send(b, to, mpj_distance_bit(me, to, p), what, ndeps, deps);
    if (post >= 0) mpj_schedule_unless_posted(b, sent, post);
  }
}

int mpj_recv_from(const struct mpj_comm *comm, struct mpj_schedule_builder *b, int peer,
                  struct mpj_operand place, int ndeps, const int deps[])
{
  const unsigned bit = mpj_distance_bit(peer, comm->rank, comm->size);
  const int received = mpj_schedule_recv(b, peer, bit, place, ndeps, deps);
  if (mpj_may_post(comm)) mpj_schedule_may_be_posted(b, received);
  return received;
}
