/* This file tests the shm transport between processes: the ways of long data
 * for all combinations of layouts and sizes, several pulls at once, and all
 * ranks exchanging with all. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/suite.h"
#include "net/cells/exposure.h"
#include "net/cells/share.h"
#include "net/ranks.h"

/* One transfer: blocks of 0 bytes stand for dense. */
struct move {
  MPJ_Count bytes, from_block, to_block;
};

static const struct move moves[] = {{1, 0, 0},
                                    {7, 0, 0},
                                    {8191, 0, 0},
                                    {8193, 0, 0},
                                    {65537, 0, 0},
                                    {20971517, 0, 0},
                                    {16, 8, 8},
                                    {56, 7, 0},
                                    {56, 0, 7},
                                    {520, 8, 13},
                                    {13000, 0, 8},
                                    {13000, 8, 0},
                                    {13000, 8, 13},
                                    {13000, 13, 1000},
                                    {13000, 1000, 0},
                                    {13000, 0, 1000},
                                    {1300000, 0, 8},
                                    {1300000, 8, 0},
                                    {1300000, 8, 8},
                                    {1300000, 13, 1000},
                                    {1300000, 1000, 8},
                                    {1300000, 1, 0},
                                    {1300000, 0, 1},
                                    {1300000, 0, 100000},
                                    {20800000, 0, 13},
                                    {20800000, 13, 0},
                                    {20800000, 13, 8},
                                    {20800000, 0, 100000},
                                    {20800000, 100000, 0},
                                    {20800000, 1000, 100000},
                                    {20800000, 100000, 100000},
                                    {2080000, 10400, 0},
                                    {2080000, 0, 4160},
                                    {2080000, 10400, 2080},
                                    {2080000, 10400, 13},
                                    {2080000, 5200, 0},
                                    {2080000, 5200, 13}};
enum { MOVES = sizeof moves / sizeof *moves };

/* Which way the pull that has just begun goes; `status` is what it returned. */
static void expect_way(struct mpj_net *net, const struct move *m, bool single_copy, int status)
{
  const struct mpj_pull *p = shm_of(net)->pulls.pull;
  const bool fit = shm_of(net)->cells.share_least == MPJ_SHARE_LEAST;
  const MPJ_Count least = fit ? MPJ_SHM_ROW_READ : MPJ_ROW_LEAST_EXPOSED;
  const bool known = m->from_block == 0 || m->from_block >= least;
  const bool written = m->to_block >= MPJ_SHM_ROW_WRITTEN && !fit;
  if (status == MPJ_SUCCESS) {
    EXPECT(single_copy && known);
    return;
  }
  EXPECT(status == MPJ_AM_PENDING);
  while (!p->mover)
    p++;
  if (single_copy && p->mover == &mpj_shm_pieces) return;
  if (single_copy && known)
    EXPECT(p->mover == &mpj_shm_read || p->mover == &mpj_shm_both);
  else if (single_copy && (m->to_block == 0 || written))
    EXPECT(p->mover == &mpj_shm_write);
  else
    EXPECT(p->mover == &mpj_shm_stream || p->mover == &mpj_shm_pieces);
}

/* Pull what rank 0 offers; where single_copy is not NULL, see which way it goes. */
static void receive(struct mpj_net *net, struct offers *offers, const struct move *m, unsigned seed,
                    const bool *single_copy)
{
  struct area to;
  struct outcome pulled = {0, MPJ_SUCCESS};
  struct mpj_cursor dst;
  area_make(&to, m->bytes, m->to_block);
  const struct mpj_am_remote remote = take_offer(net, offers, NULL);
  EXPECT(mpj_cursor_begin(&dst, &to.view, to.memory) == MPJ_SUCCESS);
  const int status = mpj_net_pull(net, 0, &remote, &dst, NULL, outcome_note, &pulled);
  if (single_copy) expect_way(net, m, *single_copy, status);
  EXPECT(status == MPJ_SUCCESS || status == MPJ_AM_PENDING);
  if (status == MPJ_AM_PENDING) await_outcome(net, &pulled, 1);
  EXPECT(pulled.status == MPJ_SUCCESS);
  EXPECT(mpj_cursor_remaining(&dst) == 0);
  EXPECT(area_holds(&to, seed));
  area_free(&to);
}

