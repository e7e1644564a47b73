/* This file tests one layout in the hands of several threads. */
#include <mpj/mpj.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/suite.h"
#include "pack/fixture.h"

enum { THREADS = 4, ROUNDS = 300 };

struct shared {
  pthread_barrier_t start;
  const struct fixture *fixture;
  MPJ_Datatype type;
  atomic_int failures;
};

/* All threads come to a layout without a program at once. */
static void *use_layout(void *arg)
{
  struct shared *s = arg;
  static _Thread_local char packed[20000], expected[20000];
  struct mpj_cursor c;
  pthread_barrier_wait(&s->start);
  if (mpj_cursor_begin(&c, &s->fixture->view, s->fixture->base)) {
    s->failures++;
    return NULL;
  }
  MPJ_Count half = c.bytes / 2;
  mpj_cursor_pack(&c, packed, half);
  mpj_cursor_pack(&c, packed + half, c.bytes - half);
  fixture_expect(s->fixture, 0, c.bytes, expected);
  s->failures += memcmp(packed, expected, (size_t)c.bytes) != 0;
  mpj_cursor_end(&c);
  return NULL;
}

/* Each commits, uses and frees a handle of its own to one type. */
static void *use_type(void *arg)
{
  struct shared *s = arg;
  int data[40], packed[20];
  for (int i = 0; i < 40; i++)
    data[i] = i;
  MPJ_Datatype mine;
  MPJ_Count position = 0;
  pthread_barrier_wait(&s->start);
  int failed = MPJ_Type_dup(s->type, &mine) || MPJ_Type_commit(&mine) ||
               MPJ_Pack(data, mine, packed, sizeof packed, &position) || MPJ_Type_free(&mine);
  for (int i = 0; i < 20; i++)
    failed |= packed[i] != 2 * i;
  s->failures += failed != 0;
  return NULL;
}

static void run_threads(struct shared *s, void *(*fn)(void *))
{
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, fn, s), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  ck_assert_int_eq(s->failures, 0);
}

START_TEST(threads_share_a_layout_that_none_has_used_before)
{
  struct shared s = {.failures = 0};
  struct mpj_random rng = {41};
  pthread_barrier_init(&s.start, NULL, THREADS);
  for (int i = 0; i < ROUNDS; i++) {
    struct fixture f;
    fixture_make(&f, random_view(&rng, 1000), &rng);
    s.fixture = &f;
    if (f.map.bytes <= 20000) run_threads(&s, use_layout);
    fixture_free(&f);
  }
  pthread_barrier_destroy(&s.start);
}
END_TEST

START_TEST(threads_commit_and_use_handles_of_one_type)
{
  struct shared s = {.failures = 0};
  pthread_barrier_init(&s.start, NULL, THREADS);
  for (int i = 0; i < ROUNDS; i++) {
    ck_assert_int_eq(MPJ_Type_vector(20, 1, 2, MPJ_INT, &s.type), MPJ_SUCCESS);
    run_threads(&s, use_type);
    ck_assert_int_eq(MPJ_Type_free(&s.type), MPJ_SUCCESS);
  }
  pthread_barrier_destroy(&s.start);
}
END_TEST

int main(void)
{
  return RUN_SUITE("pack/threads", threads_share_a_layout_that_none_has_used_before,
                   threads_commit_and_use_handles_of_one_type);
}
