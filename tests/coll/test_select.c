/* These tests hold for the choice of algorithms: what is possible, what the rules choose, and that
 * ranks that differ in all they may differ in choose alike. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/comm/context.h"
#include "coll/plan/schedule_steps.h"
#include "coll/plan/shared.h"
#include "coll/select/algorithms.h"
#include "coll/select/choose.h"
#include "coll/select/words.h"
#include "coll/select_cases.h"

static const struct mpj_settings nothing;

/* Settings that ask for this. */
static struct mpj_settings *asking(enum mpj_operation operation, const char *text)
{
  static struct mpj_settings settings;
  char why[400];
  memset(&settings, 0, sizeof settings);
  ck_assert(mpj_setting_parse(operation, text, &settings.asked[operation], why, sizeof why));
  return &settings;
}

START_TEST(every_rule_names_an_algorithm)
{
  for (const struct mpj_rule *r = mpj_rules; r->name; r++) {
    const struct mpj_algorithm *a = mpj_algorithm_find(r->operation, r->name, strlen(r->name));
    ck_assert_msg(a != NULL, "%s of %s", r->name, mpj_operation_word(r->operation));
    ck_assert(r->radix == 0 || (a->radix > 0 && r->radix >= a->least_radix));
    ck_assert(r->segment == 0 || a->segmented);
  }
}
END_TEST

START_TEST(something_is_chosen_for_every_call)
{
  static const int ranks[] = {1, 2, 3, 5, 8, 17, 64, 256, 1024, 70000};
  for (unsigned op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++)
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
      for (MPJ_Count bytes = 0; bytes < 1 << 24; bytes = 3 * bytes + 5) {
        const struct mpj_facts facts = crew(ranks[i], bytes & 2 ? 2 : 64);
        struct mpj_agreed c = call_of(op, bytes, bytes & 4);
        struct mpj_selected s;
        c.cuttable = bytes & 1;
        mpj_select(&facts, &nothing, c, &s);
        ck_assert_int_eq(s.algorithm->operation, op);
        if (!c.cuttable) ck_assert(!(s.algorithm->needs & MPJ_NEEDS_CUTTABLE));
      }
}
END_TEST

START_TEST(what_is_asked_for_comes_before_the_rules)
{
  const struct mpj_facts facts = crew(8, 2);
  const struct mpj_agreed c = call_of(MPJ_OPERATION_ALLREDUCE, 1 << 20, false);
  struct mpj_selected s;
  mpj_select(&facts, asking(MPJ_OPERATION_ALLREDUCE, "exchange:4"), c, &s);
  ck_assert_str_eq(s.algorithm->name, "exchange");
  ck_assert_int_eq(s.radix, 4);
  ck_assert_int_eq(s.why, MPJ_BY_VARIABLE);
}
END_TEST

START_TEST(what_is_not_possible_falls_back)
{
  const struct mpj_facts facts = crew(8, 2);
  struct mpj_agreed c = call_of(MPJ_OPERATION_ALLREDUCE, 1 << 20, true);
  struct mpj_selected s;
  mpj_select(&facts, asking(MPJ_OPERATION_ALLREDUCE, "ring"), c, &s);
  ck_assert_str_ne(s.algorithm->name, "ring"); /* the operation does not commute */
  c.ordered = false;
  mpj_select(&facts, asking(MPJ_OPERATION_ALLREDUCE, "ring"), c, &s);
  ck_assert_str_eq(s.algorithm->name, "ring");
  c.cuttable = false;
  mpj_select(&facts, asking(MPJ_OPERATION_ALLREDUCE, "ring"), c, &s);
  ck_assert_str_ne(s.algorithm->name, "ring"); /* the data cannot be cut */
}
END_TEST

START_TEST(nodes_out_of_order_do_not_reduce_by_node)
{
  struct mpj_facts facts = crew(8, 2);
  const struct mpj_agreed c = call_of(MPJ_OPERATION_REDUCE, 64, true);
  struct mpj_selected s;
  ck_assert_int_eq(mpj_facts_pretend(&facts, 2, true), MPJ_SUCCESS);
  mpj_select(&facts, asking(MPJ_OPERATION_REDUCE, "two_level"), c, &s);
  ck_assert_str_ne(s.algorithm->name, "two_level");
  ck_assert_int_eq(mpj_facts_pretend(&facts, 2, false), MPJ_SUCCESS);
  mpj_select(&facts, asking(MPJ_OPERATION_REDUCE, "two_level"), c, &s);
  ck_assert_str_eq(s.algorithm->name, "two_level");
  mpj_facts_end(&facts);
}
END_TEST

