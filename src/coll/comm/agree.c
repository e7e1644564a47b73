/* This file lets ranks agree on how something went. */
#include "coll/comm/agree.h"

#include <stdio.h>

#include "base/status.h"

/* code << RANK_BITS | rank; 0: all is well. The highest prevails. */
enum { RANK_BITS = 31 };

int mpj_agree(struct mpj_comm *comm, int status)
{
  char why[240] = "";
  int64_t mine = 0, worst = 0;
  if (status != MPJ_SUCCESS) {
    mpj_error_keep(why, sizeof why);
    mine = (int64_t)((uint64_t)(uint32_t)status << RANK_BITS) | comm->rank;
  }
  const int heard =
      MPJ_Allreduce(&mine, MPJ_INT64, &worst, MPJ_INT64, MPJ_MAX, mpj_comm_handle(comm));
  if (status != MPJ_SUCCESS) return mpj_error(status, "%s", why);
  if (heard != MPJ_SUCCESS || worst == 0) return heard;
  const int code = (int)(uint32_t)((uint64_t)worst >> RANK_BITS);
  return mpj_error(code, "rank %d failed: %s", (int)(worst & INT32_MAX), mpj_error_name(code));
}
