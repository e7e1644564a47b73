/* This file tests the word of an exposure: generation, readers, pulls to come. */
#include "net/cells/exposure.h"

#include <pthread.h>
#include <sched.h>

#include "base/suite.h"

START_TEST(id_holds_index_and_generation)
{
  const uint64_t id = mpj_exposure_id(255, 0xfffffffd);
  ck_assert_uint_eq(mpj_exposure_index(id), 255);
  ck_assert_uint_eq(mpj_exposure_generation(id), 0xfffffffd);
}
END_TEST

START_TEST(exposure_is_finished_when_all_pulls_are_taken_and_nobody_reads)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 3);
  ck_assert_uint_eq(g % 2, 1);
  ck_assert(!mpj_exposure_is_finished(&e));
  ck_assert(mpj_exposure_begin_read(&e, g));
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_take(&e, g);
  mpj_exposure_end_read(&e, g, true);
  ck_assert(!mpj_exposure_is_finished(&e));
  ck_assert(mpj_exposure_is_read(&e));
  mpj_exposure_end_read(&e, g, true);
  ck_assert(mpj_exposure_is_finished(&e));
  ck_assert(!mpj_exposure_is_read(&e));
}
END_TEST

START_TEST(read_that_ends_without_a_pull_takes_none)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 1);
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_end_read(&e, g, false);
  ck_assert(!mpj_exposure_is_finished(&e));
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_end_read(&e, g, true);
  ck_assert(mpj_exposure_is_finished(&e));
}
END_TEST

START_TEST(nobody_begins_to_read_what_is_taken_closed_or_reopened)
{
  struct mpj_exposure e = {0};
  ck_assert(!mpj_exposure_begin_read(&e, 0)); /* never opened */
  const uint32_t g = mpj_exposure_open(&e, 1);
  ck_assert(!mpj_exposure_begin_read(&e, g + 1));
  ck_assert(!mpj_exposure_begin_read(&e, g - 1));
  ck_assert(!mpj_exposure_begin_read(&e, g + 2));
  ck_assert(mpj_exposure_is_open(&e, g) && !mpj_exposure_is_open(&e, g + 1));
  mpj_exposure_take(&e, g);
  ck_assert(mpj_exposure_is_open(&e, g));     /* until its owner closes it */
  ck_assert(!mpj_exposure_begin_read(&e, g)); /* no pull is left */
  mpj_exposure_close(&e);
  ck_assert(!mpj_exposure_is_open(&e, g));
  ck_assert(!mpj_exposure_begin_read(&e, g));
  ck_assert(!mpj_exposure_begin_read(&e, g + 1)); /* closed generations are even */
  ck_assert_uint_eq(mpj_exposure_open(&e, 1), g + 2);
  ck_assert(!mpj_exposure_begin_read(&e, g));
  mpj_exposure_take(&e, g);
  mpj_exposure_take(&e, g + 1);
  ck_assert(!mpj_exposure_is_finished(&e));
}
END_TEST

START_TEST(pulls_beyond_those_offered_change_nothing)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 1);
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_take(&e, g);
  mpj_exposure_take(&e, g);
  mpj_exposure_end_read(&e, g, true);
  ck_assert(mpj_exposure_is_finished(&e));
  ck_assert_uint_eq(e.word >> 32, g);
}
END_TEST

START_TEST(withdrawn_exposure_is_read_until_its_readers_end)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 5);
  ck_assert(mpj_exposure_begin_read(&e, g));
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_close(&e);
  ck_assert(mpj_exposure_is_read(&e));
  mpj_exposure_end_read(&e, g, true);
  ck_assert(mpj_exposure_is_read(&e));
  mpj_exposure_end_read(&e, g, false);
  ck_assert(!mpj_exposure_is_read(&e));
}
END_TEST

/* As after an owner has given up waiting for a reader that it took for dead. */
START_TEST(late_reader_leaves_the_next_exposure_alone)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 1);
  ck_assert(mpj_exposure_begin_read(&e, g));
  mpj_exposure_close(&e);
  const uint32_t next = mpj_exposure_open(&e, 2);
  ck_assert(mpj_exposure_begin_read(&e, next));
  const uint64_t word = e.word;
  mpj_exposure_end_read(&e, g, true);
  ck_assert_uint_eq(e.word, word);
  mpj_exposure_end_read(&e, next, true);
  mpj_exposure_take(&e, next);
  ck_assert(mpj_exposure_is_finished(&e));
}
END_TEST