START_TEST(nodes_are_numbered_as_ranks_come_to_them)
{
  static const int node_of[] = {7, 7, 3, 7, 0, 3};
  static const int backward[] = {5, 4, 3, 2, 1, 0}, some[] = {3, 1, 0, 4};
  static const int numbers[] = {0, 0, 1, 0, 2, 1}, turned[] = {0, 1, 2, 0, 2, 2};
  struct mpj_facts facts = crew(6, 2);
  ck_assert_int_eq(mpj_facts_map(&facts, node_of, NULL), MPJ_SUCCESS);
  ck_assert_mem_eq(facts.node_of, numbers, sizeof numbers);
  ck_assert(facts.nodes == 3 && !facts.contiguous);
  ck_assert_int_eq(mpj_facts_map(&facts, node_of, backward), MPJ_SUCCESS);
  ck_assert_mem_eq(facts.node_of, turned, sizeof turned);
  facts.ranks = 4;
  ck_assert_int_eq(mpj_facts_map(&facts, node_of, some), MPJ_SUCCESS);
  ck_assert(facts.nodes == 2 && facts.contiguous && mpj_facts_node(&facts, 3) == 1);
  mpj_facts_end(&facts);
}
END_TEST

START_TEST(many_ranks_on_nodes_of_their_own_do_not_go_by_node)
{
  const int ranks[] = {256, 257, 257}, nodes[] = {256, 257, 200};
  const struct mpj_agreed c = call_of(MPJ_OPERATION_BARRIER, 0, false);
  for (int i = 0; i < 3; i++) {
    struct mpj_facts facts = crew(ranks[i], 4);
    struct mpj_selected s;
    ck_assert_int_eq(mpj_facts_pretend(&facts, nodes[i], false), MPJ_SUCCESS);
    mpj_select(&facts, &nothing, c, &s);
    ck_assert_int_eq(strcmp(s.algorithm->name, "two_level") == 0, i != 1);
    mpj_facts_end(&facts);
  }
}
END_TEST

START_TEST(any_number_of_nodes_is_pretended_up_to_one_a_rank)
{
  const int ranks[] = {400, 200}, nodes[] = {300, 200};
  setenv("MPJ_COLL_NODES", "300", 1);
  for (int i = 0; i < 2; i++) {
    struct mpj_facts facts;
    ck_assert_int_eq(mpj_facts_make(NULL, ranks[i], NULL, &facts), MPJ_SUCCESS);
    ck_assert_int_eq(facts.nodes, nodes[i]);
    ck_assert_int_eq(mpj_facts_node(&facts, ranks[i] - 1), nodes[i] - 1);
    mpj_facts_end(&facts);
  }
}
END_TEST

START_TEST(scattered_nodes_do_not_scan_by_node)
{
  struct mpj_facts facts = crew(8, 2);
  const struct mpj_agreed c = call_of(MPJ_OPERATION_SCAN, 64, false);
  struct mpj_selected s;
  ck_assert_int_eq(mpj_facts_pretend(&facts, 2, true), MPJ_SUCCESS);
  mpj_select(&facts, asking(MPJ_OPERATION_SCAN, "two_level"), c, &s);
  ck_assert_str_ne(s.algorithm->name, "two_level");
  ck_assert_int_eq(mpj_facts_pretend(&facts, 2, false), MPJ_SUCCESS);
  mpj_select(&facts, &nothing, c, &s);
  ck_assert_str_eq(s.algorithm->name, "two_level");
  mpj_facts_end(&facts);
}
END_TEST

static int build_status(const struct mpj_comm *comm, const struct mpj_algorithm *a)
{
  struct mpj_schedule_builder *b;
  struct mpj_schedule *s = NULL;
  ck_assert_int_eq(mpj_schedule_begin(a->operation, 0, -1, 0, &b), MPJ_SUCCESS);
  struct mpj_flow flow = mpj_flow_begin(comm, b, 0);
  a->build(&flow, -1);
  mpj_flow_end(&flow);
  const int status = mpj_schedule_finish(b, &s);
  if (status == MPJ_SUCCESS) mpj_schedule_free(s);
  return status;
}

