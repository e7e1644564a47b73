/* In this program the inner ranks of a tree call a broadcast, or a scatter, only after the leaves
 * are through with it, which the leaves say on a board beside the library: progress threads must
 * have brought them the data, however long it is.
 *
 *   coll_relay_long [--threads N] [--scatter] [--root R] INNER LEAVES PART...
 *
 *   INNER, LEAVES  the ranks of the tree that MPJ_COLL_BCAST or MPJ_COLL_SCATTER names, from root
 *                  R, else 0 (relay_calls.h)
 *   through        types with and without gaps, several sizes: all have the data
 *   wrong          the first inner rank's type is too long: its error is that of a rank in time
 *   taken          the last leaf calls after its parent, who stays in the call until it has the
 *                  data
 *   short          the last inner rank is through before the last leaf, whose part of what was
 *                  brought there is short, calls
 *   bound          of three calls relays hold one at a time, as MPJ_SCRATCH_BYTES says
 *   other          the last inner rank calls something else
 *   never          the last inner rank calls nothing more
 *   parent         the root is gone before anybody but the relays has its data
 *   owner          the root is gone while the first inner rank's relay pulls its data (processes,
 *                  and MPJ_SINGLE_COPY=off)
 *   child          the last leaf is gone before it has taken its data
 *
 * The last five end the communicator. To be run with MPJ_PROGRESS=thread. */
#include <mpj/mpj.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "coll/comm/context.h"
#include "coll/need.h"
#include "coll/relay_calls.h"
#include "coll/run/relay_data.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { TEXT = 400, GONE = 3 };

/* Wait until the progress thread has offered long data to all children. */
static bool has_offered(void)
{
  struct mpj_context *context = mpj_context_current();
  bool offered = false;
  for (int ms = 0; ms < RELAY_PATIENCE_MS && !offered; ms++) {
    usleep(1000);
    mpj_rank_lock_acquire(&context->lock);
    for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
      offered |= d->early && d->early->relayed == (int)d->children;
    mpj_rank_lock_release(context);
  }
  return offered;
}

/* A round begins: nobody is still in the one before. */
static int begin(struct relay_rank *p)
{
  p->round++;
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

static int through(struct relay_rank *p)
{
  const int sizes[] = {1, 1000, 5000, RELAY_MOST, 12345};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    MPJ_Datatype type;
    NEED(!begin(p) && !relay_type(p, sizes[k], 0, &type));
    relay_fill(p, sizes[k]);
    if (relay_is_inner(p)) NEED(relay_hear(p, p->job->leaves));
    NEED(!relay_call(p, type) && relay_is_there(p, sizes[k]));
    relay_say(p);
    NEED(!MPJ_Type_free(&type));
  }
  return 0;
}

static int wrong(struct relay_rank *p)
{
  char text[2][TEXT] = {"", ""};
  const int me = relay_first_of(p->job->inner);
  MPJ_Datatype type, longer;
  NEED(!relay_type(p, 50000, 0, &type) && !relay_type(p, 50000, 1, &longer));
  for (int late = 0; late < 2; late++) {
    NEED(!begin(p));
    relay_fill(p, 50000);
    if (late && relay_is_inner(p)) NEED(relay_hear(p, p->job->leaves));
    const int status = relay_call(p, p->rank == me ? longer : type);
    NEED(p->rank != me || status == MPJ_ERR_SIGNATURE);
    NEED(p->rank == me || !late || (status == MPJ_SUCCESS && relay_is_there(p, 50000)));
    snprintf(text[late], TEXT, "%s", status ? MPJ_Error_detail() : "");
    text[late][strcspn(text[late], "(")] = '\0'; /* the operation's number */
    relay_say(p);
  }
  NEED(p->rank != me || !strcmp(text[0], text[1]));
  NEED(!MPJ_Type_free(&type) && !MPJ_Type_free(&longer));
  return 0;
}

