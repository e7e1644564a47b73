/* This file tests the Alltoall of sparse types: what the plays of exchanges do not show. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/engine_play.h"
#include "coll/failure/one_sided.h"

enum { LONG = 5000, MOST = 256, ROUNDS = 4 };

/* Blocks of n ints: block k, from displs[k] ints on, is for or from rank peers[k]. */
struct side {
  int n;
  MPJ_Count peers[8];
  MPJ_Count ints; /* of each block */
};

static MPJ_Datatype make(const struct side *s)
{
  MPJ_Datatype block, made = MPJ_DATATYPE_NULL, blocks[8];
  MPJ_Aint displs[8];
  if (MPJ_Type_contiguous(s->ints, MPJ_INT, &block)) return made;
  for (int k = 0; k < s->n; k++) {
    blocks[k] = block;
    displs[k] = k * s->ints * (MPJ_Aint)sizeof(int);
  }
  if (!MPJ_Type_create_sparse(world()->size, s->n, s->peers, displs, blocks, &made))
    MPJ_Type_commit(&made);
  MPJ_Type_free(&block);
  return made;
}

static int value(int from, int to, int round)
{
  return 1 + from + 1000 * to + 1000000 * round;
}

static void fill(const struct side *s, int round, int out[])
{
  for (int i = 0; i < s->n * (int)s->ints; i++)
    out[i] = value(world()->rank, (int)s->peers[i / (int)s->ints], round);
}

static bool has_come(const struct side *s, int k, int round, const int in[])
{
  const int first = in[k * s->ints], last = in[(k + 1) * s->ints - 1];
  return first == last && first == value((int)s->peers[k], world()->rank, round);
}

static bool all_have_come(const struct side *s, int round, const int in[])
{
  for (int k = 0; k < s->n; k++)
    if (!has_come(s, k, round, in)) return false;
  return true;
}

static void add_peer(struct side *s, int peer)
{
  int k = 0;
  while (k < s->n && s->peers[k] < peer)
    k++;
  if (k < s->n && s->peers[k] == peer) return;
  for (int j = s->n++; j > k; j--)
    s->peers[j] = s->peers[j - 1];
  s->peers[k] = peer;
}

/* The neighbours on a ring at these distances, both ways. */
static struct side neighbours(MPJ_Count ints, int n, const int distances[])
{
  struct side s = {.ints = ints};
  const int p = world()->size, me = world()->rank;
  for (int k = 0; k < n; k++) {
    add_peer(&s, (me + distances[k]) % p);
    add_peer(&s, (me + p - distances[k] % p) % p);
  }
  return s;
}

struct buffers {
  int out[8 * LONG], in[8 * LONG];
};

static struct buffers *new_buffers(void)
{
  return calloc(1, sizeof(struct buffers));
}

static const int distances[3] = {1, 16, 64};

/* Halos of short, eager and long data, in all three forms. */
static int exchange_halos(void *arg)
{
  static const MPJ_Count lengths[] = {1, 100, LONG};
  struct buffers *b = new_buffers();
  (void)arg;
  NEED(b);
  for (int l = 0; l < 3; l++) {
    const struct side s = neighbours(lengths[l], 3, distances);
    MPJ_Datatype type = make(&s);
    MPJ_Request request;
    for (int round = 0; round < ROUNDS; round++) {
      fill(&s, round, b->out);
      NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD));
      NEED(all_have_come(&s, round, b->in));
    }
    fill(&s, 7, b->out);
    NEED(!MPJ_Ialltoall(b->out, type, b->in, type, MPJ_COMM_WORLD, &request));
    NEED(!MPJ_Wait(&request) && all_have_come(&s, 7, b->in));
    fill(&s, 8, b->in);
    NEED(!MPJ_Alltoall(MPJ_IN_PLACE, MPJ_DATATYPE_NULL, b->in, type, MPJ_COMM_WORLD));
    NEED(all_have_come(&s, 8, b->in));
    NEED(!MPJ_Alltoall_init(b->out, type, b->in, type, MPJ_COMM_WORLD, &request));
    NEED(!MPJ_Type_free(&type));
    for (int round = 9; round < 9 + ROUNDS; round++) {
      fill(&s, round, b->out);
      NEED(!MPJ_Start(&request) && !MPJ_Wait(&request));
      NEED(all_have_come(&s, round, b->in));
    }
    NEED(!MPJ_Request_free(&request));
  }
  free(b);
  return 0;
}

