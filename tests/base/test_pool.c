/* This file tests type-stable pools. */
#include "base/pool.h"

#include <string.h>

#include "base/memory.h"
#include "base/suite.h"

struct object {
  uint32_t mark;
  int owner;
  char body[40];
};

static struct mpj_pool pool = MPJ_POOL_INITIALIZER(0x6f626a31, struct object);

START_TEST(object_is_zeroed_marked_and_live_until_given_back)
{
  size_t before = mpj_pool_live(&pool);
  struct object *o = mpj_pool_take(&pool);
  ck_assert_ptr_nonnull(o);
  ck_assert_uint_eq(o->mark, pool.mark);
  ck_assert_int_eq(o->owner, 0);
  for (size_t i = 0; i < sizeof o->body; i++)
    ck_assert_int_eq(o->body[i], 0);
  ck_assert_uint_eq(mpj_pool_live(&pool), before + 1);
  memset(o->body, 'x', sizeof o->body);
  ck_assert(mpj_pool_is_live(&pool, o));
  mpj_pool_give(&pool, o);
  ck_assert(!mpj_pool_is_live(&pool, o)); /* readable all the same */
  ck_assert_uint_eq(o->mark, 0);
  ck_assert_uint_eq(mpj_pool_live(&pool), before);
}
END_TEST

START_TEST(null_is_not_live)
{
  ck_assert(!mpj_pool_is_live(&pool, NULL));
}
END_TEST

START_TEST(reused_slot_is_zeroed_again)
{
  for (int i = 0; i < 1000; i++) {
    struct object *o = mpj_pool_take(&pool);
    ck_assert_ptr_nonnull(o);
    ck_assert_int_eq(o->owner, 0);
    ck_assert_int_eq(o->body[39], 0);
    memset(&o->owner, 0xff, sizeof *o - offsetof(struct object, owner));
    mpj_pool_give(&pool, o);
  }
}
END_TEST

START_TEST(oldest_freed_slot_is_reused_first)
{
  enum { N = 10 };
  static struct mpj_pool own = MPJ_POOL_INITIALIZER(5, struct object);
  struct object *first[N], *freed[N];
  for (int i = 0; i < N; i++)
    first[i] = mpj_pool_take(&own);
  while (own.ahead > 0) /* use up the slots that were never used */
    ck_assert_ptr_nonnull(mpj_pool_take(&own));
  for (int i = 0; i < N; i++) {
    freed[i] = first[(i * 3) % N];
    mpj_pool_give(&own, freed[i]);
  }
  for (int i = 0; i < N; i++)
    ck_assert_ptr_eq(mpj_pool_take(&own), freed[i]);
}
END_TEST

START_TEST(slot_is_made_when_it_is_first_taken)
{
  static struct mpj_pool own = MPJ_POOL_INITIALIZER(7, struct object);
  for (size_t i = 1; i <= 3; i++) {
    const struct object *o = mpj_pool_take(&own);
    ck_assert(mpj_pool_has(&own, o));
    ck_assert(!mpj_pool_has(&own, (const char *)o + own.object_size));
    ck_assert_uint_eq(own.chunks->made, i * own.object_size);
  }
}
END_TEST

START_TEST(freed_slot_is_taken_before_another_page_is_touched)
{
  struct large {
    uint32_t mark;
    char body[500];
  };
  static struct mpj_pool own = MPJ_POOL_INITIALIZER(11, struct large);
  for (int i = 0; i < 100; i++) {
    void *o = mpj_pool_take(&own);
    ck_assert_ptr_nonnull(o);
    mpj_pool_give(&own, o);
  }
  ck_assert_uint_gt(own.chunks->made, 5 * own.object_size); /* not the same one each time */
  ck_assert_uint_le(sizeof *own.chunks + own.chunks->made, 4096);
}
END_TEST

START_TEST(objects_are_distinct_and_aligned)
{
  enum { N = 300 };
  struct object *all[N];
  for (int i = 0; i < N; i++) {
    all[i] = mpj_pool_take(&pool);
    ck_assert_ptr_nonnull(all[i]);
    ck_assert_uint_eq((uintptr_t)all[i] % 16, 0);
    all[i]->owner = i;
    memset(all[i]->body, i & 0x7f, sizeof all[i]->body);
  }
  for (int i = 0; i < N; i++) {
    ck_assert_int_eq(all[i]->owner, i);
    ck_assert_int_eq(all[i]->body[39], i & 0x7f);
    mpj_pool_give(&pool, all[i]);
  }
}
END_TEST

START_TEST(take_without_memory_is_null_and_leaves_the_pool_usable)
{
  static struct mpj_pool fresh = MPJ_POOL_INITIALIZER(9, struct object);
  mpj_memory_fail_after(0);
  void *none = mpj_pool_take(&fresh);
  mpj_memory_fail_after(-1);
  ck_assert_ptr_null(none);
  ck_assert_uint_eq(mpj_pool_live(&fresh), 0);
  void *o = mpj_pool_take(&fresh);
  ck_assert_ptr_nonnull(o);
  mpj_pool_give(&fresh, o);
}
END_TEST

enum { THREADS = 4, HELD = 7, ROUNDS = 3000 };

/* Take a few, sign them, look that nobody else signed them, give them back. */
static void *take_and_give(void *arg)
{
  int self = *(int *)arg;
  for (int round = 0; round < ROUNDS; round++) {
    struct object *held[HELD];
    for (int i = 0; i < HELD; i++) {
      held[i] = mpj_pool_take(&pool);
      if (!held[i] || held[i]->owner) return arg;
      held[i]->owner = self;
    }
    for (int i = 0; i < HELD; i++) {
      if (held[i]->owner != self || !mpj_pool_is_live(&pool, held[i])) return arg;
      mpj_pool_give(&pool, held[i]);
      mpj_pool_is_live(&pool, held[i]); /* stale: whatever it says, it may be asked */
    }
  }
  return NULL;
}

START_TEST(threads_never_share_an_object)
{
  size_t before = mpj_pool_live(&pool);
  pthread_t threads[THREADS];
  int names[THREADS];
  for (int i = 0; i < THREADS; i++) {
    names[i] = i + 1;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, take_and_give, &names[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    void *result;
    ck_assert_int_eq(pthread_join(threads[i], &result), 0);
    ck_assert_ptr_null(result);
  }
  ck_assert_uint_eq(mpj_pool_live(&pool), before);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "base/pool", object_is_zeroed_marked_and_live_until_given_back, null_is_not_live,
      reused_slot_is_zeroed_again, oldest_freed_slot_is_reused_first,
      slot_is_made_when_it_is_first_taken, freed_slot_is_taken_before_another_page_is_touched,
      objects_are_distinct_and_aligned, take_without_memory_is_null_and_leaves_the_pool_usable,
      threads_never_share_an_object);
}
