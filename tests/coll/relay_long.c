/* In this program the inner ranks of a broadcast's tree call it only after the leaves are through
 * with it, which the leaves say on a board beside the library: progress threads must have brought
 * them the data, however long it is.
 *
 *   coll_relay_long [--threads N] INNER LEAVES PART...
 *
 * INNER, LEAVES: the ranks, a digit each, of the tree that MPJ_COLL_BCAST names, from root 0.
 * Parts: through   types with and without gaps, several sizes: all have the data wrong     the
 * first inner rank's type is too long: its error is that of a rank that is in time taken     the
 * last leaf calls after its parent, who stays in the call until it has the data bound     of
 * three broadcasts relays hold one at a time, as MPJ_SCRATCH_BYTES says other     the last
 * inner rank calls something else never     the last inner rank calls nothing more parent    the
 * root is gone before anybody but the relays has its data child     the last leaf is gone before it
 * has taken its data The last four end the communicator. To be run with MPJ_PROGRESS=thread. */
#include <mpj/mpj.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "coll/board.h"
#include "coll/comm/context.h"
#include "coll/need.h"
#include "coll/run/relay_data.h"
#include "types/layout/layout.h"
#include "types/type.h"

enum { MOST = 1 << 17 /* ints */, PATIENCE_MS = 30000, TEXT = 400, GONE = 3 };

struct job {
  const char *inner, *leaves;
  char **parts;
  struct board *board;
  bool threads, dies;
};

struct part {
  struct job *job;
  int rank, size;
  uint64_t round; /* of those with a handshake */
  int *buf;
};

static bool is_of(const char *ranks, int rank)
{
  return strchr(ranks, '0' + rank) != NULL;
}

static int last_of(const char *ranks)
{
  return ranks[strlen(ranks) - 1] - '0';
}

static void say(struct part *p)
{
  atomic_store(&p->job->board->entered[p->rank], p->round);
}

/* Wait, outside the library, until those ranks have said that they are in this round. */
static bool hear(const struct part *p, const char *ranks)
{
  int ms = 0;
  for (const char *r = ranks; *r; r++)
    while (atomic_load(&p->job->board->entered[*r - '0']) < p->round) {
      if (ms++ > PATIENCE_MS) return false;
      usleep(1000);
    }
  return true;
}

/* Wait until the progress thread has offered long data to all children. */
static bool has_offered(void)
{
  struct mpj_context *context = mpj_context_current();
  bool offered = false;
  for (int ms = 0; ms < PATIENCE_MS && !offered; ms++) {
    usleep(1000);
    mpj_gate_lock(&context->gate);
    for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
      offered |= d->early && d->early->relayed == (int)d->children;
    mpj_gate_unlock(context);
  }
  return offered;
}

/* n ints, with gaps at the inner ranks. */
static int make_type(const struct part *p, int n, MPJ_Datatype *type)
{
  const int status = is_of(p->job->inner, p->rank) ? MPJ_Type_vector(n, 1, 2, MPJ_INT, type)
                                                   : MPJ_Type_contiguous(n, MPJ_INT, type);
  return status ? status : MPJ_Type_commit(type);
}

static int apart(const struct part *p)
{
  return is_of(p->job->inner, p->rank) ? 2 : 1;
}

static void fill(struct part *p, int n)
{
  for (int i = 0; i < n; i++)
    p->buf[i * apart(p)] = p->rank == 0 ? 3 * i + n : -1;
}

static bool is_there(const struct part *p, int n)
{
  for (int i = 0; i < n; i++)
    if (p->buf[i * apart(p)] != 3 * i + n) return false;
  return true;
}

/* A round begins: nobody is still in the one before. */
static int begin(struct part *p)
{
  p->round++;
  return MPJ_Barrier(MPJ_COMM_WORLD);
}

static int through(struct part *p)
{
  const int sizes[] = {1, 1000, 5000, MOST, 12345};
  for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    MPJ_Datatype type;
    NEED(!begin(p) && !make_type(p, sizes[k], &type));
    fill(p, sizes[k]);
    if (is_of(p->job->inner, p->rank)) NEED(hear(p, p->job->leaves));
    NEED(!MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD) && is_there(p, sizes[k]));
    say(p);
    NEED(!MPJ_Type_free(&type));
  }
  return 0;
}

