/* This file runs the steps that copy in a rank's own memory. */
#include <string.h>

#include "coll/comm/comm.h"
#include "coll/failure/mismatch.h"
#include "coll/steps/bundle.h"
#include "coll/steps/ends.h"
#include "coll/steps/steps.h"

/* From here on a dense copy, and one of blocks at listed places, goes on by and by, if messages are
 * under way: peers do not wait for its end, and of listed blocks what both read of this rank's
 * memory, and where both write, is in the caches then. 250,000 random
 * doubles of 5 million for the rank itself and as many for another, p = 2, Zen 4 (mpj-bench array
 * gather): 3.9 ms, not 6.5. Others stay whole: in pieces a transposition is no longer one
 * (transpose4096: 42 ms, not 32). */
enum { LONG_COPY_BYTES = 1 << 18 };

static bool goes_on_meanwhile(const struct mpj_slot *slot, const struct mpj_plan_step *step)
{
  return step->bytes >= LONG_COPY_BYTES && slot->listed && slot->transfers;
}

static int copy_by_cursors(struct mpj_comm *comm, struct mpj_slot *slot,
                           const struct mpj_plan_step *step)
{
  struct mpj_cursor in, out;
  int status = mpj_end_cursor(comm, slot, &step->from, step->bytes, &in);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_end_cursor(comm, slot, &step->to, step->bytes, &out);
  if (status == MPJ_SUCCESS) {
    if (goes_on_meanwhile(slot, step) &&
        (step->plain || mpj_cursor_is_listed(&in) || mpj_cursor_is_listed(&out)))
      return mpj_transfer_copy(comm, slot, mpj_step_number(slot, step), &out, &in);
    mpj_cursor_copy(&out, &in, step->bytes);
    mpj_cursor_end(&out);
  }
  mpj_cursor_end(&in);
  return status;
}

static MPJ_ASIDE int copy_otherwise(struct mpj_comm *comm, struct mpj_slot *slot,
                                    const struct mpj_plan_step *step)
{
  const unsigned i = mpj_step_number(slot, step);
  if (step->from.buffer == MPJ_BUFFER_BUNDLE || step->to.buffer == MPJ_BUFFER_BUNDLE)
    return mpj_bundle_copy(comm, slot, i);
  if (step->unfit) return mpj_step_copy_mismatch(comm, slot, i);
  if (step->bytes == 0) return MPJ_SUCCESS;
  int status = mpj_end_have(slot, &step->from);
  if (status == MPJ_SUCCESS) status = mpj_end_have(slot, &step->to);
  if (status != MPJ_SUCCESS) return status;
  if (!step->plain || goes_on_meanwhile(slot, step)) return copy_by_cursors(comm, slot, step);
  return mpj_step_run_copy(comm, slot, step);
}

int mpj_step_run_copy(struct mpj_comm *comm, struct mpj_slot *slot,
                      const struct mpj_plan_step *step)
{
  if (!step->plain || !mpj_end_is_there(slot, &step->from) || !mpj_end_is_there(slot, &step->to) ||
      goes_on_meanwhile(slot, step))
    return copy_otherwise(comm, slot, step);
  mpj_copy_bytes(mpj_end_address(slot, &step->to), mpj_end_address(slot, &step->from),
                 (size_t)step->bytes);
  return MPJ_SUCCESS;
}
