/* This file runs the steps that copy in a rank's own memory. */
#include <string.h>

#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/steps/bundle.h"
#include "coll/steps/steps.h"

/* Up to here a copy between dense ends needs no cursor; from there on one of blocks at listed places
 * goes on by and by, if messages are under way: what both read of this rank's memory, and where
 * both write, is in the caches then. 250,000 random doubles of 5 million for the rank itself and as
 * many for another, p = 2, Zen 4 (mpj-bench array gather): 3.9 ms, not 6.5. Others stay whole: in
 * pieces a transposition is no longer one (transpose4096: 42 ms, not 32). */
enum { PLAIN_COPY_BYTES = 4096, LONG_COPY_BYTES = 1 << 18 };

static MPJ_ASIDE int copy_by_cursors(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  struct mpj_cursor in, out;
  int status = mpj_end_cursor(comm, slot, &step->from, step->bytes, &in);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_end_cursor(comm, slot, &step->to, step->bytes, &out);
  if (status == MPJ_SUCCESS) {
    if (step->bytes >= LONG_COPY_BYTES && slot->listed && slot->transfers &&
        (mpj_cursor_is_listed(&in) || mpj_cursor_is_listed(&out)))
      return mpj_transfer_copy(comm, slot, i, &out, &in);
    mpj_cursor_copy(&out, &in, step->bytes);
    mpj_cursor_end(&out);
  }
  mpj_cursor_end(&in);
  return status;
}

int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot, unsigned i)
{
  const struct mpj_plan_step *step = &slot->plan->steps[i];
  const bool dense = step->from.dense && step->to.dense; /* and then no bundles */
  if (!dense && (step->from.buffer == MPJ_BUFFER_BUNDLE || step->to.buffer == MPJ_BUFFER_BUNDLE))
    return mpj_bundle_copy(comm, slot, i);
  if (step->unfit) return mpj_step_copy_mismatch(comm, slot, i);
  if (step->bytes == 0) return MPJ_SUCCESS;
  int status = mpj_end_have(slot, &step->from);
  if (status == MPJ_SUCCESS) status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  if (!dense || step->bytes > PLAIN_COPY_BYTES) return copy_by_cursors(comm, slot, i);
  mpj_copy_bytes(mpj_end_address(slot, &step->to), mpj_end_address(slot, &step->from),
                 (size_t)step->bytes);
  return MPJ_SUCCESS;
}