static int wrong(struct part *p)
{
  char text[2][TEXT] = {"", ""};
  const int me = p->job->inner[0] - '0';
  MPJ_Datatype type, longer;
  NEED(!make_type(p, 50000, &type) && !make_type(p, 50001, &longer));
  for (int late = 0; late < 2; late++) {
    NEED(!begin(p));
    fill(p, 50000);
    if (late && is_of(p->job->inner, p->rank)) NEED(hear(p, p->job->leaves));
    const int status = MPJ_Bcast(p->buf, p->rank == me ? longer : type, 0, MPJ_COMM_WORLD);
    NEED(p->rank != me || status == MPJ_ERR_SIGNATURE);
    NEED(p->rank == me || !late || (status == MPJ_SUCCESS && is_there(p, 50000)));
    snprintf(text[late], TEXT, "%s", status ? MPJ_Error_detail() : "");
    text[late][strcspn(text[late], "(")] = '\0'; /* the operation's number */
    say(p);
  }
  NEED(p->rank != me || !strcmp(text[0], text[1]));
  NEED(!MPJ_Type_free(&type) && !MPJ_Type_free(&longer));
  return 0;
}

static int taken(struct part *p)
{
  const int leaf = last_of(p->job->leaves), parent = last_of(p->job->inner);
  const char name[] = {(char)('0' + parent), '\0'};
  MPJ_Datatype type;
  NEED(!begin(p) && !make_type(p, MOST, &type));
  fill(p, MOST);
  if (p->rank == parent) NEED(has_offered());
  if (p->rank == parent) say(p);
  if (p->rank == leaf) {
    NEED(hear(p, name));
    usleep(20000); /* the parent is in the call by now, or misses a chance to fail */
    say(p);
  }
  NEED(!MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD) && is_there(p, MOST));
  NEED(p->rank != parent || atomic_load(&p->job->board->entered[leaf]) == p->round);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

/* Bytes that relays hold here. */
static MPJ_Count held(void)
{
  struct mpj_context *context = mpj_context_current();
  MPJ_Count bytes = 0;
  mpj_gate_lock(&context->gate);
  for (const struct mpj_relay_data *d = context->relay_data; d; d = d->next)
    bytes += d->bytes;
  mpj_gate_unlock(context);
  return bytes;
}

/* Three broadcasts at a time, of which relays may hold one: the rest comes once the ranks call. */
static int bound(struct part *p)
{
  enum { CALLS = 3, N = 20000 };
  const bool inner = is_of(p->job->inner, p->rank);
  const MPJ_Count most = mpj_config()->scratch_bytes;
  MPJ_Datatype type;
  MPJ_Request request[CALLS];
  int *buf[CALLS];
  NEED(most >= N * (MPJ_Count)sizeof(int) && most < 2 * N * (MPJ_Count)sizeof(int));
  NEED(!begin(p) && !make_type(p, N, &type));
  for (int i = 0; i < CALLS; i++)
    buf[i] = p->buf + i * N * 2;
  for (int i = 0; inner && i < 20; i++) {
    if (i == 0) NEED(has_offered());
    NEED(held() <= most);
    usleep(1000);
  }
  for (int i = 0; i < CALLS; i++) {
    for (int k = 0; k < N; k++)
      buf[i][k * apart(p)] = p->rank == 0 ? i + k : -1;
    NEED(!MPJ_Ibcast(buf[i], type, 0, MPJ_COMM_WORLD, &request[i]));
  }
  NEED(!MPJ_Waitall(CALLS, request));
  for (int i = 0; i < CALLS; i++)
    for (int k = 0; k < N; k++)
      NEED(buf[i][k * apart(p)] == i + k);
  NEED(held() == 0 && !MPJ_Type_free(&type));
  return 0;
}

/* The last inner rank has relayed, and does not call what it has relayed. */
static int other(struct part *p)
{
  MPJ_Datatype type;
  const bool strange = p->rank == last_of(p->job->inner);
  NEED(!begin(p) && !make_type(p, MOST, &type));
  fill(p, MOST);
  if (is_of(p->job->inner, p->rank)) NEED(hear(p, p->job->leaves));
  const int status =
      strange ? MPJ_Barrier(MPJ_COMM_WORLD) : MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD);
  NEED(strange ? status == MPJ_ERR_COMM : !status || status == MPJ_ERR_COMM);
  NEED(strange || status || is_there(p, MOST));
  say(p);
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_COMM);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

