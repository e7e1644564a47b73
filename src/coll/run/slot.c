/* This file keeps what an operation needs: its memory, and, once its steps are listed, what is
 * known of each. */
#include <string.h>

#include "base/memory.h"
#include "base/scratch.h"
#include "base/status.h"
#include "coll/comm/comm.h"
#include "coll/run/comm_records.h"
#include "coll/run/tally.h"

/* Memory: one block for all arrays of an operation, the slot's own for short ones, else from the
 * scratch store, given back at the end, so that repeated operations work in the same lines. Of a
 * longer one as many arrays of words as fit are in the slot's own. */

void mpj_slot_release(struct mpj_slot *slot)
{
  mpj_bits_end(&slot->told);
  mpj_bits_end(&slot->seen);
  if (slot->memory != slot->small) mpj_scratch_give(slot->scratch, slot->memory);
  slot->memory = slot->temporaries = (void **)(void *)slot->small;
  if (slot->noted) mpj_tally_forget(slot);
  mpj_free(slot->asked);
  slot->asked = NULL;
}

/* Bytes of an operation's arrays. */
static size_t bytes_of(const struct mpj_schedule *s)
{
  const struct mpj_slot *slot = NULL;
  return s->ntemporaries * sizeof *slot->temporaries +
         s->nsteps * (3 * sizeof *slot->waits + 2 * sizeof *slot->complete);
}

/* How many of the three arrays of words, a word for each step, are apart from all others. */
static unsigned arrays_apart(const struct mpj_schedule *s)
{
  if (bytes_of(s) <= MPJ_SLOT_SMALL) return 0;
  const size_t fit = MPJ_SLOT_SMALL / (s->nsteps * sizeof(uint32_t) + 1);
  return fit < 3 ? (unsigned)fit : 3;
}

bool mpj_slot_take_memory(struct mpj_slot *slot, const struct mpj_schedule *s)
{
  if (bytes_of(s) <= MPJ_SLOT_SMALL && s->arrivals <= MPJ_BITS_MAX) return true;
  if (!mpj_bits_reach(&slot->seen, s->arrivals)) return false;
  if (bytes_of(s) <= MPJ_SLOT_SMALL) return true;
  const size_t apart = arrays_apart(s) * s->nsteps * sizeof(uint32_t);
  void *memory = mpj_scratch_take(slot->scratch, bytes_of(s) - apart);
  if (memory) slot->memory = slot->temporaries = memory;
  return memory;
}

void mpj_operation_note_error(struct mpj_slot *slot, int code)
{
  mpj_error_drop(); /* of the call, as the slot keeps it, or has kept another */
  if (slot->status != MPJ_SUCCESS) return;
  slot->status = code;
  mpj_error_store(&slot->why);
}

/* Where the arrays of a slot are in its memory. */
static void lay_out(struct mpj_slot *slot, const struct mpj_schedule *s)
{
  uint32_t **const arrays[] = {&slot->waits, &slot->ready, &slot->blocked};
  uint32_t *behind = (uint32_t *)(void *)(slot->temporaries + s->ntemporaries);
  uint32_t *own = (uint32_t *)(void *)slot->small;
  const unsigned apart = arrays_apart(s);
  for (unsigned i = 0; i < 3; i++) {
    uint32_t **const from = i < apart ? &own : &behind;
    *arrays[i] = *from;
    *from += s->nsteps;
  }
  slot->complete = (unsigned char *)behind;
  slot->forwarded = slot->complete + s->nsteps;
}

/* The first `done` steps have ended. */
static void pass_over(struct mpj_slot *slot)
{
  const struct mpj_schedule *s = slot->schedule;
  for (unsigned i = 0; i < slot->done; i++) {
    slot->waits[i] = 0;
    slot->complete[i] = 1;
    for (unsigned k = s->steps[i].first_next; k < mpj_step_next_end(s, i); k++)
      slot->waits[s->next[k]]--;
  }
}

void mpj_slot_list(struct mpj_comm *comm, struct mpj_slot *slot, bool pending)
{
  const struct mpj_schedule *s = slot->schedule;
  const size_t n = s->nsteps;
  mpj_comm_is_busy(comm);
  slot->listed = true;
  slot->left = s->nsteps - slot->done;
  slot->nready = slot->nblocked = slot->looked = 0;
  slot->give_up_ns = 0;
  lay_out(slot, s);
  if (n == 0) return;
  memcpy(slot->waits, s->waits, n * sizeof *slot->waits);
  memset(slot->complete, 0, n);
  pass_over(slot);
  if (pending) slot->waits[slot->done] = 0;
  for (unsigned i = slot->done + pending; i < n; i++)
    if (slot->waits[i] == 0) slot->ready[slot->nready++] = i;
}

void mpj_step_ended(struct mpj_slot *slot, unsigned i, int status)
{
  const struct mpj_schedule *s = slot->schedule;
  if (status == MPJ_AM_PENDING) return;
  if (status != MPJ_SUCCESS) mpj_operation_note_error(slot, status);
  slot->complete[i] = 1;
  slot->left--;
  if (slot->noted) mpj_tally_step(slot, i);
  for (unsigned k = s->steps[i].first_next, end = mpj_step_next_end(s, i); k < end; k++) {
    const unsigned next = s->next[k];
    if (--slot->waits[next] == 0) slot->ready[slot->nready++] = next;
  }
}
