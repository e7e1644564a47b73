/* This file tests how schedules are built. */
#include "coll/plan/schedule.h"

#include <mpj/base.h>

#include <string.h>

#include "base/memory.h"
#include "base/suite.h"
#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"

static struct mpj_schedule_builder *begin(void)
{
  struct mpj_schedule_builder *b = NULL;
  ck_assert_int_eq(mpj_schedule_begin(MPJ_OPERATION_GATHER, 7, 3, 0, &b), MPJ_SUCCESS);
  return b;
}

static struct mpj_schedule *finish(struct mpj_schedule_builder *b)
{
  struct mpj_schedule *s = NULL;
  ck_assert_int_eq(mpj_schedule_finish(b, &s), MPJ_SUCCESS);
  return s;
}

/* Whether step `after` is among those that follow `before`. */
static bool follows(const struct mpj_schedule *s, int before, int after)
{
  for (unsigned k = s->steps[before].first_next; k < mpj_step_next_end(s, (unsigned)before); k++)
    if (s->next[k] == (uint32_t)after) return true;
  return false;
}

/* How many follow it. */
static unsigned followers(const struct mpj_schedule *s, int before)
{
  return mpj_step_next_end(s, (unsigned)before) - s->steps[before].first_next;
}

static const struct mpj_operand mine = {.buffer = MPJ_BUFFER_SEND, .part = MPJ_WHOLE};
static const struct mpj_operand all = {.buffer = MPJ_BUFFER_RECV, .part = MPJ_WHOLE};

START_TEST(steps_keep_what_they_were_laid_down_with)
{
  struct mpj_schedule_builder *b = begin();
  ck_assert_int_eq(mpj_schedule_signal(b, 5, 9, 0, NULL), 0);
  ck_assert_int_eq(mpj_schedule_await(b, 6, 10, 0, NULL), 1);
  ck_assert_int_eq(mpj_schedule_send(b, 1, 255, mine, 0, NULL), 2);
  ck_assert_int_eq(mpj_schedule_recv(b, 2, 11, mpj_operand_part(MPJ_BUFFER_RECV, 4), 0, NULL), 3);
  ck_assert_int_eq(mpj_schedule_copy(b, mine, all, 0, NULL), 4);
  const struct mpj_operand temporary = mpj_schedule_temporary(b, all);
  ck_assert_int_eq(mpj_schedule_reduce(b, temporary, all, 0, NULL), 5);
  ck_assert_int_eq(mpj_schedule_meet(b, 2, 0, NULL), 6);
  struct mpj_schedule *s = finish(b);
  const enum mpj_step_kind kinds[] = {MPJ_STEP_SIGNAL, MPJ_STEP_SEND,  MPJ_STEP_COPY,
                                      MPJ_STEP_REDUCE, MPJ_STEP_AWAIT, MPJ_STEP_RECV,
                                      MPJ_STEP_MEET}; /* those that wait behind the others */
  const int peers[] = {5, 1, -1, -1, 6, 2, 2};
  ck_assert_uint_eq(s->nsteps, 7);
  for (int i = 0; i < 7; i++) {
    ck_assert_int_eq(s->steps[i].kind, kinds[i]);
    ck_assert_int_eq(s->steps[i].peer, peers[i]);
  }
  ck_assert(s->operation == MPJ_OPERATION_GATHER && s->algorithm == 7 && s->root == 3);
  ck_assert(s->steps[0].bit == 9);
  ck_assert(s->steps[1].bit == 255 && mpj_step_src(s, &s->steps[1]).part == MPJ_WHOLE);
  ck_assert(mpj_step_dst(s, &s->steps[5]).buffer == MPJ_BUFFER_RECV &&
            mpj_step_dst(s, &s->steps[5]).part == 4);
  ck_assert(mpj_step_src(s, &s->steps[2]).buffer == MPJ_BUFFER_SEND &&
            mpj_step_dst(s, &s->steps[2]).buffer == MPJ_BUFFER_RECV);
  ck_assert(mpj_step_src(s, &s->steps[3]).buffer == MPJ_BUFFER_TEMP &&
            mpj_step_src(s, &s->steps[3]).part == 0);
  ck_assert(s->meets && !s->plans);
  mpj_schedule_free(s);
}
END_TEST

