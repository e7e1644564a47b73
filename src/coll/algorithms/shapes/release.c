/* This file lays down the release of one rank's data to all others. */
#include "coll/algorithms/shapes/release.h"

void mpj_release_to_all(struct mpj_flow *f, unsigned phase, struct mpj_operand what)
{
  const int p = f->comm->size, me = f->comm->rank, post = mpj_flow_post(f, what);
  for (int k = 1; k < p; k++) {
    const int to = (me + k) % p;
    mpj_flow_send_unless(f, to, mpj_name_between(f, phase, me, to), what, post);
  }
}
