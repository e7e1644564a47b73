/* This file tests what goes wrong with the Alltoall of sparse types: pairs of which one side has
 * data, and ranks whose types are not sparse. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/sparse_sides.h"

/* Of a pair only one side has data: rank 1 hears of it, everything else arrives, and the next
 * exchanges work. */

static int is_error(int status, int code, const char *text)
{
  if (status == code && strstr(MPJ_Error_detail(), text)) return 1;
  fprintf(stderr, "rank %d: status %d, %s; expected %d, %s\n", world()->rank, status,
          MPJ_Error_detail(), code, text);
  return 0;
}

/* With types of nothing but the peers, of `ints` ints each. */
static int exchange(struct buffers *b, struct side out, struct side in, int round)
{
  MPJ_Datatype sends = make(&out), receives = make(&in);
  fill(&out, round, b->out);
  const int status = MPJ_Alltoall(b->out, sends, b->in, receives, MPJ_COMM_WORLD);
  MPJ_Type_free(&sends);
  MPJ_Type_free(&receives);
  return status;
}

static struct side one_peer(MPJ_Count ints, int peer)
{
  return (struct side){.n = 1, .peers = {peer}, .ints = ints};
}

static const struct side nobody = {.ints = 1};

/* All exchange with the next rank. */
static int works(struct buffers *b, int round)
{
  const int p = world()->size, me = world()->rank;
  const struct side out = one_peer(9, (me + 1) % p), in = one_peer(9, (me + p - 1) % p);
  NEED(!exchange(b, out, in, round) && all_have_come(&in, round, b->in));
  return 0;
}

/* Rank 0 sends what rank 1 does not expect: it is there before the call. */
static int early_stray(void *arg)
{
  struct buffers *b = new_buffers();
  NEED(b);
  if (world()->rank == 0) {
    NEED(!exchange(b, one_peer(100, 1), nobody, 0));
    rendezvous(world(), arg);
  } else {
    rendezvous(world(), arg);
    mpj_net_poll(world()->net);
    const int status = exchange(b, nobody, nobody, 0);
    NEED(is_error(status, MPJ_ERR_SIGNATURE, "rank 0 sent 100 int"));
    NEED(is_error(status, MPJ_ERR_SIGNATURE, "part 0 of recvtype describes nothing"));
  }
  const int line = works(b, 1);
  free(b);
  return line;
}

START_TEST(unexpected_data_is_an_error_of_the_call)
{
  _Atomic int count = 0;
  play(2, early_stray, &count);
}
END_TEST

/* It comes when rank 1 has ended the call: the next one fails, on both. */
static int late_stray(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  int mine = me, all[2];
  MPJ_Datatype ints;
  NEED(b && !MPJ_Type_contiguous(2, MPJ_INT, &ints) && !MPJ_Type_commit(&ints));
  if (me == 1) NEED(!exchange(b, nobody, nobody, 0));
  rendezvous(world(), arg);
  if (me == 0) NEED(!exchange(b, one_peer(100, 1), nobody, 0));
  const int status = MPJ_Allgather(&mine, MPJ_INT, all, ints, MPJ_COMM_WORLD);
  if (me == 1 || status != MPJ_SUCCESS) /* rank 0 may have ended it by then */
    NEED(is_error(status, MPJ_ERR_SIGNATURE,
                  "rank 0 sent data to rank 1, where part 0 of recvtype"));
  const int line = works(b, 1);
  free(b);
  return line ? line : MPJ_Type_free(&ints);
}

START_TEST(unexpected_data_that_is_late_is_an_error_of_the_next_call)
{
  _Atomic int count = 0;
  play(2, late_stray, &count);
}
END_TEST

/* Data of any length, while rank 1 waits for others: this call of its fails or, on each rank that
 * has heard too late, the next one. Then all calls are well. */
enum { TRIES = 4 };
struct stray {
  MPJ_Count ints;
  _Atomic int met[TRIES], failed[TRIES];
};

static int stray_at_any_time(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  struct stray *stray = arg;
  struct side out = one_peer(stray->ints, (me + 2) % 3), in = one_peer(stray->ints, (me + 1) % 3);
  int failed = 1;
  NEED(b);
  if (me == 0) add_peer(&out, 1);
  const int status = exchange(b, out, in, 1);
  NEED(all_have_come(&in, 1, b->in));
  if (status) NEED(me == 1 && is_error(status, MPJ_ERR_SIGNATURE, "rank 0 sent"));
  for (int i = 0; i < TRIES && failed; i++) {
    if (works(b, 2 + i)) atomic_fetch_add(&stray->failed[i], 1);
    rendezvous(world(), &stray->met[i]);
    failed = atomic_load(&stray->failed[i]);
  }
  NEED(!failed);
  free(b);
  return 0;
}

START_TEST(unexpected_data_of_any_length_is_declined)
{
  static const MPJ_Count lengths[] = {1, 100, LONG};
  for (int i = 0; i < 3; i++) {
    struct stray stray = {.ints = lengths[i]};
    play(3, stray_at_any_time, &stray);
  }
}
END_TEST

/* Ranks 0 and 1 wait for each other, and neither sends; rank 2 gives rank 0 something. */
static int nobody_sends(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  struct side out = nobody, in = nobody;
  int status;
  (void)arg;
  NEED(b);
  in.ints = out.ints = 20;
  if (me == 0) add_peer(&in, 1);
  if (me == 0) add_peer(&in, 2);
  if (me == 1) add_peer(&in, 0);
  if (me == 2) add_peer(&out, 0);
  status = exchange(b, out, in, 1);
  if (me == 0) NEED(is_error(status, MPJ_ERR_SIGNATURE, "rank 1 sent nothing"));
  if (me == 0) NEED(has_come(&in, 1, 1, b->in));
  if (me == 1) NEED(is_error(status, MPJ_ERR_SIGNATURE, "rank 0 sent nothing"));
  if (me == 1) NEED(is_error(status, MPJ_ERR_SIGNATURE, "part 0 of recvtype describes 20 int"));
  if (me == 2) NEED(!status);
  const int line = works(b, 2);
  free(b);
  return line;
}