START_TEST(only_awaits_and_recvs_own_bits_and_wait_for_one_arrival)
{
  struct mpj_schedule_builder *b = begin();
  mpj_schedule_signal(b, 5, 1, 0, NULL);
  mpj_schedule_await(b, 6, 2, 0, NULL);
  mpj_schedule_send(b, 1, 3, mine, 0, NULL);
  mpj_schedule_recv(b, 2, 255, all, 0, NULL);
  struct mpj_schedule *s = finish(b);
  for (unsigned bit = 0; bit < MPJ_BITS_MAX; bit++)
    ck_assert_uint_eq(mpj_schedule_step_of(s, bit), bit == 2 ? 2 : bit == 255 ? 3 : MPJ_NO_STEP);
  const uint32_t waits[] = {0, 0, 1, 1};
  ck_assert_mem_eq(s->waits, waits, sizeof waits);
  ck_assert_uint_eq(s->await_words, 1);
  mpj_schedule_free(s);
}
END_TEST

/* Of gaps and of places out of order, too. */
START_TEST(each_of_many_arrivals_is_found_by_its_bit)
{
  struct mpj_schedule_builder *b = begin();
  int step[3000];
  for (unsigned bit = 1; bit < 3000; bit++) {
    const unsigned at = bit * 7 % 3000; /* 7 has no factor with 3000 */
    step[at] = at % 5 ? mpj_schedule_recv(b, 2, 16 * at, all, 0, NULL) : -1;
  }
  mpj_schedule_recv(b, 2, MPJ_ARRIVALS_MOST, all, 0, NULL);
  struct mpj_schedule *s = finish(b);
  for (unsigned bit = 0; bit <= 16 * 3000; bit++) {
    const bool has = bit % 16 == 0 && bit / 16 % 5 != 0;
    const unsigned found = mpj_schedule_step_of(s, bit);
    ck_assert_uint_eq(found, has ? (unsigned)step[bit / 16] : MPJ_NO_STEP);
  }
  ck_assert_uint_eq(mpj_schedule_step_of(s, MPJ_ARRIVALS_MOST), s->nsteps - 1);
  ck_assert_uint_eq(mpj_schedule_step_of(s, MPJ_ARRIVALS_MOST + 1), MPJ_NO_STEP);
  mpj_schedule_free(s);
}
END_TEST

START_TEST(dependencies_are_counted_and_inverted)
{
  struct mpj_schedule_builder *b = begin();
  int deps[20];
  for (int i = 0; i < 20; i++)
    deps[i] = mpj_schedule_copy(b, mine, all, i > 0, &deps[i > 0 ? i - 1 : 0]);
  const int last = mpj_schedule_recv(b, 1, 1, all, 20, deps);
  struct mpj_schedule *s = finish(b);
  ck_assert_uint_eq(s->waits[0], 0);
  ck_assert_uint_eq(s->waits[last], 21);
  ck_assert_uint_eq(s->nnext, 39);
  for (int i = 0; i < 20; i++) {
    ck_assert_uint_eq(s->waits[i], i > 0);
    ck_assert_uint_eq(followers(s, i), i < 19 ? 2 : 1);
    ck_assert(follows(s, i, last));
    if (i < 19) ck_assert(follows(s, i, i + 1));
  }
  mpj_schedule_free(s);
}
END_TEST