START_TEST(halos_arrive_in_all_forms)
{
  static const int sizes[] = {1, 2, 3, 9, 33};
  for (int i = 0; i < 5; i++)
    play(sizes[i], exchange_halos, NULL);
}
END_TEST

/* The communicator's schedule for such lists, and how many it keeps of sparse Alltoalls. */
static const struct mpj_schedule *find_schedule(int *n)
{
  const struct mpj_schedules *all = world()->schedules;
  const struct mpj_schedule *found = NULL;
  *n = 0;
  for (unsigned i = 0; i < all->ncached; i++) {
    if (!mpj_called_sparse(all->cached[i]->called)) continue;
    found = all->cached[i];
    ++*n;
  }
  return found;
}

/* Each rank has 3 neighbours on either side of 256: 6 messages out, 6 in. */
static int count_messages(void *arg)
{
  const struct side s = neighbours(4, 3, distances);
  struct buffers *b = new_buffers();
  MPJ_Datatype type = make(&s);
  int n, sends = 0, receives = 0;
  (void)arg;
  NEED(b && s.n == 6);
  for (int round = 0; round < 3; round++) {
    fill(&s, round, b->out);
    NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD));
    NEED(all_have_come(&s, round, b->in));
  }
  const struct mpj_schedule *schedule = find_schedule(&n);
  NEED(n == 1);
  for (unsigned i = 0; i < schedule->nsteps; i++) {
    sends += schedule->steps[i].kind == MPJ_STEP_SEND;
    receives += schedule->steps[i].kind == MPJ_STEP_RECV;
  }
  NEED(sends == 6 && receives == 6 && schedule->nsteps == 12);
  NEED(schedule->noperands == 13 && schedule->ntemporaries == 0 && schedule->nnext == 0);
  MPJ_Count bytes;
  NEED(!MPJ_Type_memory(type, &bytes) && bytes < 1500);
  free(b);
  return MPJ_Type_free(&type);
}

START_TEST(what_a_rank_does_is_in_proportion_to_its_parts)
{
  play(MOST, count_messages, NULL);
}
END_TEST

/* Types made anew for each call, and others of the same parts, have the schedule; others not. */
static int make_anew(void *arg)
{
  struct buffers *b = new_buffers();
  int n;
  (void)arg;
  NEED(b);
  for (int round = 0; round < 12; round++) {
    const struct side s = neighbours(1 + round % 3 * 40, 1 + round / 9, distances);
    MPJ_Datatype type = make(&s);
    fill(&s, round, b->out);
    NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD));
    NEED(all_have_come(&s, round, b->in) && !MPJ_Type_free(&type));
    NEED(find_schedule(&n) && n == (round < 9 ? 1 : 2));
  }
  free(b);
  return 0;
}

START_TEST(equal_lists_of_parts_share_a_schedule)
{
  play(40, make_anew, NULL);
}
END_TEST

/* Parts of one buffer, some of them sent and others received: a halo in the array itself. */
static int in_one_array(void *arg)
{
  const int p = world()->size, me = world()->rank;
  enum { WIDTH = 10 };
  int row[WIDTH + 2];
  struct side s = {.ints = 1};
  (void)arg;
  for (int i = 0; i < WIDTH + 2; i++)
    row[i] = 100 * me + i;
  add_peer(&s, (me + 1) % p);
  add_peer(&s, (me + p - 1) % p);
  MPJ_Aint from[2], to[2];
  MPJ_Datatype ints[2] = {MPJ_INT, MPJ_INT}, out, in;
  for (int k = 0; k < 2; k++) {
    const bool right = s.peers[k] == (me + 1) % p;
    from[k] = (right ? WIDTH : 1) * (MPJ_Aint)sizeof(int);
    to[k] = (right ? WIDTH + 1 : 0) * (MPJ_Aint)sizeof(int);
  }
  NEED(!MPJ_Type_create_sparse(p, 2, s.peers, from, ints, &out) && !MPJ_Type_commit(&out));
  NEED(!MPJ_Type_create_sparse(p, 2, s.peers, to, ints, &in) && !MPJ_Type_commit(&in));
  NEED(!MPJ_Alltoall(row, out, row, in, MPJ_COMM_WORLD));
  NEED(row[0] == 100 * ((me + p - 1) % p) + WIDTH && row[WIDTH + 1] == 100 * ((me + 1) % p) + 1);
  for (int i = 1; i <= WIDTH; i++)
    NEED(row[i] == 100 * me + i);
  return MPJ_Type_free(&out) || MPJ_Type_free(&in);
}

