/* This file tests that the two ends of each message give it one name: it lays down the schedules of
 * all ranks by each algorithm, and compares what they send with what they expect. */
#include "coll/select_cases.h"

#include "coll/plan/flow.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/select/algorithms.h"

enum { RANKS_MOST = 17, NODE = 3 };

struct job {
  struct mpj_facts facts;
  const struct mpj_algorithm *algorithm;
  int root;
  unsigned variant;
  struct mpj_schedule *of[RANKS_MOST];
};

static struct mpj_schedule *lay(const struct job *j, int rank, unsigned *names)
{
  const struct mpj_comm comm = {.rank = rank, .size = j->facts.ranks, .facts = j->facts};
  struct mpj_schedule_builder *b;
  struct mpj_schedule *s = NULL;
  ck_assert_int_eq(mpj_schedule_begin(j->algorithm->operation, 0, j->root, j->variant, &b),
                   MPJ_SUCCESS);
  struct mpj_flow flow = mpj_flow_begin(&comm, b, j->variant);
  j->algorithm->build(&flow, j->root);
  *names = flow.names;
  mpj_flow_end(&flow);
  ck_assert_int_eq(mpj_schedule_finish(b, &s), MPJ_SUCCESS);
  return s;
}

static bool gives(const struct mpj_step *step)
{
  return step->kind == MPJ_STEP_SEND || step->kind == MPJ_STEP_SIGNAL;
}

/* Each message of `rank` is expected by its receiver, from this rank. Returns how many. */
static unsigned check_sent(const struct job *j, int rank)
{
  unsigned n = 0;
  for (unsigned i = 0; i < j->of[rank]->nsteps; i++) {
    const struct mpj_step *step = &j->of[rank]->steps[i];
    if (!gives(step)) continue;
    const struct mpj_schedule *there = j->of[step->peer];
    const unsigned at = mpj_schedule_step_of(there, step->bit);
    ck_assert_msg(at != MPJ_NO_STEP && there->steps[at].peer == rank,
                  "%s by %s, %d ranks, root %d, variant %x: %d sends message %u to %d",
                  mpj_operation_word(j->algorithm->operation), j->algorithm->name, j->facts.ranks,
                  j->root, j->variant, rank, step->bit, step->peer);
    n++;
  }
  return n;
}

static void check(struct job *j)
{
  const int p = j->facts.ranks;
  unsigned sent = 0, expected = 0, names = 0;
  for (int rank = 0; rank < p; rank++) {
    unsigned here;
    j->of[rank] = lay(j, rank, &here);
    if (rank > 0) ck_assert_uint_eq(here, names);
    names = here;
    expected += j->of[rank]->nexpected;
    ck_assert_uint_le(j->of[rank]->arrivals, names + 1);
  }
  for (int rank = 0; rank < p; rank++)
    sent += check_sent(j, rank);
  ck_assert_uint_eq(sent, expected);
  for (int rank = 0; rank < p; rank++)
    mpj_schedule_free(j->of[rank]);
}

static void check_variants(struct job *j)
{
  static const unsigned buffers[] = {0, MPJ_VARIANT_SEND_DENSE | MPJ_VARIANT_RECV_DENSE,
                                     MPJ_VARIANT_IN_PLACE, MPJ_VARIANT_ORDERED};
  const struct mpj_algorithm *a = j->algorithm;
  for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++) {
    if (buffers[k] == MPJ_VARIANT_ORDERED && (a->needs & MPJ_NEEDS_COMMUTATIVE)) continue;
    for (int more = 0; more < (a->radix > 0 && !a->fixed_radix ? 2 : 1); more++)
      for (unsigned segments = 0; segments <= (a->segmented ? 3 : 0); segments += 3) {
        j->variant = buffers[k] + (unsigned)(a->radix + more) % 256 * MPJ_VARIANT_RADIX +
                     segments * MPJ_VARIANT_SEGMENTS;
        if (a->radix + more <= MPJ_RADIX_MOST) check(j);
      }
  }
}

START_TEST(both_ends_of_each_message_name_it_alike)
{
  for (unsigned i = 0; mpj_algorithm_row(i); i++)
    for (int p = 1; p <= RANKS_MOST; p++)
      for (int nodes = 1; nodes < 3; nodes++) {
        struct job j = {.facts = crew(p, 2), .algorithm = mpj_algorithm_row(i)};
        if (j.algorithm->needs & MPJ_NEEDS_SPARSE) continue;
        j.facts.node_ranks = nodes == 1 ? p : NODE;
        j.facts.nodes = (p - 1) / j.facts.node_ranks + 1;
        for (j.root = 0; j.root < p; j.root += 1 + p / 3)
          check_variants(&j);
      }
}
END_TEST

START_TEST(a_message_outside_its_phases_is_refused)
{
  const struct mpj_comm comm = {.size = 2};
  for (int index = 0; index < 4; index++) {
    struct mpj_schedule_builder *b;
    struct mpj_schedule *s = NULL;
    ck_assert_int_eq(mpj_schedule_begin(MPJ_OPERATION_BCAST, 0, 0, 0, &b), MPJ_SUCCESS);
    struct mpj_flow flow = mpj_flow_begin(&comm, b, 0);
    const unsigned phase = mpj_flow_phase(&flow, 2);
    mpj_flow_send(&flow, 1, mpj_name(phase, index), mpj_operand_whole(MPJ_BUFFER_RECV));
    mpj_flow_end(&flow);
    ck_assert_int_eq(mpj_schedule_finish(b, &s),
                     index == 1 || index == 2 ? MPJ_SUCCESS : MPJ_ERR_INTERNAL);
    if (s) mpj_schedule_free(s);
  }
}
END_TEST

START_TEST(phases_that_have_no_room_end_the_building_on_all_ranks)
{
  const struct mpj_comm comm = {.size = 2};
  for (int more = 0; more < 2; more++) {
    struct mpj_schedule_builder *b;
    struct mpj_schedule *s = NULL;
    ck_assert_int_eq(mpj_schedule_begin(MPJ_OPERATION_BCAST, 0, 0, 0, &b), MPJ_SUCCESS);
    struct mpj_flow flow = mpj_flow_begin(&comm, b, 0);
    mpj_flow_phase(&flow, MPJ_ARRIVALS_MOST - 5);
    mpj_flow_phase(&flow, 5 + more);
    mpj_flow_end(&flow);
    ck_assert_int_eq(mpj_schedule_finish(b, &s), more ? MPJ_TOO_MANY_NAMES : MPJ_SUCCESS);
    if (s) mpj_schedule_free(s);
  }
}
END_TEST

int main(void)
{
  return RUN_SUITE("coll/names", both_ends_of_each_message_name_it_alike,
                   a_message_outside_its_phases_is_refused,
                   phases_that_have_no_room_end_the_building_on_all_ranks);
}