static void send(struct mpj_net *net, const struct move *m, unsigned seed)
{
  struct area from;
  struct outcome sent = {0, -1};
  struct mpj_am_remote remote;
  area_make(&from, m->bytes, m->from_block);
  area_fill(&from, seed);
  offer_to(net, 1, &from, &sent, &remote);
  await_outcome(net, &sent, 1);
  EXPECT(sent.status == MPJ_SUCCESS);
  area_free(&from);
}

static void move_all(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  const bool single_copy = *(const bool *)arg;
  struct offers offers;
  offers_open(&offers, net);
  if (!single_copy) shm_of(net)->single_copy = false; /* as MPJ_SINGLE_COPY=off */
  for (unsigned i = 0; i < MOVES; i++) {
    if (net->rank == 0)
      send(net, &moves[i], i);
    else
      receive(net, &offers, &moves[i], i, &single_copy);
  }
  EXPECT(shm_of(net)->pulls.active == 0 && shm_of(net)->active_serves == 0);
}

START_TEST(data_is_read_written_or_streamed_as_the_layouts_allow)
{
  bool single_copy = true;
  run_ranks(2, move_all, &single_copy, NULL);
}
END_TEST

START_TEST(all_data_is_streamed_without_single_copy)
{
  bool single_copy = false;
  run_ranks(2, move_all, &single_copy, NULL);
}
END_TEST

/* The same data again and again goes every way that there is, and arrives. If *arg, no ring is
 * free, so that pieces are refused: what carries the data instead is not taken for them. */
static void move_often(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  const bool lent = *(const bool *)arg;
  enum { TIMES = 512, BYTES = 1 << 15, LONGER = 1 << 17 };
  const struct move m = {lent ? BYTES : LONGER, 0, 0};
  struct mpj_shm *shm = shm_of(net);
  const uint32_t rings = shm->rings;
  struct offers offers;
  offers_open(&offers, net);
  if (lent) {
    shm->rings = 0;
    shm->cells.share_least = 8192;
  }
  for (unsigned i = 0; i < TIMES; i++) {
    if (net->rank == 0)
      send(net, &m, i);
    else
      receive(net, &offers, &m, i, NULL);
  }
  shm->rings = rings;
  const struct mpj_tried *t = mpj_tried_at(&shm->tried, 0, m.bytes);
  for (unsigned way = 0; way < MPJ_TRIES && net->rank == 1; way++) {
    const bool tried = shm->tries >> way & 1, refused = lent && way != MPJ_TRY_ALONE;
    EXPECT((t->samples[way] > 0) == (tried && !refused));
    EXPECT((t->refused[way] > 0) == (tried && refused));
  }
}

START_TEST(every_way_is_tried_where_each_rank_has_a_core)
{
  bool lent = false;
  run_ranks(2, move_often, &lent, NULL);
}
END_TEST

START_TEST(way_that_is_refused_is_not_judged_by_the_one_that_was_gone)
{
  bool lent = true;
  run_ranks(2, move_often, &lent, NULL);
}
END_TEST

/* Let the kernel refuse process_vm calls from here on, as sandboxes do. */
static void forbid_single_copy(void)
{
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1), /* EPERM */
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof code / sizeof *code, code};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

static const struct move some[] = {
    {13000, 0, 8}, {13000, 8, 0}, {1300000, 0, 0}, {1300000, 13, 0}, {1300000, 13, 8}};
enum { SOME = sizeof some / sizeof *some };

/* The rank *arg is not permitted what the other is. */
static void move_with_one_forbidden(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  struct offers offers;
  memset(&shm_of(net)->streams, 0, sizeof shm_of(net)->streams); /* else nobody would try */
  offers_open(&offers, net);
  if (net->rank == *(const int *)arg) forbid_single_copy();
  for (unsigned i = 0; i < SOME; i++) {
    if (net->rank == 0)
      send(net, &some[i], i);
    else
      receive(net, &offers, &some[i], i, NULL);
  }
  if (net->rank == 1) EXPECT(!shm_of(net)->single_copy);
}

START_TEST(data_is_streamed_where_either_side_is_refused_single_copy)
{
  for (int rank = 0; rank < 2; rank++)
    run_ranks(2, move_with_one_forbidden, &rank, NULL);
}
END_TEST

enum { AT_ONCE = 6 };