static int never(struct part *p)
{
  MPJ_Datatype type;
  NEED(!begin(p) && !make_type(p, MOST, &type));
  fill(p, MOST);
  if (is_of(p->job->inner, p->rank)) NEED(hear(p, p->job->leaves));
  if (p->rank != last_of(p->job->inner)) {
    NEED(!MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD) && is_there(p, MOST));
    say(p);
    const int status = MPJ_Barrier(MPJ_COMM_WORLD);
    NEED(status == MPJ_ERR_PEER || status == MPJ_ERR_COMM);
  }
  NEED(!MPJ_Type_free(&type));
  const int status = MPJ_Finalize(); /* whoever hears of it only now */
  NEED(!status || status == MPJ_ERR_PEER || status == MPJ_ERR_COMM);
  return 0;
}

static int go(struct part *p)
{
  if (!p->job->threads) raise(SIGKILL);
  free(p->buf);
  return GONE;
}

/* What a rank gets whose peer goes: its data, or the news; and then the news. */
static int survive(struct part *p, MPJ_Datatype type)
{
  const int status = MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD);
  NEED(status == MPJ_ERR_PEER || (!status && is_there(p, MOST)));
  NEED(MPJ_Barrier(MPJ_COMM_WORLD) == MPJ_ERR_PEER);
  NEED(!MPJ_Type_free(&type));
  return 0;
}

static int lose_parent(struct part *p)
{
  MPJ_Datatype type;
  NEED(!begin(p) && !make_type(p, MOST, &type));
  fill(p, MOST);
  if (p->rank == 0) NEED(!MPJ_Bcast(p->buf, type, 0, MPJ_COMM_WORLD));
  if (is_of(p->job->inner, p->rank)) {
    NEED(has_offered());
    say(p);
  } else {
    NEED(hear(p, p->job->inner));
  }
  if (p->rank > 0) return survive(p, type);
  NEED(!MPJ_Type_free(&type));
  return go(p);
}

static int lose_child(struct part *p)
{
  const int leaf = last_of(p->job->leaves);
  const char name[] = {(char)('0' + last_of(p->job->inner)), '\0'};
  MPJ_Datatype type;
  NEED(!begin(p) && !make_type(p, MOST, &type));
  fill(p, MOST);
  if (p->rank == *name - '0') {
    NEED(has_offered());
    say(p);
  }
  if (p->rank == leaf) {
    NEED(hear(p, name) && !MPJ_Type_free(&type));
    return go(p);
  }
  return survive(p, type);
}

static int run(struct part *p, const char *name)
{
  static const struct {
    const char *name;
    int (*fn)(struct part *p);
  } parts[] = {{"through", through},    {"wrong", wrong},     {"taken", taken},
               {"bound", bound},        {"other", other},     {"never", never},
               {"parent", lose_parent}, {"child", lose_child}};
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
    if (!strcmp(parts[i].name, name)) return parts[i].fn(p);
  fprintf(stderr, "there is no part %s\n", name);
  return 1;
}

static int rank_main(void *arg)
{
  struct part p = {.job = arg};
  int status = 0;
  NEED(!MPJ_Comm_rank(MPJ_COMM_WORLD, &p.rank) && !MPJ_Comm_size(MPJ_COMM_WORLD, &p.size));
  p.buf = calloc((size_t)2 * MOST + 2, sizeof *p.buf);
  NEED(p.buf);
  for (char **part = p.job->parts; *part && !status; part++)
    status = run(&p, *part);
  if (status != GONE) free(p.buf);
  return status;
}

static int run_threads(struct job *job, int n)
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

int main(int argc, char **argv)
{
  const bool threads = argc > 2 && !strcmp(argv[1], "--threads");
  char **arg = argv + (threads ? 3 : 1);
  if (argc - (arg - argv) < 3) {
    fprintf(stderr, "usage: coll_relay_long [--threads N] INNER LEAVES PART...\n");
    return 2;
  }
  struct job job = {.inner = arg[0], .leaves = arg[1], .parts = arg + 2};
  const char *last = argv[argc - 1];
  int finalized = 0;
  job.dies = !strcmp(last, "parent") || !strcmp(last, "child");
  if (threads) return run_threads(&job, atoi(argv[2]));
  NEED(!MPJ_Init(&argc, &argv));
  job.board = board_map();
  NEED(job.board && !MPJ_Barrier(MPJ_COMM_WORLD));
  board_forget();
  const int status = rank_main(&job);
  MPJ_Finalized(&finalized);
  if (!finalized) MPJ_Finalize();
  return status;
}
