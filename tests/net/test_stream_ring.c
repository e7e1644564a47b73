/* This file tests the ring of pieces by its words. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/suite.h"
#include "net/pull/stream_ring.h"

START_TEST(ring_is_claimed_by_its_generation_alone)
{
  static struct mpj_stream s;
  const uint32_t first = mpj_stream_open(&s);
  ck_assert(mpj_stream_is_open(&s, first) && !mpj_stream_is_open(&s, first + 1));
  ck_assert(mpj_stream_close(&s, first));
  ck_assert(!mpj_stream_claim(&s, first));
  const uint32_t second = mpj_stream_open(&s);
  ck_assert_uint_ne(first, second);
  ck_assert(!mpj_stream_claim(&s, first));
  ck_assert(mpj_stream_claim(&s, second));
  ck_assert(!mpj_stream_claim(&s, second)); /* twice */
  mpj_stream_release(&s, first);            /* of another generation */
  ck_assert(!mpj_stream_claim(&s, second) && !mpj_stream_close(&s, second));
}
END_TEST

START_TEST(closing_waits_for_the_piece_that_is_being_written)
{
  static struct mpj_stream s;
  uint32_t filled;
  const uint32_t generation = mpj_stream_open(&s);
  ck_assert(mpj_stream_claim(&s, generation));
  ck_assert(mpj_stream_publish(&s, generation, 1));
  ck_assert(!mpj_stream_close(&s, generation));
  ck_assert(mpj_stream_filled(&s, generation, &filled) && filled == 1);
  ck_assert(!mpj_stream_publish(&s, generation, 2)); /* it does not go on */
  ck_assert(!mpj_stream_close(&s, generation));
  mpj_stream_release(&s, generation);
  ck_assert(mpj_stream_close(&s, generation));
  ck_assert(mpj_stream_filled(&s, generation, &filled) && filled == 2);
  ck_assert(!mpj_stream_claim(&s, generation));
}
END_TEST

START_TEST(ring_has_room_for_as_many_pieces_as_it_has)
{
  static struct mpj_stream s;
  mpj_stream_open(&s);
  ck_assert(mpj_stream_has_room(&s, 3, 4) && !mpj_stream_has_room(&s, 4, 4));
  mpj_stream_empty(&s, 1);
  ck_assert(mpj_stream_has_room(&s, 4, 4) && !mpj_stream_has_room(&s, 5, 4));
  mpj_stream_empty(&s, 7); /* what cannot be: nothing goes on */
  ck_assert(!mpj_stream_has_room(&s, 5, 4));
}
END_TEST

enum { PIECES = 4, ALL = 20000 };
struct game {
  struct mpj_stream stream;
  uint32_t generation;
  unsigned value[PIECES];
};

static void *fill(void *arg)
{
  struct game *g = arg;
  for (unsigned i = 0; i < ALL;) {
    if (!mpj_stream_has_room(&g->stream, i, PIECES) ||
        !mpj_stream_claim(&g->stream, g->generation)) {
      sched_yield();
      continue;
    }
    do {
      g->value[i % PIECES] = i * 7;
      mpj_stream_publish(&g->stream, g->generation, ++i);
    } while (i < ALL && mpj_stream_has_room(&g->stream, i, PIECES));
    mpj_stream_release(&g->stream, g->generation);
  }
  return NULL;
}

START_TEST(pieces_pass_between_two_threads_in_order)
{
  static struct game g;
  pthread_t thread;
  g.generation = mpj_stream_open(&g.stream);
  ck_assert_int_eq(pthread_create(&thread, NULL, fill, &g), 0);
  for (uint32_t i = 0, filled; i < ALL;) {
    ck_assert(mpj_stream_filled(&g.stream, g.generation, &filled));
    ck_assert_uint_le(filled - i, PIECES);
    if (filled == i) sched_yield();
    while (i < filled) {
      ck_assert_uint_eq(g.value[i % PIECES], i * 7);
      mpj_stream_empty(&g.stream, ++i);
    }
  }
  pthread_join(thread, NULL);
  ck_assert(mpj_stream_close(&g.stream, g.generation));
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/stream_ring", ring_is_claimed_by_its_generation_alone,
                   closing_waits_for_the_piece_that_is_being_written,
                   ring_has_room_for_as_many_pieces_as_it_has,
                   pieces_pass_between_two_threads_in_order);
}