/* Rank 1 begins more pulls than may be open towards one source. */
static void pull_several(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct area area[AT_ONCE];
  struct outcome outcome[AT_ONCE] = {{0, 0}};
  struct mpj_am_remote remote[AT_ONCE];
  struct mpj_cursor dst[AT_ONCE];
  struct offers offers;
  offers_open(&offers, net);
  for (unsigned i = 0; i < AT_ONCE; i++) {
    area_make(&area[i], 130000, net->rank == 0 ? 13 : 8);
    if (net->rank == 0) {
      area_fill(&area[i], i);
      offer_to(net, 1, &area[i], &outcome[i], &remote[i]);
    } else {
      remote[i] = take_offer(net, &offers, NULL);
      EXPECT(mpj_cursor_begin(&dst[i], &area[i].view, area[i].memory) == MPJ_SUCCESS);
    }
  }
  for (int i = 0; net->rank == 1 && i < AT_ONCE; i++) {
    int status = mpj_net_pull(net, 0, &remote[i], &dst[i], NULL, outcome_note, &outcome[i]);
    if (i < MPJ_PULLS_PER_SOURCE) EXPECT(status == MPJ_AM_PENDING);
    if (i == MPJ_PULLS_PER_SOURCE) EXPECT(status == MPJ_AM_AGAIN); /* nobody has polled */
    while (status == MPJ_AM_AGAIN) {
      EXPECT(dst[i].offset == 0);
      mpj_net_poll(net);
      status = mpj_net_pull(net, 0, &remote[i], &dst[i], NULL, outcome_note, &outcome[i]);
    }
    EXPECT(status == MPJ_AM_PENDING);
  }
  for (unsigned i = 0; i < AT_ONCE; i++) {
    await_outcome(net, &outcome[i], 1);
    EXPECT(outcome[i].status == MPJ_SUCCESS);
    EXPECT(area_holds(&area[i], i));
    area_free(&area[i]);
  }
}

START_TEST(pulls_beyond_those_allowed_at_once_wait_and_all_arrive)
{
  run_ranks(2, pull_several, NULL, NULL);
}
END_TEST

/* Every rank offers to both others and pulls from both, all streamed. */
static void exchange(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  const MPJ_Count bytes = *(const MPJ_Count *)arg;
  struct area from[2], to[2];
  struct outcome outcome[4] = {{0, 0}};
  struct mpj_am_remote remote[2];
  struct mpj_cursor dst[2];
  struct offers offers;
  int source[2];
  offers_open(&offers, net);
  for (int k = 0; k < 2; k++) {
    const int peer = (net->rank + 1 + k) % 3;
    area_make(&from[k], bytes, 8);
    area_fill(&from[k], (unsigned)(10 * net->rank + peer));
    offer_to(net, peer, &from[k], &outcome[k], &remote[k]);
  }
  for (int k = 0; k < 2; k++) {
    const struct mpj_am_remote offer = take_offer(net, &offers, &source[k]);
    area_make(&to[k], bytes, 13);
    EXPECT(mpj_cursor_begin(&dst[k], &to[k].view, to[k].memory) == MPJ_SUCCESS);
    EXPECT(mpj_net_pull(net, source[k], &offer, &dst[k], NULL, outcome_note, &outcome[2 + k]) ==
           MPJ_AM_PENDING);
  }
  for (int k = 0; k < 4; k++) {
    await_outcome(net, &outcome[k], 1);
    EXPECT(outcome[k].status == MPJ_SUCCESS);
  }
  for (int k = 0; k < 2; k++) {
    EXPECT(area_holds(&to[k], (unsigned)(10 * source[k] + net->rank)));
    area_free(&from[k]);
    area_free(&to[k]);
  }
}

START_TEST(three_ranks_stream_to_each_other_at_once)
{
  MPJ_Count bytes[] = {104, 1040000};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
    run_ranks(3, exchange, &bytes[i], NULL);
}
END_TEST

static enum mpj_am_verdict take_no_notice(void *ctx, const struct mpj_am_arrival *a,
                                          struct mpj_am_dest *dest)
{
  (void)ctx;
  (void)a;
  (void)dest;
  return MPJ_AM_DONE;
}

/* Rank 0 has one ring and pulls from both others, of whom rank 1 does not poll until rank 2's data
 * has come; where it is crowded (arg), there is not even room to ask rank 1 for its. */