START_TEST(what_has_more_signals_than_a_window_is_passed_over_by_all_ranks)
{
  const struct mpj_agreed c = call_of(MPJ_OPERATION_BARRIER, 0, false);
  struct mpj_selected s;
  for (int ranks = 200; ranks <= 300; ranks += 100) {
    const struct mpj_facts facts = crew(ranks, 2);
    mpj_select(&facts, asking(MPJ_OPERATION_BARRIER, "two_level"), c, &s);
    ck_assert_str_eq(s.algorithm->name, "two_level");
    for (int rank = 0; rank < ranks; rank++) {
      struct mpj_comm comm = {.rank = rank, .size = ranks, .facts = facts};
      ck_assert_int_eq(build_status(&comm, s.algorithm),
                       ranks == 200 ? MPJ_SUCCESS : MPJ_TOO_MANY_NAMES);
    }
    mpj_select_after(&facts, asking(MPJ_OPERATION_BARRIER, "two_level"), c, 1, &s);
    ck_assert_str_eq(s.algorithm->name, "flat");
  }
}
END_TEST

START_TEST(segments_are_as_many_as_may_be)
{
  const struct mpj_facts facts = crew(64, 64);
  const struct mpj_agreed c = call_of(MPJ_OPERATION_REDUCE, 1 << 20, false);
  struct mpj_selected s;
  mpj_select(&facts, asking(MPJ_OPERATION_REDUCE, "knomial:2,segment=1024"), c, &s);
  ck_assert_str_eq(s.algorithm->name, "knomial");
  ck_assert_int_eq(s.segments, MPJ_SEGMENTS_MOST);
}
END_TEST

/* What a cached schedule takes, by the formula of spec/control-structure.md. */
static size_t bytes_of(const struct mpj_schedule *s)
{
  return sizeof *s + s->nsteps * (sizeof *s->steps + sizeof *s->waits) +
         s->nnext * sizeof *s->next + s->noperands * sizeof *s->operands +
         s->ntemporaries * sizeof *s->temporaries;
}

/* The largest of a few ranks' schedules of what would run. */
static size_t most_bytes(const struct mpj_facts *facts, const struct mpj_agreed *c, unsigned local)
{
  static struct mpj_comm comm;
  static const int some[] = {0, 1, 31, 62, 63};
  struct mpj_selected selected;
  size_t most = 0;
  mpj_select(facts, &nothing, *c, &selected);
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
    struct mpj_schedule_builder *b;
    struct mpj_schedule *s = NULL;
    const unsigned variant = local + (c->ordered ? MPJ_VARIANT_ORDERED : 0) +
                             (unsigned)selected.radix * MPJ_VARIANT_RADIX +
                             (unsigned)selected.segments * MPJ_VARIANT_SEGMENTS;
    comm = (struct mpj_comm){.rank = some[i], .size = facts->ranks, .facts = *facts};
    ck_assert_int_eq(mpj_schedule_begin(c->operation, 0, 0, variant, &b), MPJ_SUCCESS);
    struct mpj_flow flow = mpj_flow_begin(&comm, b, variant);
    selected.algorithm->build(&flow, 0);
    mpj_flow_end(&flow);
    ck_assert_int_eq(mpj_schedule_finish(b, &s), MPJ_SUCCESS);
    if (bytes_of(s) > most) most = bytes_of(s);
    mpj_schedule_free(s);
  }
  return most;
}

START_TEST(a_schedule_of_64_ranks_takes_12_KiB)
{
  static const unsigned dense = MPJ_VARIANT_SEND_DENSE | MPJ_VARIANT_RECV_DENSE;
  static const unsigned variants[] = {0, dense, MPJ_VARIANT_IN_PLACE, 0};
  for (unsigned op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++)
    for (MPJ_Count bytes = 8; bytes <= 1 << 24; bytes *= 8)
      for (unsigned i = 0; i < 8; i++) {
        const struct mpj_facts facts = crew(64, i < 4 ? 2 : 64);
        const struct mpj_agreed c = call_of(op, bytes, i % 4 == 3);
        const size_t most = most_bytes(&facts, &c, variants[i % 4]);
        ck_assert_msg(most <= 12 << 10, "%s of %lld bytes, variant %u, %d cores: %zu",
                      mpj_operation_word(op), (long long)bytes, i % 4, facts.cores, most);
      }
}
END_TEST

/* Through slots between two processes; threads add from layout to layout. */
START_TEST(a_reduce_of_two_processes_goes_in_segments)
{
  struct mpj_facts facts = crew(2, 2);
  struct mpj_selected s;
  mpj_select(&facts, &nothing, call_of(MPJ_OPERATION_REDUCE, 16384, false), &s);
  ck_assert_str_eq(s.algorithm->name, "kary");
  ck_assert_int_eq(s.segments, 2);
  facts.one_process = true;
  mpj_select(&facts, &nothing, call_of(MPJ_OPERATION_REDUCE, 16384, false), &s);
  ck_assert_str_eq(s.algorithm->name, "flat");
}
END_TEST

/* Ranks that differ */

enum { SAMPLES = 600 };

