/* This file tests the Alltoall of sparse types: what the plays of exchanges do not show. */
#include "coll/failure/one_sided.h"
#include "coll/sparse_sides.h"

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

/* Call with others' lists until no schedule is kept that was there before. */
static int drop_schedules(struct buffers *b)
{
  int n = 0;
  for (int one = 1; n <= MPJ_SCHEDULES_CACHED; one++)
    for (int other = one + 1; other <= 16; other++, n++) {
      const struct side s = neighbours(1, 2, (const int[]){one, other});
      MPJ_Datatype type = make(&s);
      NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD) && !MPJ_Type_free(&type));
    }
  return 0;
}

/* A request that was made where its arguments were known outlives the schedule of that call. */
static int start_after_drop(void *arg)
{
  enum { UNTIL_KNOWN = 130 };
  const struct side s = neighbours(4, 3, distances);
  struct buffers *b = new_buffers();
  MPJ_Datatype type = make(&s);
  MPJ_Request request;
  (void)arg;
  NEED(b);
  for (int call = 0; call < UNTIL_KNOWN; call++)
    NEED(!MPJ_Alltoall(b->out, type, b->in, type, MPJ_COMM_WORLD));
  NEED(!MPJ_Alltoall_init(b->out, type, b->in, type, MPJ_COMM_WORLD, &request));
  NEED(!MPJ_Start(&request) && !MPJ_Wait(&request) && !MPJ_Type_free(&type));
  NEED(!drop_schedules(b));
  fill(&s, 1, b->out);
  NEED(!MPJ_Start(&request) && !MPJ_Wait(&request));
  NEED(all_have_come(&s, 1, b->in) && !MPJ_Request_free(&request));
  free(b);
  return 0;
}

START_TEST(a_request_outlives_its_schedule)
{
  play(33, start_after_drop, NULL);
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

int main(void)
{
  return RUN_SUITE("coll/sparse_alltoall", halos_arrive_in_all_forms,
                   what_a_rank_does_is_in_proportion_to_its_parts,
                   equal_lists_of_parts_share_a_schedule, a_request_outlives_its_schedule,
                   a_halo_goes_from_an_array_to_itself, ranks_without_peers_wait_for_nobody);
}