static void stream_beside_a_silent_rank(struct mpj_net *net, struct common *common, void *arg)
{
  const bool *crowded = arg;
  enum { BYTES = 1040000 };
  struct area area[3];
  struct outcome outcome[3] = {{0, 0}};
  struct mpj_am_remote remote;
  struct mpj_cursor dst[3];
  struct offers offers;
  int source;
  const int me = net->rank;
  offers_open(&offers, net);
  mpj_net_register(net, MPJ_AM_USERS, take_no_notice, NULL);
  if (me > 0) {
    area_make(&area[0], BYTES, 8);
    area_fill(&area[0], (unsigned)me);
    offer_to(net, 0, &area[0], &outcome[0], &remote);
    while (me == 1 && atomic_load(&common->step[0]) == 0)
      sched_yield();
    await_outcome(net, &outcome[0], 1);
    area_free(&area[0]);
    return;
  }
  shm_of(net)->rings = 1;
  for (int k = 1; k < 3; k++) {
    remote = take_offer(net, &offers, &source);
    area_make(&area[source], BYTES, 13);
    EXPECT(mpj_cursor_begin(&dst[source], &area[source].view, area[source].memory) == MPJ_SUCCESS);
    if (*crowded && source == 1)
      while (mpj_net_short(net, 1, MPJ_AM_USERS, "", 1) == MPJ_SUCCESS)
        ;
    EXPECT(mpj_net_pull(net, source, &remote, &dst[source], NULL, outcome_note, &outcome[source]) ==
           MPJ_AM_PENDING);
  }
  await_outcome(net, &outcome[2], 1);
  EXPECT(outcome[1].calls == 0);
  atomic_store(&common->step[0], 1);
  await_outcome(net, &outcome[1], 1);
  EXPECT(shm_of(net)->rings == 1);
  for (int k = 1; k < 3; k++) {
    EXPECT(outcome[k].status == MPJ_SUCCESS && area_holds(&area[k], (unsigned)k));
    area_free(&area[k]);
  }
}

START_TEST(a_rank_that_does_not_poll_holds_up_nobody_elses_stream)
{
  for (int i = 0; i < 2; i++) {
    bool crowded = i == 1;
    run_ranks(3, stream_beside_a_silent_rank, &crowded, NULL);
  }
}
END_TEST

/* A pull of no bytes, and a decline. */
static void take_nothing(struct mpj_net *net, struct common *common, void *arg)
{
  (void)common;
  (void)arg;
  struct area area;
  struct outcome outcome = {0, -1};
  struct mpj_am_remote remote;
  struct mpj_cursor dst;
  struct offers offers;
  offers_open(&offers, net);
  for (int round = 0; round < 2; round++) {
    area_make(&area, 13000, 0);
    area.view.count = round; /* first a view of nothing */
    if (net->rank == 0) {
      offer_to(net, 1, &area, &outcome, &remote);
      await_outcome(net, &outcome, round + 1);
    } else {
      remote = take_offer(net, &offers, NULL);
      EXPECT(mpj_cursor_begin(&dst, &area.view, area.memory) == MPJ_SUCCESS);
      if (round == 0)
        EXPECT(mpj_net_pull(net, 0, &remote, &dst, NULL, NULL, NULL) == MPJ_SUCCESS);
      else
        mpj_net_decline(net, 0, &remote);
    }
    area_free(&area);
  }
}

START_TEST(pull_of_nothing_and_a_decline_are_told_to_the_owner)
{
  run_ranks(2, take_nothing, NULL, NULL);
}
END_TEST

int main(void)
{
  return RUN_SUITE("net/shm", data_is_read_written_or_streamed_as_the_layouts_allow,
                   all_data_is_streamed_without_single_copy,
                   every_way_is_tried_where_each_rank_has_a_core,
                   way_that_is_refused_is_not_judged_by_the_one_that_was_gone,
                   data_is_streamed_where_either_side_is_refused_single_copy,
                   pulls_beyond_those_allowed_at_once_wait_and_all_arrive,
                   three_ranks_stream_to_each_other_at_once,
                   a_rank_that_does_not_poll_holds_up_nobody_elses_stream,
                   pull_of_nothing_and_a_decline_are_told_to_the_owner);
}
