/* This file lets ranks agree on how something went. */
#include "coll/comm/agree.h"

#include "base/status.h"
#include "coll/calls/collective.h"

/* code << RANK_BITS | rank; 0: all is well. The highest prevails. */
enum { RANK_BITS = 31 };

/* status: of this rank, with the thread's detail. */
static int highest_of(struct mpj_comm *comm, enum mpj_part_of part_of, int status,
                      MPJ_Datatype type, const int64_t mine[], int64_t highest[])
{
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLREDUCE,
                                  .root = part_of,
                                  .sendbuf = mine,
                                  .sendtype = type,
                                  .recvbuf = highest,
                                  .recvtype = type,
                                  .op = MPJ_MAX,
                                  .comm = mpj_comm_handle(comm),
                                  .refused = status};
  return mpj_call_blocking(&a);
}

int mpj_agree_on_highest(struct mpj_comm *comm, enum mpj_part_of part_of, int64_t mine,
                         int64_t *highest)
{
  return highest_of(comm, part_of, MPJ_SUCCESS, MPJ_INT64, &mine, highest);
}

int mpj_agree_on_highest_each(struct mpj_comm *comm, enum mpj_part_of part_of, int status, int n,
                              const int64_t mine[], int64_t highest[])
{
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(n, MPJ_INT64, &type);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&type);
  status = highest_of(comm, part_of, status, type, mine, highest);
  if (type != MPJ_DATATYPE_NULL) MPJ_Type_free(&type);
  return status;
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
