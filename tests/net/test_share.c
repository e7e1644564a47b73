/* This file tests the word by which both sides of a transfer divide it. */
#include "net/cells/share.h"

#include <pthread.h>
#include <string.h>

#include "base/suite.h"
#include "net/cells/exposure.h"

static const struct mpj_share_offer ten = {.to = 0x1000, .bytes = 10, .chunk = 1, .rank = 3};

static uint32_t opened(struct mpj_exposure *e)
{
  mpj_share_reset(e, mpj_exposure_next(e));
  return mpj_exposure_open(e, 1);
}

START_TEST(chunks_are_whole_pages_and_neither_few_nor_many)
{
  ck_assert_uint_eq(mpj_share_chunk(MPJ_SHARE_LEAST - 1), 0);
  for (int64_t bytes = MPJ_SHARE_LEAST; bytes < INT64_C(1) << 40; bytes = bytes * 9 / 7) {
    const int64_t chunk = mpj_share_chunk(bytes), chunks = (bytes + chunk - 1) / chunk;
    ck_assert_int_gt(chunk, 0);
    ck_assert_int_eq(chunk % 4096, 0);
    ck_assert_int_ge(chunks, 2);
    ck_assert_int_lt(chunks, MPJ_SHARE_CHUNKS_MOST);
  }
  ck_assert_uint_eq(mpj_share_chunk(INT64_C(1) << 50), 0);
}
END_TEST

START_TEST(sides_take_from_both_ends_until_they_meet)
{
  struct mpj_exposure e = {0};
  struct mpj_share_offer offer;
  uint32_t i;
  const uint32_t g = opened(&e);
  ck_assert(!mpj_share_is_open(&e) && !mpj_share_take_back(&e, g, &i, &offer));
  ck_assert(mpj_share_begin(&e, g, &ten));
  ck_assert(!mpj_share_begin(&e, g, &ten)); /* one pull at a time */
  ck_assert(mpj_share_is_open(&e));
  for (uint32_t k = 0; k < 5; k++) {
    ck_assert(mpj_share_take_front(&e, g, &i));
    ck_assert_uint_eq(i, k);
    ck_assert(mpj_share_take_back(&e, g, &i, &offer));
    ck_assert_uint_eq(i, 9 - k);
    ck_assert_uint_eq(offer.to, 0x1000);
    ck_assert_int_eq(offer.bytes, 10);
    ck_assert_uint_eq(offer.chunk, 1);
    ck_assert_int_eq(offer.rank, 3);
    ck_assert(!mpj_share_take_back(&e, g, &i, &offer)); /* one chunk at a time */
    ck_assert(!mpj_share_finish(&e, g));
    mpj_share_give_back(&e, g, true);
  }
  ck_assert(!mpj_share_take_front(&e, g, &i) && !mpj_share_take_back(&e, g, &i, &offer));
  ck_assert(mpj_share_finish(&e, g));
  ck_assert(mpj_share_begin(&e, g, &ten)); /* the next pull */
}
END_TEST

START_TEST(chunk_that_the_owner_cannot_move_is_the_receivers)
{
  struct mpj_exposure e = {0};
  struct mpj_share_offer offer;
  uint32_t i, last = 0;
  const uint32_t g = opened(&e);
  ck_assert(mpj_share_begin(&e, g, &ten));
  ck_assert(mpj_share_take_back(&e, g, &i, &offer));
  for (int k = 0; k < 9; k++)
    ck_assert(mpj_share_take_front(&e, g, &i));
  ck_assert(!mpj_share_take_front(&e, g, &i) && !mpj_share_finish(&e, g));
  mpj_share_give_back(&e, g, false);
  ck_assert(!mpj_share_finish(&e, g));
  ck_assert(!mpj_share_is_open(&e)); /* the owner tries no more */
  ck_assert(mpj_share_take_front(&e, g, &last));
  ck_assert_uint_eq(last, 9);
  ck_assert(mpj_share_finish(&e, g));
}
END_TEST

START_TEST(receiver_that_gives_up_waits_for_the_owners_chunk)
{
  struct mpj_exposure e = {0};
  struct mpj_share_offer offer;
  uint32_t i;
  const uint32_t g = opened(&e);
  ck_assert(mpj_share_begin(&e, g, &ten));
  ck_assert(mpj_share_take_back(&e, g, &i, &offer));
  ck_assert(!mpj_share_cancel(&e, g) && !mpj_share_cancel(&e, g));
  ck_assert(!mpj_share_take_front(&e, g, &i));
  mpj_share_give_back(&e, g, true);
  ck_assert(!mpj_share_take_back(&e, g, &i, &offer));
  ck_assert(mpj_share_cancel(&e, g));
}
END_TEST

START_TEST(nothing_reaches_what_was_opened_anew)
{
  struct mpj_exposure e = {0};
  struct mpj_share_offer offer;
  uint32_t i;
  const uint32_t old = opened(&e);
  ck_assert(mpj_share_begin(&e, old, &ten));
  mpj_exposure_close(&e);
  const uint32_t g = opened(&e);
  ck_assert(!mpj_share_take_front(&e, old, &i) && !mpj_share_finish(&e, old));
  ck_assert(!mpj_share_begin(&e, old, &ten) && mpj_share_cancel(&e, old));
  ck_assert(mpj_share_begin(&e, g, &ten));
  ck_assert(!mpj_share_take_back(&e, old, &i, &offer));
  mpj_share_give_back(&e, old, false);
  ck_assert(mpj_share_take_front(&e, g, &i));
  ck_assert_uint_eq(i, 0);
}
END_TEST

enum { CHUNKS = 1000, ROUNDS = 200 };

struct both {
  struct mpj_exposure e;
  _Atomic uint32_t generation; /* of the round; 0: over */
  int taken[CHUNKS];           /* each element one side's at a time, by the word alone */
};

/* Every seventh chunk fails. */
static void *own(void *arg)
{
  struct both *b = arg;
  struct mpj_share_offer offer;
  uint32_t g, i, n = 0;
  while ((g = atomic_load(&b->generation)) != 0) {
    if (!mpj_share_take_back(&b->e, g, &i, &offer)) continue;
    const bool moved = ++n % 7 != 0;
    if (moved) b->taken[i]++;
    mpj_share_give_back(&b->e, g, moved);
  }
  return NULL;
}

START_TEST(two_threads_move_each_chunk_once)
{
  static struct both b;
  const struct mpj_share_offer offer = {.bytes = CHUNKS, .chunk = 1};
  pthread_t owner;
  uint32_t i;
  memset(&b, 0, sizeof b);
  b.generation = opened(&b.e);
  ck_assert_int_eq(pthread_create(&owner, NULL, own, &b), 0);
  for (int round = 1; round <= ROUNDS; round++) {
    ck_assert(mpj_share_begin(&b.e, b.generation, &offer));
    do {
      while (mpj_share_take_front(&b.e, b.generation, &i))
        b.taken[i]++;
    } while (!mpj_share_finish(&b.e, b.generation));
    for (int k = 0; k < CHUNKS; k++)
      ck_assert_int_eq(b.taken[k], round);
  }
  atomic_store(&b.generation, 0);
  pthread_join(owner, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/share", chunks_are_whole_pages_and_neither_few_nor_many,
                   sides_take_from_both_ends_until_they_meet,
                   chunk_that_the_owner_cannot_move_is_the_receivers,
                   receiver_that_gives_up_waits_for_the_owners_chunk,
                   nothing_reaches_what_was_opened_anew, two_threads_move_each_chunk_once);
}