START_TEST(temporaries_know_what_they_are_like)
{
  struct mpj_schedule_builder *b = begin();
  const struct mpj_operand a = mpj_schedule_temporary(b, mine);
  const struct mpj_operand c = mpj_schedule_temporary(b, mpj_operand_part(MPJ_BUFFER_RECV, 2));
  ck_assert(a.buffer == MPJ_BUFFER_TEMP && c.buffer == MPJ_BUFFER_TEMP && a.part != c.part);
  mpj_schedule_recv(b, 1, 1, a, 0, NULL);
  mpj_schedule_copy(b, a, c, 0, NULL);
  mpj_schedule_send(b, 1, 1, a, 0, NULL);
  struct mpj_schedule *s = finish(b);
  ck_assert_uint_eq(s->ntemporaries, 2);
  ck_assert_int_eq(mpj_temporary_like(s, a.part).buffer, MPJ_BUFFER_SEND);
  ck_assert_int_eq(mpj_temporary_like(s, c.part).part, 2);
  mpj_schedule_free(s);
}
END_TEST

START_TEST(schedule_may_have_no_steps)
{
  struct mpj_schedule *s = finish(begin());
  ck_assert_uint_eq(s->nsteps, 0);
  ck_assert_uint_eq(s->await_words, 0);
  mpj_schedule_free(s);
  mpj_schedule_free(NULL);
}
END_TEST

static void expect_unsupported(struct mpj_schedule_builder *b, const char *why)
{
  struct mpj_schedule *s = NULL;
  ck_assert_int_eq(mpj_schedule_finish(b, &s), MPJ_ERR_UNSUPPORTED);
  ck_assert_msg(strstr(MPJ_Error_detail(), why) != NULL, "%s", MPJ_Error_detail());
  ck_assert_ptr_null(s);
}