/* Let each thread have a core of its own, as far as there are. */
static void pin(int rank)
{
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  int skip = rank % CPU_COUNT(&all);
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &all) && skip-- == 0) {
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      sched_setaffinity(0, sizeof one, &one);
      return;
    }
}

/* Collectives with types of this rank's own making, more of them on some ranks. */
static void warm(int rank)
{
  int in[64] = {0}, out[64];
  MPJ_Datatype apart;
  ck_assert_int_eq(MPJ_Type_vector(16, 1, 1 + rank % 3, MPJ_INT, &apart), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_commit(&apart), MPJ_SUCCESS);
  for (int root = 0; root < 3; root++)
    ck_assert_int_eq(MPJ_Bcast(in, apart, root, MPJ_COMM_WORLD), MPJ_SUCCESS);
  for (int i = 0; i < rank; i++)
    ck_assert_int_eq(MPJ_Allreduce(in, MPJ_INT, out, MPJ_INT, MPJ_SUM, MPJ_COMM_SELF), MPJ_SUCCESS);
  ck_assert_int_eq(MPJ_Type_free(&apart), MPJ_SUCCESS);
}

static void choose_samples(int chosen[SAMPLES])
{
  const struct mpj_comm *comm = mpj_context_current()->world;
  for (int i = 0; i < SAMPLES; i++) {
    const enum mpj_operation op =
        MPJ_OPERATION_BARRIER + (enum mpj_operation)(i % (MPJ_OPERATIONS - 1));
    const struct mpj_agreed c = call_of(op, (MPJ_Count)1 << (i / 20), false);
    struct mpj_selected s;
    mpj_select(&comm->facts, mpj_settings(), c, &s);
    chosen[i] = (int)(s.algorithm - mpj_algorithms) * 65536 + s.radix * 256 + s.segments;
  }
}

/* The algorithm of a Bcast. */
static const char *bcast_of(struct mpj_facts facts, MPJ_Count bytes)
{
  struct mpj_selected s;
  mpj_select(&facts, &nothing, call_of(MPJ_OPERATION_BCAST, bytes, false), &s);
  return s.algorithm->name;
}

START_TEST(processes_that_share_cores_do_not_all_read_one_buffer)
{
  struct mpj_facts facts = crew(16, 2);
  ck_assert_str_eq(bcast_of(facts, 131072), "release");
  ck_assert_str_eq(bcast_of(facts, 131073), "knomial");
  ck_assert_str_eq(bcast_of(crew(4, 2), 1 << 20), "knomial");
  ck_assert_str_eq(bcast_of(crew(2, 1), 1 << 20), "flat");
  facts.one_process = true;
  ck_assert_str_eq(bcast_of(facts, 131073), "flat");
}
END_TEST

static int different_rank(void *arg)
{
  (void)arg;
  int rank, size, mine[SAMPLES], least[SAMPLES], most[SAMPLES];
  MPJ_Datatype samples;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  pin(rank);
  warm(rank);
  choose_samples(mine);
  MPJ_Type_contiguous(SAMPLES, MPJ_INT, &samples);
  MPJ_Type_commit(&samples);
  int status = MPJ_Allreduce(mine, samples, least, samples, MPJ_MIN, MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS)
    status = MPJ_Allreduce(mine, samples, most, samples, MPJ_MAX, MPJ_COMM_WORLD);
  MPJ_Type_free(&samples);
  return status != MPJ_SUCCESS || memcmp(least, most, sizeof least) != 0;
}

START_TEST(ranks_that_differ_choose_alike)
{
  for (int n = 3; n <= 9; n += 2)
    ck_assert_int_eq(MPJ_Run_threads(n, different_rank, NULL), 0);
}
END_TEST

int main(void)
{
  return RUN_SUITE(
      "coll/select", every_rule_names_an_algorithm, something_is_chosen_for_every_call,
      what_is_asked_for_comes_before_the_rules, what_is_not_possible_falls_back,
      nodes_out_of_order_do_not_reduce_by_node, nodes_are_numbered_as_ranks_come_to_them,
      many_ranks_on_nodes_of_their_own_do_not_go_by_node,
      any_number_of_nodes_is_pretended_up_to_one_a_rank, scattered_nodes_do_not_scan_by_node,
      what_has_more_signals_than_a_window_is_passed_over_by_all_ranks,
      segments_are_as_many_as_may_be, a_schedule_of_64_ranks_takes_12_KiB,
      a_reduce_of_two_processes_goes_in_segments,
      processes_that_share_cores_do_not_all_read_one_buffer, ranks_that_differ_choose_alike);
}
