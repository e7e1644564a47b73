/* This file tests how slots are given out and given back. */
#include <sched.h>
#include <stdatomic.h>

#include "base/scratch.h"
#include "coll/engine_play.h"
#include "coll/run/control.h"

enum { FOR_FAILURES = 64 }; /* slots.c */

START_TEST(a_failure_without_memory_has_a_slot_of_its_own_which_comes_back)
{
  struct mpj_scratch scratch;
  struct mpj_slot *slots[FOR_FAILURES];
  mpj_scratch_begin(&scratch, 1 << 20);
  for (int round = 0; round < 3; round++) {
    mpj_memory_fail_after(0);
    ck_assert_ptr_null(mpj_slot_make(&scratch, false));
    for (int i = 0; i < FOR_FAILURES; i++) {
      slots[i] = mpj_slot_make(&scratch, true);
      ck_assert_ptr_nonnull(slots[i]);
      for (int k = 0; k < i; k++)
        ck_assert_ptr_ne(slots[k], slots[i]);
    }
    ck_assert_ptr_null(mpj_slot_make(&scratch, true));
    mpj_memory_fail_after(-1);
    for (int i = 0; i < FOR_FAILURES; i++)
      mpj_slot_drop(slots[i]);
  }
  mpj_scratch_end(&scratch);
}
END_TEST

START_TEST(a_thread_keeps_a_window_of_slots_until_it_ends)
{
  enum { SLOTS = 3 * MPJ_WINDOW };
  struct mpj_scratch scratch;
  struct mpj_slot *slots[SLOTS];
  const long before = mpj_memory_outstanding();
  mpj_scratch_begin(&scratch, 1 << 20);
  for (int i = 0; i < SLOTS; i++) {
    slots[i] = mpj_slot_make(&scratch, false);
    ck_assert_ptr_nonnull(slots[i]);
  }
  const long all = mpj_memory_outstanding();
  for (int i = 0; i < SLOTS; i++)
    mpj_slot_drop(slots[i]);
  ck_assert_int_eq((all - before) / SLOTS * MPJ_WINDOW, mpj_memory_outstanding() - before);
  mpj_slots_end();
  mpj_scratch_end(&scratch);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Nothing is under way once all ranks have ended all operations. */
static int rank_without_operations(void *arg)
{
  atomic_int *through = arg;
  int in = 1, out = 0;
  for (int i = 0; i < 2 * MPJ_WINDOW; i++)
    NEED(!MPJ_Allreduce(&in, MPJ_INT, &out, MPJ_INT, MPJ_SUM, MPJ_COMM_WORLD));
  atomic_fetch_add(through, 1);
  while (atomic_load(through) < world()->size)
    sched_yield();
  for (unsigned i = 0; i < mpj_comm_slots(world()); i++)
    NEED(world()->slots[i] == &mpj_no_slot);
  return 0;
}

START_TEST(a_communicator_has_slots_only_while_operations_are_under_way)
{
  for (int p = 1; p <= 3; p++) {
    atomic_int through = 0;
    play(p, rank_without_operations, &through);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/slots", a_failure_without_memory_has_a_slot_of_its_own_which_comes_back,
                   a_thread_keeps_a_window_of_slots_until_it_ends,
                   a_communicator_has_slots_only_while_operations_are_under_way);
}
