/* This file lets ranks agree on how something went. */
#include "coll/comm/agree.h"

#include "base/status.h"
#include "coll/calls/collective.h"

/* code << RANK_BITS | rank; 0: all is well. The highest prevails. */
enum { RANK_BITS = 31 };

int mpj_agree_on_highest(struct mpj_comm *comm, enum mpj_part_of part_of, int64_t mine,
                         int64_t *highest)
{
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = part_of,
                                  .sendbuf = &mine,
                                  .sendtype = MPJ_INT64,
                                  .recvbuf = highest,
                                  .recvtype = MPJ_INT64,
                                  .op = MPJ_MAX,
                                  .comm = mpj_comm_handle(comm)};
  return mpj_call_blocking(&a);
}

int mpj_agree(struct mpj_comm *comm, enum mpj_part_of part_of, int status)
{
  char why[240] = "";
  int64_t mine = 0, worst = 0;
  if (status != MPJ_SUCCESS) {
    mpj_error_keep(why, sizeof why);
    mine = (int64_t)((uint64_t)(uint32_t)status << RANK_BITS) | comm->rank;
  }
  const int heard = mpj_agree_on_highest(comm, part_of, mine, &worst);
  if (status != MPJ_SUCCESS) return mpj_error(status, "%s", why);
  if (heard != MPJ_SUCCESS || worst == 0) return heard;
  const int code = (int)(uint32_t)((uint64_t)worst >> RANK_BITS);
  return mpj_error(code, "rank %d failed: %s", (int)(worst & INT32_MAX), mpj_error_name(code));
}
