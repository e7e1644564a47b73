/* This file gives out slots: they are there while an operation is under way, or something is kept
 * for one. */
#include <pthread.h>

#include "base/memory.h"
#include "base/scratch.h"
#include "base/status.h"
#include "coll/run/control.h"

enum { KEPT_MOST = MPJ_WINDOW, FOR_FAILURES = 64 };

const struct mpj_slot mpj_no_slot;

/* A thread's last ones, so that what is repeated allocates nothing. Static thread storage, found
 * without a call. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  struct mpj_slot *first;
  unsigned room; /* for more of them; none until they end with the thread: */
  bool ends;
} kept;

static struct mpj_slot for_failures[FOR_FAILURES];
static _Atomic bool taken[FOR_FAILURES];

static void free_slot(struct mpj_slot *slot)
{
  mpj_error_forget(&slot->why);
  mpj_free(slot);
}

void mpj_slots_end(void)
{
  while (kept.first) {
    struct mpj_slot *slot = kept.first;
    kept.first = slot->next;
    kept.room++;
    free_slot(slot);
  }
}

static pthread_key_t at_end;

static void end_kept(void *unused)
{
  (void)unused;
  mpj_slots_end();
  kept.ends = false;
  kept.room = 0;
}

static void make_key(void)
{
  pthread_key_create(&at_end, end_kept);
}

static struct mpj_slot *take_for_failure(void)
{
  for (unsigned i = 0; i < FOR_FAILURES; i++)
    if (!atomic_exchange(&taken[i], true)) return &for_failures[i];
  return NULL;
}

static inline bool is_for_failures(const struct mpj_slot *slot)
{
  return (uintptr_t)slot - (uintptr_t)for_failures < sizeof for_failures;
}

/* Have the thread's end free what it keeps. */
static void note_end(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_key);
  pthread_setspecific(at_end, &kept);
  kept.ends = true;
  kept.room = KEPT_MOST;
}

/* One that is of those for failures, or for which the thread has no room. */
static MPJ_ASIDE void drop_other(struct mpj_slot *slot)
{
  if (is_for_failures(slot)) {
    mpj_error_forget(&slot->why);
    atomic_store(&taken[slot - for_failures], false);
  } else if (kept.ends) {
    free_slot(slot);
  } else {
    note_end();
    mpj_slot_drop(slot);
  }
}

struct mpj_slot *mpj_slot_make(struct mpj_scratch *scratch, bool for_failure)
{
  struct mpj_slot *slot = kept.first;
  if (slot) {
    kept.first = slot->next;
    kept.room++;
  } else {
    slot = mpj_alloc_array(1, sizeof *slot);
  }
  if (!slot && for_failure) slot = take_for_failure();
  if (!slot) return NULL;
  slot->scratch = scratch;
  slot->memory = slot->temporaries = (void **)(void *)slot->small;
  return slot;
}

void mpj_slot_drop(struct mpj_slot *slot)
{
  if (kept.room == 0 || is_for_failures(slot)) {
    drop_other(slot);
    return;
  }
  slot->next = kept.first;
  kept.first = slot;
  kept.room--;
}
