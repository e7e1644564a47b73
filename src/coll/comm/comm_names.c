/* This file says what operations are called. */
#include <stdio.h>

#include "coll/check/checker.h"
#include "coll/comm/comm.h"

const char *mpj_operation_title(const struct mpj_comm *comm, uint64_t sequence,
                                char title[MPJ_TITLE_BYTES])
{
  const unsigned long long number = mpj_operation_number(comm, sequence);
  if (comm->user)
    snprintf(title, MPJ_TITLE_BYTES, "start %llu of the persistent request of operation %u", number,
             mpj_comm_made_by(comm) - 1);
  else
    snprintf(title, MPJ_TITLE_BYTES, "operation %llu", number);
  return title;
}

struct mpj_called mpj_slot_called(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  const bool check = slot->schedule->operation == MPJ_OPERATION_CHECK;
  return check ? mpj_checked_call(comm->checker) : slot->schedule->called;
}

const char *mpj_slot_name(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  const char *whole = slot->call->part_of;
  return whole ? whole : mpj_called_name(mpj_slot_called(comm, slot));
}