START_TEST(a_halo_goes_from_an_array_to_itself)
{
  play(5, in_one_array, NULL);
}
END_TEST

/* Ranks that exchange nothing run ahead; those of an even number exchange with themselves. */
static int with_nobody(void *arg)
{
  struct side s = {.ints = 50};
  struct buffers *b = new_buffers();
  (void)arg;
  NEED(b);
  if (world()->rank % 2 == 0) add_peer(&s, world()->rank);
  MPJ_Datatype type = make(&s);
  for (int round = 0; round < 50; round++) {
    fill(&s, round, b->out);
    NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD));
    NEED(all_have_come(&s, round, b->in));
  }
  free(b);
  return MPJ_Type_free(&type);
}

START_TEST(ranks_without_peers_wait_for_nobody)
{
  play(4, with_nobody, NULL);
}
END_TEST

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

/* Of any length, while rank 1 waits for others: either. */
static int stray_at_any_time(void *arg)
{
  struct buffers *b = new_buffers();
  const int me = world()->rank;
  const MPJ_Count ints = *(const MPJ_Count *)arg;
  struct side out = one_peer(ints, (me + 2) % 3), in = one_peer(ints, (me + 1) % 3);
  NEED(b);
  if (me == 0) add_peer(&out, 1);
  const int status = exchange(b, out, in, 1);
  NEED(all_have_come(&in, 1, b->in));
  if (status) NEED(me == 1 && is_error(status, MPJ_ERR_SIGNATURE, "rank 0 sent"));
  int failures = 0; /* of one of the next, on the ranks that had not done their part before */
  for (int round = 2; round < 6; round++)
    failures += works(b, round) != 0;
  NEED(failures <= 1);
  free(b);
  return 0;
}

START_TEST(unexpected_data_of_any_length_is_declined)
{
  static const MPJ_Count lengths[] = {1, 100, LONG};
  for (int i = 0; i < 3; i++)
    play(3, stray_at_any_time, (void *)(uintptr_t)&lengths[i]);
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
  int status = me == 1
                   ? MPJ_Alltoall(b->out, parts, b->in, parts, MPJ_COMM_WORLD)
                   : exchange(b, one_peer(1, (me + 1) % p), one_peer(1, (me + p - 1) % p), 0);
  while (!status) /* who has done its part before hears of it in time */
    status = MPJ_Barrier(MPJ_COMM_WORLD);
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
  return RUN_SUITE("coll/sparse_alltoall", halos_arrive_in_all_forms,
                   what_a_rank_does_is_in_proportion_to_its_parts,
                   equal_lists_of_parts_share_a_schedule, a_halo_goes_from_an_array_to_itself,
                   ranks_without_peers_wait_for_nobody, unexpected_data_is_an_error_of_the_call,
                   unexpected_data_that_is_late_is_an_error_of_the_next_call,
                   unexpected_data_of_any_length_is_declined,
                   ranks_that_wait_for_each_other_in_vain_are_told,
                   who_waits_for_a_rank_that_has_ended_is_told,
                   an_own_part_with_one_side_is_an_error, types_are_sparse_on_all_ranks_or_on_none,
                   checking_finds_types_that_are_not_sparse_on_all_ranks,
                   both_types_of_a_rank_are_sparse_or_none, checking_finds_pairs_with_one_side);
}
