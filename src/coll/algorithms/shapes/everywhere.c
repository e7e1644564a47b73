/* This file lays down the combination of all ranks' data at each of them. */
#include "coll/algorithms/shapes/everywhere.h"
#include "coll/algorithms/shapes/release.h"

void mpj_combine_everywhere(struct mpj_flow *f, bool posted)
{
  const int p = f->comm->size, me = f->comm->rank;
  const unsigned all = mpj_flow_phase(f, p - 1);
  const struct mpj_operand like = mpj_input_buffer(f->variant);
  const bool in_place = f->variant & MPJ_VARIANT_IN_PLACE;
  const bool aside = in_place || !(f->variant & MPJ_VARIANT_SEND_DENSE);
  const struct mpj_operand input = aside ? mpj_flow_temporary(f, like) : like;
  if (aside) mpj_flow_copy(f, like, input);
  if (posted) mpj_release_to_all(f, all, input);
  for (int k = 1; !posted && k < p; k++)
    mpj_flow_send(f, (me + k) % p, mpj_name_between(f, all, me, (me + k) % p), input);
  mpj_chain_lay(f, &(struct mpj_chain){.high = p - 1,
                                       .phase = all,
                                       .dst = mpj_operand_whole(MPJ_BUFFER_RECV),
                                       .own = input,
                                       .like = like,
                                       .posted = posted});
}
