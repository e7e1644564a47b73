/* This file lays down the binomial broadcast.
 *
 * With v = rank - root modulo p: v's parent is v without its lowest set bit, its
 * children are v + 2^k for all 2^k below that bit (below p for the root), the
 * farthest first. A rank forwards when it has received.
 * Cost: ceil(log2 p)(alpha + n beta). Wins for short data on many ranks with a
 * core each. Source: folklore; Thakur, Rabenseifner, Gropp 2005. */
#include "coll/algorithms.h"

/* The lowest set bit of v, or for the root the least power of two >= p. */
static int reach_of(int v, int p)
{
  int bit = 1;
  while (v > 0 ? !(v & bit) : bit < p)
    bit *= 2;
  return bit;
}

int mpj_bcast_binomial(const struct mpj_comm *comm, int root, unsigned variant,
                       struct mpj_schedule_builder *b)
{
  (void)variant;
  const int p = comm->size, me = comm->rank, v = (me - root + p) % p;
  const struct mpj_operand buf = mpj_operand_whole(MPJ_BUFFER_RECV);
  const int reach = reach_of(v, p);
  int received = -1;
  if (v > 0) {
    const int parent = (v - reach + root) % p;
    received = mpj_schedule_recv(b, parent, mpj_distance_bit(parent, me, p), buf, 0, NULL);
  }
  for (int bit = reach / 2; bit > 0; bit /= 2) {
    if (v + bit >= p) continue;
    const int child = (v + bit + root) % p;
    mpj_schedule_send(b, child, mpj_distance_bit(me, child, p), buf, received >= 0, &received);
  }
  return MPJ_SUCCESS;
}