START_TEST(ranks_that_wait_for_each_other_in_vain_are_told)
{
  play(3, nobody_sends, NULL);
}
END_TEST

/* Rank 0 has ended the call without sending anything. */
static int nothing_comes(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  (void)arg;
  NEED(b);
  const int status = exchange(b, nobody, me == 1 ? one_peer(20, 0) : nobody, 1);
  if (me == 1) NEED(is_error(status, MPJ_ERR_SIGNATURE, "rank 0 sent nothing"));
  if (me == 0) NEED(!status);
  const int line = works(b, 2);
  free(b);
  return line;
}

START_TEST(who_waits_for_a_rank_that_has_ended_is_told)
{
  play(2, nothing_comes, NULL);
}
END_TEST

/* This rank's own part is empty on one side. */
static int own_part(void *arg)
{
  struct buffers *b = new_buffers();
  (void)arg;
  NEED(b);
  const struct side own = one_peer(5, world()->rank);
  NEED(is_error(exchange(b, own, nobody, 0), MPJ_ERR_SIGNATURE, "of recvtype describes nothing"));
  NEED(is_error(exchange(b, nobody, own, 0), MPJ_ERR_SIGNATURE, "of sendtype describes nothing"));
  const int line = works(b, 2);
  free(b);
  return line;
}

START_TEST(an_own_part_with_one_side_is_an_error)
{
  play(1, own_part, NULL);
  play(3, own_part, NULL);
}
END_TEST

/* Rank 1's types are not sparse. */
static int unlike(void *arg)
{
  struct buffers *b = new_buffers();
  const int p = world()->size, me = world()->rank;
  MPJ_Datatype parts;
  (void)arg;
  NEED(b && !MPJ_Type_contiguous(p, MPJ_INT, &parts) && !MPJ_Type_commit(&parts));
  int status = me == 1 ? MPJ_Alltoall(b->out, parts, b->in, parts, MPJ_COMM_WORLD)
                       : exchange(b, one_peer(1, (me + 1) % p), one_peer(1, (me + p - 1) % p), 0);
  if (!status) status = MPJ_Barrier(MPJ_COMM_WORLD); /* it had done its part before it heard */
  NEED(is_error(status, MPJ_ERR_COMM, "MPJ_Alltoall of sparse types on rank "));
  NEED(is_error(status, MPJ_ERR_COMM, "MPJ_Alltoall on rank 1"));
  free(b);
  return MPJ_Type_free(&parts);
}

START_TEST(types_are_sparse_on_all_ranks_or_on_none)
{
  play(2, unlike, NULL);
  play(4, unlike, NULL);
}
END_TEST

START_TEST(checking_finds_types_that_are_not_sparse_on_all_ranks)
{
  setenv("MPJ_CHECK", "1", 1);
  play(3, unlike, NULL);
}
END_TEST

static int unlike_sides(void *arg)
{
  struct buffers *b = new_buffers();
  const int p = world()->size, me = world()->rank;
  const struct side own = one_peer(1, me);
  MPJ_Datatype parts, sparse = make(&own);
  (void)arg;
  NEED(b && !MPJ_Type_contiguous(p, MPJ_INT, &parts) && !MPJ_Type_commit(&parts));
  NEED(is_error(MPJ_Alltoall(b->out, sparse, b->in, parts, MPJ_COMM_WORLD), MPJ_ERR_PARTS,
                "sendtype is sparse, recvtype is not"));
  NEED(is_error(MPJ_Alltoall(b->out, parts, b->in, sparse, MPJ_COMM_WORLD), MPJ_ERR_PARTS,
                "recvtype is sparse, sendtype is not"));
  const int line = works(b, 2);
  free(b);
  return line ? line : MPJ_Type_free(&parts) || MPJ_Type_free(&sparse);
}

START_TEST(both_types_of_a_rank_are_sparse_or_none)
{
  play(2, unlike_sides, NULL);
}
END_TEST

/* In checking mode all ranks hear of a pair with one side, before data moves. */
static int checked(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  const bool sent = *(const bool *)arg;
  NEED(b);
  const struct side out = sent && me == 0 ? one_peer(20, 1) : nobody;
  const struct side in = !sent && me == 1 ? one_peer(20, 0) : nobody;
  NEED(is_error(exchange(b, out, in, 0), MPJ_ERR_SIGNATURE, "rank "));
  const int line = works(b, 2);
  free(b);
  return line;
}

START_TEST(checking_finds_pairs_with_one_side)
{
  static const bool sent[] = {false, true};
  setenv("MPJ_CHECK", "1", 1);
  for (int i = 0; i < 2; i++)
    play(3, checked, (void *)(uintptr_t)&sent[i]);
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/sparse_errors", unexpected_data_is_an_error_of_the_call,
                   unexpected_data_that_is_late_is_an_error_of_the_next_call,
                   unexpected_data_of_any_length_is_declined,
                   ranks_that_wait_for_each_other_in_vain_are_told,
                   who_waits_for_a_rank_that_has_ended_is_told,
                   an_own_part_with_one_side_is_an_error, types_are_sparse_on_all_ranks_or_on_none,
                   checking_finds_types_that_are_not_sparse_on_all_ranks,
                   both_types_of_a_rank_are_sparse_or_none, checking_finds_pairs_with_one_side);
}