START_TEST(steps_operands_and_dependencies_are_more_than_16_bits_name)
{
  enum { MANY = 70000 };
  const long before = mpj_memory_outstanding();
  struct mpj_schedule_builder *b = begin();
  for (int i = 0; i < MANY; i++) /* three parts apart, so each is an operand of its own */
    ck_assert_int_eq(mpj_schedule_copy(b, mine, mpj_operand_part(MPJ_BUFFER_RECV, 3 * i), 0, NULL),
                     i);
  const int first = MANY - 5, second = 2, deps[] = {first, second};
  for (int i = 0; i < MANY; i++)
    ck_assert_int_eq(mpj_schedule_copy(b, all, mine, 2, deps), MANY + i);
  struct mpj_schedule *s = finish(b);
  ck_assert_uint_eq(s->nsteps, 2 * MANY);
  ck_assert_uint_eq(s->nnext, 2 * MANY);
  ck_assert_uint_eq(followers(s, first), MANY);
  ck_assert_uint_eq(followers(s, second), MANY);
  ck_assert_uint_eq(s->next[s->steps[first].first_next + MANY - 1], 2 * MANY - 1);
  ck_assert_uint_eq(s->waits[2 * MANY - 1], 2);
  for (int i = 0; i < MANY; i++)
    ck_assert_int_eq(mpj_step_dst(s, &s->steps[i]).part, 3 * i);
  mpj_schedule_free(s);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* A tree's root takes 70,000 pieces out of a bundle, in time that goes by how many they are. */
START_TEST(a_flow_finds_what_touches_one_part_among_70000)
{
  enum { MANY = 70000 };
  struct mpj_schedule_builder *b = begin();
  const struct mpj_comm comm = {.size = MANY};
  struct mpj_flow f = mpj_flow_begin(&comm, b, 0);
  const struct mpj_operand bundle = mpj_schedule_bundle(b);
  mpj_flow_recv(&f, 1, mpj_name(mpj_flow_phase(&f, 1), 1), bundle);
  for (int i = 0; i < MANY; i++)
    mpj_flow_copy(&f, mpj_operand_records(bundle, i, 1), mpj_operand_part(MPJ_BUFFER_RECV, i));
  const int again = mpj_flow_copy(&f, mine, mpj_operand_part(MPJ_BUFFER_RECV, 7));
  const int whole = mpj_flow_copy(&f, mine, all), last = mpj_flow_copy(&f, all, mine);
  mpj_flow_end(&f);
  struct mpj_schedule *s = finish(b);
  /* The recv comes behind the one step that waits for nothing; what depends on it, behind it. */
  ck_assert_int_eq(s->steps[0].kind, MPJ_STEP_RECV);
  ck_assert_uint_eq(followers(s, 0), MANY);
  for (int i = 1; i <= MANY; i++) { /* each only before what writes its part, or all of them */
    ck_assert_uint_eq(followers(s, i), 1);
    ck_assert(follows(s, i, i == 8 ? again : whole));
    ck_assert_uint_eq(s->waits[i], 1);
  }
  ck_assert(follows(s, again, whole) && follows(s, whole, last) && follows(s, again, last));
  ck_assert_uint_eq(s->waits[whole], MANY);
  mpj_schedule_free(s);
}
END_TEST

START_TEST(bits_out_of_range_are_unsupported)
{
  const long before = mpj_memory_outstanding();
  for (int kind = 0; kind < 4; kind++) {
    struct mpj_schedule_builder *b = begin();
    const unsigned bit = kind < 2 ? MPJ_BITS_MAX : MPJ_ARRIVALS_MOST + 1u;
    if (kind == 0) ck_assert_int_eq(mpj_schedule_signal(b, 1, bit, 0, NULL), 0);
    if (kind == 1) ck_assert_int_eq(mpj_schedule_await(b, 1, bit, 0, NULL), 0);
    if (kind == 2) ck_assert_int_eq(mpj_schedule_send(b, 1, bit, mine, 0, NULL), 0);
    if (kind == 3) ck_assert_int_eq(mpj_schedule_recv(b, 1, bit, all, 0, NULL), 0);
    mpj_schedule_copy(b, mine, all, 0, NULL); /* the error stays */
    expect_unsupported(b, "arrival");
  }
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

/* Everything that a builder can do, more than once. */
static int build_everything(struct mpj_schedule **s)
{
  struct mpj_schedule_builder *b;
  int deps[70] = {0};
  const int status = mpj_schedule_begin(MPJ_OPERATION_BCAST, 1, 0, 0, &b);
  if (status != MPJ_SUCCESS) return status;
  for (int i = 0; i < 70; i++)
    deps[i] = mpj_schedule_copy(b, mine, all, 0, NULL);
  for (unsigned bit = 1; bit < 4; bit++) {
    const struct mpj_operand t = mpj_schedule_temporary(b, mine);
    const int got = mpj_schedule_recv(b, 1, bit, t, 0, NULL);
    mpj_schedule_reduce(b, t, all, got > 0, &got);
  }
  mpj_schedule_send(b, 1, 9, mine, 70, deps);
  return mpj_schedule_finish(b, s);
}

START_TEST(builder_without_memory_fails_wherever_it_comes_and_leaks_nothing)
{
  const long before = mpj_memory_outstanding();
  struct mpj_schedule *s = NULL;
  long successes = 0;
  int status = MPJ_ERR_NO_MEM;
  for (; status != MPJ_SUCCESS; successes++) {
    ck_assert_int_eq(mpj_memory_outstanding(), before);
    mpj_memory_fail_after(successes);
    status = build_everything(&s);
    mpj_memory_fail_after(-1);
    ck_assert(status == MPJ_SUCCESS || (status == MPJ_ERR_NO_MEM && !s));
  }
  ck_assert_int_gt(successes, 10); /* as many places can fail */
  mpj_schedule_free(s);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(distances_name_every_other_rank_once)
{
  for (int size = 2; size <= 9; size++)
    for (int receiver = 0; receiver < size; receiver++) {
      unsigned seen = 0;
      for (int source = 0; source < size; source++)
        if (source != receiver) seen |= 1u << mpj_distance_bit(source, receiver, size);
      ck_assert_uint_eq(seen, (1u << size) - 2);
    }
}
END_TEST

START_TEST(operations_have_their_public_names)
{
  ck_assert_str_eq(mpj_operation_name(MPJ_OPERATION_BARRIER), "MPJ_Barrier");
  ck_assert_str_eq(mpj_operation_name(MPJ_OPERATION_BCAST), "MPJ_Bcast");
  ck_assert_str_eq(mpj_operation_name(MPJ_OPERATION_GATHER), "MPJ_Gather");
  ck_assert_str_eq(mpj_operation_name(MPJ_OPERATION_SCATTER), "MPJ_Scatter");
  ck_assert_ptr_nonnull(mpj_operation_name(MPJ_OPERATION_NONE));
  ck_assert_ptr_nonnull(strstr(mpj_operation_name(255), "unknown"));
}
END_TEST

/* Of rank `rank` of a ring: to the next rank, from the one before. */
static struct mpj_schedule *of_ring(int rank, int size, unsigned bit)
{
  struct mpj_schedule_builder *b = begin();
  mpj_schedule_send(b, (rank + 1) % size, bit, mine, 0, NULL);
  mpj_schedule_recv(b, (rank + size - 1) % size, bit, all, 0, NULL);
  return finish(b);
}

START_TEST(ranks_share_schedules_that_are_equal_seen_from_them)
{
  enum { RANKS = 100 };
  const long before = mpj_memory_outstanding();
  struct mpj_shared set = {0};
  struct mpj_schedule *of[RANKS], *unlike[2];
  for (int rank = 0; rank < RANKS; rank++) {
    of[rank] = mpj_schedule_share(&set, of_ring(rank, RANKS, 1), rank, RANKS);
    ck_assert_ptr_eq(of[rank], of[0]);
  }
  ck_assert_int_eq(of[0]->steps[0].peer, 1);
  ck_assert_int_eq(of[0]->steps[1].peer, RANKS - 1);
  unlike[0] = mpj_schedule_share(&set, of_ring(0, RANKS, 2), 0, RANKS); /* another bit */
  unlike[1] = mpj_schedule_share(&set, of_ring(0, 7, 1), 0, 7);         /* another peer */
  ck_assert(unlike[0] != of[0] && unlike[1] != of[0] && unlike[1] != unlike[0]);
  ck_assert_uint_eq(set.n, 3);
  for (int rank = 0; rank < RANKS - 1; rank++)
    mpj_schedule_free(of[rank]);
  ck_assert_uint_eq(set.n, 3); /* the last still has it */
  mpj_schedule_free(of[RANKS - 1]);
  ck_assert_uint_eq(set.n, 2);
  mpj_schedule_free(unlike[1]);
  mpj_schedule_free(unlike[0]);
  mpj_shared_end(&set);
  ck_assert_int_eq(mpj_memory_outstanding(), before);
}
END_TEST

START_TEST(hundreds_of_unlike_schedules_are_found_again)
{
  enum { KINDS = 200, SIZE = 1000 };
  struct mpj_shared set = {0};
  struct mpj_schedule *first[KINDS], *again[KINDS];
  for (int i = 0; i < KINDS; i++)
    first[i] = mpj_schedule_share(&set, of_ring(0, SIZE - i, 1), 0, SIZE - i);
  ck_assert_uint_eq(set.n, KINDS);
  for (int i = 0; i < KINDS; i++) {
    again[i] = mpj_schedule_share(&set, of_ring(5, SIZE - i, 1), 5, SIZE - i);
    ck_assert_ptr_eq(again[i], first[i]);
  }
  for (int i = 0; i < KINDS; i++) {
    mpj_schedule_free(first[i]);
    mpj_schedule_free(again[i]);
  }
  ck_assert_uint_eq(set.n, 0);
  mpj_shared_end(&set);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/schedule", steps_keep_what_they_were_laid_down_with,
                   only_awaits_and_recvs_own_bits_and_wait_for_one_arrival,
                   each_of_many_arrivals_is_found_by_its_bit, dependencies_are_counted_and_inverted,
                   temporaries_know_what_they_are_like, schedule_may_have_no_steps,
                   steps_operands_and_dependencies_are_more_than_16_bits_name,
                   a_flow_finds_what_touches_one_part_among_70000,
                   bits_out_of_range_are_unsupported,
                   builder_without_memory_fails_wherever_it_comes_and_leaks_nothing,
                   distances_name_every_other_rank_once, operations_have_their_public_names,
                   ranks_share_schedules_that_are_equal_seen_from_them,
                   hundreds_of_unlike_schedules_are_found_again);
}