START_TEST(generation_stays_odd_while_open_past_32_bits)
{
  struct mpj_exposure e = {.word = (uint64_t)(UINT32_MAX - 3) << 32};
  for (int i = 0; i < 5; i++) {
    const uint32_t g = mpj_exposure_open(&e, 1);
    ck_assert_uint_eq(g % 2, 1);
    ck_assert(mpj_exposure_begin_read(&e, g));
    mpj_exposure_end_read(&e, g, true);
    ck_assert(mpj_exposure_is_finished(&e));
    mpj_exposure_close(&e);
  }
}
END_TEST

START_TEST(generation_is_odd_whatever_a_broken_peer_has_written)
{
  static const uint64_t words[] = {UINT64_MAX, UINT64_C(1) << 32, UINT64_C(0xffffffff00000000),
                                   UINT64_C(0xfffffffe00010003), 7};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    struct mpj_exposure e = {0};
    atomic_store(&e.word, words[i]);
    ck_assert_uint_eq(mpj_exposure_open(&e, 1) % 2, 1);
  }
}
END_TEST

START_TEST(most_pulls_that_the_word_can_hold)
{
  struct mpj_exposure e = {0};
  const uint32_t g = mpj_exposure_open(&e, 65535);
  for (int i = 0; i < 65534; i++)
    mpj_exposure_take(&e, g);
  ck_assert(!mpj_exposure_is_finished(&e));
  mpj_exposure_take(&e, g);
  ck_assert(mpj_exposure_is_finished(&e));
}
END_TEST

enum { READERS = 3, ROUNDS = 2000 };

struct contest {
  struct mpj_exposure exposure;
  _Atomic uint32_t generation; /* the one to read; 0 at the end */
  _Atomic int data;            /* round while open, -1 while the owner may write */
  _Atomic int wrong;
};

static void *read_what_is_open(void *arg)
{
  struct contest *c = arg;
  for (uint32_t g; (g = atomic_load(&c->generation)) != 0;) {
    if (!mpj_exposure_begin_read(&c->exposure, g)) {
      sched_yield();
      continue;
    }
    c->wrong += atomic_load(&c->data) < 0;
    mpj_exposure_end_read(&c->exposure, g, g % 4 == 1);
  }
  return NULL;
}

START_TEST(readers_and_a_withdrawing_owner_never_meet)
{
  struct contest c = {.generation = 1};
  pthread_t thread[READERS];
  for (int round = 0; round < ROUNDS; round++) {
    if (round > 0) mpj_exposure_close(&c.exposure);
    while (mpj_exposure_is_read(&c.exposure))
      sched_yield();
    atomic_store(&c.data, -1);
    atomic_store(&c.data, round);
    atomic_store(&c.generation, mpj_exposure_open(&c.exposure, 2));
    for (int i = 0; round == 0 && i < READERS; i++)
      ck_assert_int_eq(pthread_create(&thread[i], NULL, read_what_is_open, &c), 0);
    if (round % 8 == 0) sched_yield();
  }
  atomic_store(&c.generation, 0);
  for (int i = 0; i < READERS; i++)
    pthread_join(thread[i], NULL);
  ck_assert_int_eq(c.wrong, 0);
  ck_assert(!mpj_exposure_is_read(&c.exposure));
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "net/exposure", id_holds_index_and_generation,
      exposure_is_finished_when_all_pulls_are_taken_and_nobody_reads,
      read_that_ends_without_a_pull_takes_none,
      nobody_begins_to_read_what_is_taken_closed_or_reopened,
      pulls_beyond_those_offered_change_nothing, withdrawn_exposure_is_read_until_its_readers_end,
      late_reader_leaves_the_next_exposure_alone, generation_stays_odd_while_open_past_32_bits,
      generation_is_odd_whatever_a_broken_peer_has_written, most_pulls_that_the_word_can_hold,
      readers_and_a_withdrawing_owner_never_meet);
}
