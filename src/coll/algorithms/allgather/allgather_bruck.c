/* This file lays down the allgathers that fetch growing stretches of blocks from ranks
 * further up: Bruck's, k-fold in each round, and that of the circulant graph.
 *
 * Cost, for any p: ceil(log_k p)(k - 1) alpha + (p - 1) / p n beta (n of all ranks
 * together); a stretch that passes the last rank is two messages. The circulant graph's
 * distances make the rounds' volumes as equal as can be. Wins for short data where ranks
 * have cores of their own.
 * Source: J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport
 * message-passing systems", 1997; J. L. Traeff 2024 (ring_blocks.c). */
#include "coll/algorithms/shapes/gathering.h"
#include "coll/select/algorithms.h"

/* A round: this rank has `have` blocks from its own on, and fetches from radix - 1. */
static unsigned fetch(struct mpj_flow *f, struct mpj_ring_blocks room, int have, unsigned name)
{
  const int p = f->comm->size, me = f->comm->rank, radix = mpj_variant_radix(f->variant);
  for (int j = 1; j < radix && j * have < p; j++, name += 2) {
    const int left = p - j * have, n = left < have ? left : have;
    mpj_ring_blocks_send(f, (me - j * have + p) % p, name, room, me, n);
    mpj_ring_blocks_recv(f, (me + j * have) % p, name, room, me + j * have, n);
  }
  return name;
}

void mpj_allgather_bruck(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_ring_blocks room = mpj_gathering_begin(f);
  const int radix = mpj_variant_radix(f->variant);
  const unsigned pieces = mpj_flow_phase(f, 2 * (radix - 1) * mpj_rounds(f->comm->size, radix));
  unsigned name = mpj_name(pieces, 1); /* two a fetch */
  for (int have = 1; have < f->comm->size; have *= radix)
    name = fetch(f, room, have, name);
  mpj_gathering_end(f, room);
}

void mpj_allgather_circulant(struct mpj_flow *f, int root)
{
  (void)root;
  const struct mpj_ring_blocks room = mpj_gathering_begin(f);
  mpj_circulant_allgather(f, room);
  mpj_gathering_end(f, room);
}