static int taken(struct relay_rank *p)
{
  const int leaf = relay_last_of(p->job->leaves), parent = relay_last_of(p->job->inner);
  const char *name = p->job->inner + strlen(p->job->inner) - 1;
  MPJ_Datatype type;
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (p->rank == parent) NEED(has_offered());
  if (p->rank == parent) relay_say(p);
  if (p->rank == leaf) {
    NEED(relay_hear(p, name));
    usleep(20000); /* the parent is in the call by now, or misses a chance to fail */
    relay_say(p);
  }
  NEED(!relay_call(p, type) && relay_is_there(p, RELAY_MOST));
  NEED(p->rank != parent || atomic_load(&p->job->board->entered[leaf]) == p->round);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

static int short_parts(struct relay_rank *p)
{
  enum { N = 1500 };
  const int leaf = relay_last_of(p->job->leaves), parent = relay_last_of(p->job->inner);
  MPJ_Datatype type;
  NEED(!begin(p) && !relay_type(p, N, 0, &type));
  relay_fill(p, N);
  if (p->rank == parent) NEED(has_offered());
  if (p->rank == leaf) NEED(relay_hear(p, p->job->inner + strlen(p->job->inner) - 1));
  NEED(!relay_call(p, type) && relay_is_there(p, N));
  relay_say(p);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

/* Bytes that relays hold here. */
static MPJ_Count held(void)
{
  struct mpj_context *context = mpj_context_current();
  MPJ_Count bytes = 0;
  mpj_rank_lock_acquire(&context->lock);
  for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
    bytes += d->bytes;
  mpj_rank_lock_release(context);
  return bytes;
}

/* Three calls at a time, of which relays may hold one: the rest comes once the ranks call. */
static int bound(struct relay_rank *p)
{
  enum { CALLS = 3, N = 20000, ROOM = N + CALLS + 1 };
  const MPJ_Count most = mpj_config()->scratch_bytes;
  const struct relay_rank whole = *p;
  MPJ_Datatype type[CALLS];
  MPJ_Request request[CALLS];
  NEED(!begin(p));
  for (int i = 0; relay_is_inner(p) && i < 20; i++) {
    if (i == 0) NEED(has_offered());
    NEED(held() <= most && 2 * held() > most);
    usleep(1000);
  }
  for (int i = 0; i < CALLS; i++) {
    p->buf = whole.buf + (size_t)i * 2 * ROOM;
    if (whole.all) p->all = whole.all + (size_t)(i * p->size) * ROOM;
    relay_fill(p, N + i);
    NEED(!relay_type(p, N + i, 0, &type[i]) && !relay_begin_call(p, type[i], &request[i]));
  }
  NEED(!MPJ_Waitall(CALLS, request) && held() == 0);
  for (int i = 0; i < CALLS; i++) {
    p->buf = whole.buf + (size_t)i * 2 * ROOM;
    NEED(relay_is_there(p, N + i) && !MPJ_Type_free(&type[i]));
  }
  p->buf = whole.buf;
  p->all = whole.all;
  return 0;
}

/* The last inner rank has relayed, and does not call what it has relayed. */
static int other(struct relay_rank *p)
{
  MPJ_Datatype type;
  const bool strange = p->rank == relay_last_of(p->job->inner);
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (relay_is_inner(p)) NEED(relay_hear(p, p->job->leaves));
  const int status = strange ? MPJ_Barrier(MPJ_COMM_WORLD) : relay_call(p, type);
  NEED(strange ? status == MPJ_ERR_COMM : !status || status == MPJ_ERR_COMM);
  NEED(strange || status || relay_is_there(p, RELAY_MOST));
  relay_say(p);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

/* Who calls it late may hear that the communicator is broken before it has what it calls for. */
static bool has_broken(int status)
{
  return status == MPJ_ERR_PEER || status == MPJ_ERR_COMM;
}

static int never(struct relay_rank *p)
{
  MPJ_Datatype type;
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (relay_is_inner(p)) NEED(relay_hear(p, p->job->leaves));
  if (p->rank != relay_last_of(p->job->inner)) {
    const int called = relay_call(p, type);
    NEED(called ? has_broken(called) && relay_is_inner(p) : relay_is_there(p, RELAY_MOST));
    relay_say(p);
    NEED(has_broken(MPJ_Barrier(MPJ_COMM_WORLD)));
  }
  NEED(!MPJ_Type_free(&type));
  const int status = MPJ_Finalize(); /* whoever hears of it only now */
  NEED(!status || has_broken(status));
  return 0;
}

static int go(struct relay_rank *p)
{
  if (!p->job->threads) raise(SIGKILL);
  free(p->buf);
  free(p->all);
  return GONE;
}

/* What a rank gets whose peer goes: its data, or the news; and then the news. */
static int survive(struct relay_rank *p, MPJ_Datatype type)
{
  const int status = relay_call(p, type);
  NEED(status == MPJ_ERR_PEER || (!status && relay_is_there(p, RELAY_MOST)));
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_PEER);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

static int lose_parent(struct relay_rank *p)
{
  MPJ_Datatype type;
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (relay_is_root(p)) NEED(!relay_call(p, type));
  if (relay_is_inner(p)) {
    NEED(has_offered());
    relay_say(p);
  } else {
    NEED(relay_hear(p, p->job->inner));
  }
  if (!relay_is_root(p)) return survive(p, type);
  NEED(!MPJ_Type_free(&type));
  return go(p);
}

/* Whether relays pull something here just now. */
static bool pulls(void)
{
  struct mpj_context *context = mpj_context_current();
  bool pulling = false;
  mpj_rank_lock_acquire(&context->lock);
  for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
    pulling |= d->state == MPJ_RELAY_PULLING;
  mpj_rank_lock_release(context);
  return pulling;
}

/* The root advertises its data, and does not move it: neither it nor its progress thread comes into
 * the library any more. No relay looks for it before. */
static int lose_owner(struct relay_rank *p)
{
  struct mpj_context *context = mpj_context_current();
  const char *inner = p->job->inner;
  MPJ_Datatype type;
  MPJ_Request request;
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (relay_is_inner(p)) {
    mpj_rank_lock_acquire(&context->lock);
    relay_say(p);
    while (atomic_load(&p->job->board->entered[p->job->root]) < p->round)
      usleep(1000);
    mpj_rank_lock_release(context);
    for (int ms = 0; p->rank == relay_first_of(inner) && !pulls(); ms++) {
      NEED(ms < RELAY_PATIENCE_MS);
      usleep(1000);
    }
    p->round++;
    relay_say(p);
  } else if (relay_is_root(p)) {
    NEED(relay_hear(p, inner) && !relay_begin_call(p, type, &request));
    mpj_rank_lock_acquire(&context->lock);
    relay_say(p);
    p->round++;
    NEED(relay_hear(p, inner));
    return go(p);
  } else {
    p->round++;
    NEED(relay_hear(p, inner));
  }
  NEED(!survive(p, type) && held() == 0);
  return 0;
}

static int lose_child(struct relay_rank *p)
{
  const int leaf = relay_last_of(p->job->leaves), parent = relay_last_of(p->job->inner);
  const char *name = p->job->inner + strlen(p->job->inner) - 1;
  MPJ_Datatype type;
  NEED(!begin(p) && !relay_type(p, RELAY_MOST, 0, &type));
  relay_fill(p, RELAY_MOST);
  if (p->rank == parent) {
    NEED(has_offered());
    relay_say(p);
  }
  if (p->rank == leaf) {
    NEED(relay_hear(p, name) && !MPJ_Type_free(&type));
    return go(p);
  }
  return survive(p, type);
}

static int run(struct relay_rank *p, const char *name)
{
  static const struct {
    const char *name;
    int (*fn)(struct relay_rank *p);
  } parts[] = {{"through", through},   {"wrong", wrong},        {"taken", taken},
               {"short", short_parts}, {"bound", bound},        {"other", other},
               {"never", never},       {"parent", lose_parent}, {"owner", lose_owner},
               {"child", lose_child}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strcmp(parts[i].name, name)) return parts[i].fn(p);
  fprintf(stderr, "there is no part %s\n", name);
  return 1;
}

static int rank_main(void *arg)
{
  struct relay_rank p = {.job = arg};
  int status = 0;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &p.rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p.size));
  p.buf = calloc((size_t)2 * RELAY_MOST + 2, sizeof *p.buf);
  if (p.job->scatters && relay_is_root(&p))
    p.all = calloc((size_t)p.size * (RELAY_MOST + 2), sizeof *p.all);
  NEED(p.buf && p.size <= RELAY_RANKS);
  for (char **part = p.job->parts; *part && !status; part++)
    status = run(&p, *part);
  if (status == GONE) return status;
  free(p.buf);
  free(p.all);
  return status;
}

static int run_threads(struct relay_job *job, int n)
{
  const long outstanding = mpj_memory_outstanding();
  job->threads = true;
  job->board = &board_of_threads;
  const int status = MPJ_Run_threads(n, rank_main, job);
  mpj_layout_forget_permanent();
  NEED(status == (job->dies ? GONE : 0));
  NEED(mpj_memory_outstanding() == outstanding && mpj_type_live() == 0);
  return 0;
}

static int usage(void)
{
  fprintf(stderr,
          "usage: coll_relay_long [--threads N] [--scatter] [--root R] INNER LEAVES PART...\n");
  return 2;
}

int main(int argc, char **argv)
{
  struct relay_job job = {.root = 0};
  int n = 0, finalized = 0;
  char **arg = argv + 1;
  for (; *arg && !strncmp(*arg, "--", 2); arg++) {
    if (!strcmp(*arg, "--scatter"))
      job.scatters = true;
    else if (!strcmp(*arg, "--threads") && arg[1])
      n = atoi(*++arg);
    else if (!strcmp(*arg, "--root") && arg[1])
      job.root = atoi(*++arg);
    else
      return usage();
  }
  if (argc - (arg - argv) < 3) return usage();
  job.inner = arg[0];
  job.leaves = arg[1];
  job.parts = arg + 2;
  const char *last = argv[argc - 1];
  job.dies = !strcmp(last, "parent") || !strcmp(last, "child");
  if (n > 0) return run_threads(&job, n);
  NEED(!MPJ_Init(&argc, &argv));
  job.board = board_map();
  NEED(job.board && !MPJ_Barrier(MPJ_COMM_WORLD));
  board_forget();
  const int status = rank_main(&job);
  MPJ_Finalized(&finalized);
  if (!finalized) MPJ_Finalize();
  return status;
}
