/* This file checks what peers have told each other. */
#include "coll/groups/peer_records.h"

#include "base/bits.h"
#include "base/status.h"

int mpj_peer_records_check(int n, const struct mpj_peer_record records[], int world_size,
                           const int *named)
{
  struct mpj_bits seen = {0};
  int status = MPJ_SUCCESS;
  if (!mpj_bits_begin(&seen, (unsigned)world_size))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to check %d ranks", n);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    const struct mpj_peer_record *r = &records[i];
    const bool possible = r->world_size == world_size && r->world >= 0 &&
                          r->world < r->world_size && !mpj_bits_test(&seen, (unsigned)r->world);
    if (!possible)
      status = mpj_error(MPJ_ERR_ARG, "peer %d is rank %d of %d: not all peers are of one job", i,
                         r->world, r->world_size);
    else if (named && named[i] != r->world)
      status =
          mpj_error(MPJ_ERR_ARG, "world_ranks[%d] is %d, but rank %d came", i, named[i], r->world);
    else
      mpj_bits_set(&seen, (unsigned)r->world);
  }
  mpj_bits_end(&seen);
  return status;
}
