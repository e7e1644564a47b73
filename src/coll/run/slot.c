/* This file keeps what an operation needs while it is spread: its arrays, and what is known of each
 * step. */
#include <string.h>

#include "base/memory.h"
#include "base/scratch.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/run/tally.h"

/* Memory: one block for all arrays of an operation, the slot's own for short ones, else from the
 * scratch store, given back at the end, so that repeated operations work in the same lines. */

void mpj_slot_release(struct mpj_slot *slot)
{
  for (int k = 0; k < 2; k++) {
    mpj_scratch_give(slot->scratch, slot->offsets[k].at);
    slot->offsets[k].at = NULL;
  }
  mpj_bits_end(&slot->told);
  if (slot->memory != slot->small) mpj_scratch_give(slot->scratch, slot->memory);
  slot->memory = slot->temporaries = (void **)(void *)slot->small;
  mpj_free(slot->noted); /* of an operation that nobody ends */
  mpj_free(slot->asked);
  slot->noted = NULL;
  slot->asked = NULL;
}

size_t mpj_slot_bytes(const struct mpj_schedule *s)
{
  const struct mpj_slot *slot = NULL;
  return s->ntemporaries * sizeof *slot->temporaries +
         s->nsteps * (3 * sizeof *slot->waits + 2 * sizeof *slot->complete);
}

bool mpj_slot_take_memory(struct mpj_slot *slot, const struct mpj_schedule *s)
{
  if (mpj_slot_bytes(s) <= MPJ_SLOT_SMALL) return true;
  void *memory = mpj_scratch_take(slot->scratch, mpj_slot_bytes(s));
  if (memory) slot->memory = slot->temporaries = memory;
  return memory;
}

void mpj_slot_list_ready(struct mpj_slot *slot)
{
  slot->nready = 0;
  for (uint16_t i = 0; i < slot->schedule->nsteps; i++)
    if (slot->waits[i] == 0 && !slot->complete[i]) slot->ready[slot->nready++] = i;
}

void mpj_slot_load(struct mpj_comm *comm, struct mpj_slot *slot)
{
  struct mpj_schedule *s = slot->schedule;
  const size_t n = s->nsteps;
  mpj_comm_is_busy(comm);
  s->users++;
  slot->left = s->nsteps - slot->done;
  slot->copy = *slot->call;
  slot->call = &slot->copy;
  mpj_bits_set(&slot->seen, 0);
  slot->cur_val = slot->nblocked = slot->looked = 0;
  slot->give_up_ns = 0;
  slot->offsets[0].known = slot->offsets[1].known = false;
  slot->waits = (uint16_t *)(void *)(slot->temporaries + s->ntemporaries);
  slot->ready = slot->waits + n;
  slot->blocked = slot->ready + n;
  slot->complete = (unsigned char *)(slot->blocked + n);
  slot->forwarded = slot->complete + n;
  if (n == 0) return;
  memcpy(slot->waits, s->waits, n * sizeof *slot->waits);
  memset(slot->complete, 0, n);
}

void mpj_slot_pass(struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_step *step = &s->steps[i];
  slot->waits[i] = 0;
  slot->complete[i] = 1;
  for (unsigned k = 0; k < step->nnext; k++)
    slot->waits[s->next[step->first_next + k]]--;
}

void mpj_step_complete(struct mpj_slot *slot, uint16_t i)
{
  const struct mpj_schedule *s = slot->schedule;
  const struct mpj_step *step = &s->steps[i];
  slot->complete[i] = 1;
  slot->left--;
  if (slot->noted) mpj_tally_step(slot, i);
  for (unsigned k = 0; k < step->nnext; k++) {
    const uint16_t next = s->next[step->first_next + k];
    if (--slot->waits[next] == 0) slot->ready[slot->nready++] = next;
  }
}

void mpj_operation_note_error(struct mpj_slot *slot, int code)
{
  mpj_error_drop(); /* of the call, as the slot keeps it, or has kept another */
  if (slot->status != MPJ_SUCCESS) return;
  slot->status = code;
  mpj_error_keep(slot->why, sizeof slot->why);
}
