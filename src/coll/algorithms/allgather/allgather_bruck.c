/* This file lays down the allgathers that fetch growing stretches of blocks from ranks
 * further up: Bruck's, k-fold in each round, and that of the circulant graph.
 *
 * Cost, for any p: ceil(log_k p)(k - 1) alpha + (p - 1) / p n beta (n of all ranks
 * together); a stretch that passes the last rank is two messages. The circulant graph's
 * distances make the rounds' volumes as equal as can be. Wins for short data where ranks
 * have cores of their own.
 * Source: J. Bruck et al., "Efficient algorithms for all-to-all communications in multiport
 * message-passing systems", 1997; J. L. Traeff 2024 (around.c). */
#include "coll/algorithms/shapes/gathering.h"
#include "coll/select/algorithms.h"

/* A round: this rank has `have` blocks from its own on, and fetches from radix - 1. */
static unsigned fetch(struct mpj_flow *f, struct mpj_around room, int have, unsigned bit)
{
  const int p = f->comm->size, me = f->comm->rank, radix = mpj_variant_radix(f->variant);
  for (int j = 1; j < radix && j * have < p; j++, bit += 2) {
    const int left = p - j * have, n = left < have ? left : have;
    mpj_around_send(f, (me - j * have + p) % p, bit, room, me, n);
    mpj_around_recv(f, (me + j * have) % p, bit, room, me + j * have, n);
  }
  return bit;
}

int mpj_allgather_bruck(const struct mpj_comm *comm, int root, unsigned variant,
                        struct mpj_schedule_builder *b)
{
  (void)root;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const struct mpj_around room = mpj_gathering_begin(&f);
  unsigned bit = 1;
  for (int have = 1; have < comm->size; have *= mpj_variant_radix(variant))
    bit = fetch(&f, room, have, bit);
  mpj_gathering_end(&f, room);
  return mpj_flow_end(&f);
}

int mpj_allgather_circulant(const struct mpj_comm *comm, int root, unsigned variant,
                            struct mpj_schedule_builder *b)
{
  (void)root;
  struct mpj_flow f = mpj_flow_begin(comm, b, variant);
  const struct mpj_around room = mpj_gathering_begin(&f);
  mpj_circulant_allgather(&f, room, 0);
  mpj_gathering_end(&f, room);
  return mpj_flow_end(&f);
}
