/* This file tests what ranks see of each other's states. */
#include "base/suite.h"
#include "net/endpoints.h"

START_TEST(peers_see_who_left_and_who_died_of_what)
{
  struct endpoints e;
  int cause = -1;
  endpoints_open(&e, 3);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_ACTIVE);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 0);
  mpj_net_close(e.net[1], MPJ_RANK_FINALIZED, 0);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_FINALIZED);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 1);
  mpj_net_close(e.net[2], MPJ_RANK_DEAD, MPJ_CAUSE_RETURNED | 7);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 2, &cause), MPJ_RANK_DEAD);
  ck_assert_int_eq(cause, MPJ_CAUSE_RETURNED | 7);
  ck_assert_uint_eq(mpj_net_changes(e.net[0]), 2);
  e.net[1] = e.net[2] = NULL;
  atomic_store(&mpj_segment_rank(e.segment, 1)->state, 99); /* what nobody writes */
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 1, NULL), MPJ_RANK_DEAD);
  endpoints_close(&e);
}
END_TEST

START_TEST(rank_that_never_came_is_absent)
{
  struct endpoints e;
  endpoints_open(&e, 1);
  ck_assert_int_eq(e.net[0]->rank, 0);
  ck_assert_int_eq(e.net[0]->size, 1);
  ck_assert_int_eq(e.net[0]->eager_bytes, e.segment->config.eager_bytes);
  ck_assert_int_eq(e.net[0]->cores, e.segment->config.cores);
  atomic_store(&mpj_segment_rank(e.segment, 0)->state, MPJ_RANK_ABSENT);
  ck_assert_int_eq(mpj_net_peer_state(e.net[0], 0, NULL), MPJ_RANK_ABSENT);
  endpoints_close(&e);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/states", peers_see_who_left_and_who_died_of_what,
                   rank_that_never_came_is_absent);
}
