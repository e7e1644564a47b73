/* This file takes the ranks of a simulated machine through a program: each has a context, and is
 * advanced by whatever comes to it. */
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/comm/context_create.h"
#include "coll/plan/shared.h"
#include "coll/run/engine.h"
#include "coll/select/algorithms.h"

/* WAITING for its time; RUNNING; DONE with all its calls; DEAD. */
enum state { WAITING, RUNNING, DONE, DEAD };

struct rank {
  struct mpj_context *context;
  enum state state;
  int calls; /* it has begun */
  MPJ_Request request;
  struct buffers buffers;
};

struct run {
  const struct run_options *options;
  struct mpj_sim *sim;
  struct program program;
  struct mpj_shared shared;
  struct rank *ranks; /* [n] */
  int n, opened;
  int left; /* ranks that are neither DONE nor DEAD */
  struct result *result;
  int64_t *dies_at; /* [n] or NULL */
};

static double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int64_t resident_bytes(void)
{
  long pages = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f) return 0;
  if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(f);
  return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

static const char *text_of_bytes(int64_t bytes, char text[32])
{
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
  double value = (double)bytes / 1024;
  int unit = 0;
  if (bytes < 1024) {
    snprintf(text, 32, "%d bytes", (int)bytes);
    return text;
  }
  for (; value >= 1024 && unit < 3; unit++)
    value /= 1024;
  snprintf(text, 32, "%.1f %s", value, units[unit]);
  return text;
}

/* Whether what `n` of the ranks take lets all of them fit. Some of it is there once, whatever their
 * number. */
static int check_memory(const struct run *run, int n, int64_t before)
{
  enum { ONCE = 256 << 10 };
  const int64_t buffers = program_memory(&run->program, run->program.root) +
                          (run->n - 1) * program_memory(&run->program, !run->program.root);
  const int64_t taken = resident_bytes() - before;
  const int64_t each = n > 0 && taken > ONCE ? (taken - ONCE) / n : 0;
  const int64_t all = before + each * run->n + buffers, most = run->options->memory_bytes;
  char text[4][32], state[64] = "";
  if (all <= most) return MPJ_SUCCESS;
  if (each > 0)
    snprintf(state, sizeof state, "%s of state each, and ", text_of_bytes(each, text[0]));
  return mpj_error(MPJ_ERR_ARG, "--memory is %s, and %d ranks would take %s: %s%s of buffers",
                   text_of_bytes(most, text[1]), run->n, text_of_bytes(all, text[2]), state,
                   text_of_bytes(buffers, text[3]));
}

static int open_rank(struct run *run, int i)
{
  struct mpj_net *net;
  struct rank *r = &run->ranks[i];
  int status = mpj_sim_open(run->sim, i, mpj_config()->eager_bytes, &net);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_context_create(net, &r->context);
  if (status != MPJ_SUCCESS) {
    mpj_net_close(net, MPJ_RANK_DEAD, 0);
    return status;
  }
  r->context->thread_rank = true;
  mpj_context_share(r->context, &run->shared);
  run->opened++;
  return MPJ_SUCCESS;
}

static int open_all(struct run *run)
{
  const int64_t before = resident_bytes();
  int status = check_memory(run, 0, before);
  for (int i = 0; i < run->n && status == MPJ_SUCCESS; i++) {
    status = open_rank(run, i);
    if (status == MPJ_SUCCESS && (i & (i + 1)) == 0 && i >= 63) /* 64, 128, ... ranks are open */
      status = check_memory(run, i + 1, before);
  }
  return status;
}

/* Contexts are known by a list, the last one first. */
static void close_all(struct run *run)
{
  mpj_sim_stop(run->sim);
  for (int i = run->opened - 1; i >= 0; i--) {
    struct rank *r = &run->ranks[i];
    mpj_context_bind_thread(r->context);
    if (r->request != MPJ_REQUEST_NULL) MPJ_Request_free(&r->request);
    mpj_context_finalize(r->context, r->state == DEAD ? MPJ_RANK_DEAD : MPJ_RANK_FINALIZED, 0);
    program_drop(&run->program, i, &r->buffers);
    mpj_context_free(r->context);
  }
  mpj_context_bind_thread(NULL);
}

/* splitmix64, of one number */
static uint64_t mixed(uint64_t z)
{
  z += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static int schedule_entries(struct run *run)
{
  const struct run_options *o = run->options;
  for (int i = 0; i < run->n; i++) {
    int64_t at = o->skew_ps * i;
    if (o->random_ps > 0)
      at += (int64_t)(mixed(o->seed ^ mixed((uint64_t)i)) % (uint64_t)(o->random_ps + 1));
    for (int k = 0; k < o->nlate; k++)
      if (o->late[k].rank == i) at += o->late[k].time;
    run->result->of[i].entered_ps = at;
    mpj_sim_at(run->sim, i, at);
  }
  if (o->ndeaths == 0) return MPJ_SUCCESS;
  run->dies_at = mpj_alloc_array((size_t)run->n, sizeof *run->dies_at);
  if (!run->dies_at) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d ranks", run->n);
  for (int k = 0; k < o->ndeaths; k++) {
    run->dies_at[o->deaths[k].rank] = o->deaths[k].time + 1; /* 0: it does not */
    mpj_sim_at(run->sim, o->deaths[k].rank, o->deaths[k].time);
  }
  return MPJ_SUCCESS;
}

static void note_failure(struct run *run, int i, int status)
{
  struct result *result = run->result;
  result->of[i].status = status;
  if (result->failed++ == 0) snprintf(result->why, sizeof result->why, "%s", MPJ_Error_detail());
}

static void end_rank(struct run *run, int i, enum state state)
{
  run->ranks[i].state = state;
  run->left--;
  run->result->of[i].left_ps = state == DEAD ? -1 : mpj_sim_time(run->sim, i);
  run->result->of[i].counts = mpj_sim_rank_count(run->sim, i);
  run->result->of[i].put = run->ranks[i].context->went[1];
  run->result->of[i].fifo = run->ranks[i].context->went[0];
}

/* The call has ended with `status`. */
static int end_call(struct run *run, int i, int status)
{
  struct rank *r = &run->ranks[i];
  int outcome = MPJ_SUCCESS;
  r->request = MPJ_REQUEST_NULL;
  if (status != MPJ_SUCCESS)
    note_failure(run, i, status);
  else
    outcome = program_check(&run->program, i, &r->buffers);
  program_drop(&run->program, i, &r->buffers);
  if (r->calls == run->options->repeat || status != MPJ_SUCCESS) end_rank(run, i, DONE);
  return outcome;
}

/* Whatever is here is looked at; a call that ends is followed by the next. What one test lets go on
 * the next one moves, as of a rank that waits, so there is one more. Where ranks die, a test that
 * finds nothing to move looks for whom it needs: one that waits does so again and again. */
static int advance(struct run *run, int i)
{
  enum { LOOKS = 4 };
  struct rank *r = &run->ranks[i];
  int status = MPJ_SUCCESS, done = 0, looks = run->dies_at ? LOOKS : 1;
  do {
    if (r->state == DONE) {
      mpj_engine_progress(r->context); /* as a rank that waits for the others in MPJ_Finalize */
      continue;
    }
    if (r->request == MPJ_REQUEST_NULL) {
      status = program_fill(&run->program, i, &r->buffers);
      if (status != MPJ_SUCCESS) return status;
      r->calls++;
      status = program_start(&run->program, &r->buffers, &r->request);
      if (status != MPJ_SUCCESS) {
        status = end_call(run, i, status);
        continue;
      }
    }
    const int tested = MPJ_Test(&r->request, &done);
    if (tested != MPJ_SUCCESS || done) status = end_call(run, i, tested);
  } while (status == MPJ_SUCCESS &&
           (mpj_sim_waits(run->sim, i) ||
            (r->state == RUNNING && (r->request == MPJ_REQUEST_NULL || looks-- > 0))));
  if (r->context->wake_ns > 0) { /* it looks again then, whatever comes */
    mpj_sim_at(run->sim, i, 1000 * r->context->wake_ns + 1000);
    r->context->wake_ns = 0;
  }
  return status;
}

/* What advancing a rank touches, fetched ahead. */
static void fetch(void *ctx, int i, int stage)
{
  const struct run *run = ctx;
  const struct rank *r = &run->ranks[i];
  if (stage == 0) {
    mpj_sim_fetch(r, sizeof *r);
    return;
  }
  if (stage == 1) {
    mpj_sim_fetch(r->context, sizeof *r->context);
    if (r->request != MPJ_REQUEST_NULL) mpj_sim_fetch(r->request, 256);
    return;
  }
  const struct mpj_comm *world = r->context->world;
  if (!world) return;
  if (stage == 2) {
    mpj_sim_fetch(world, sizeof *world);
    return;
  }
  mpj_sim_fetch(world->known_done.entries, 16 * sizeof *world->known_done.entries);
  const struct mpj_slot *slot = mpj_comm_slot(world, world->completed);
  if (slot != &mpj_no_slot) mpj_sim_fetch(slot, offsetof(struct mpj_slot, left));
  if (world->window) {
    mpj_sim_fetch(world->window, 1);
    mpj_sim_fetch(&world->window->slot[mpj_slot_number(world, world->completed)], 128);
  }
}

static void show_progress(const struct run *run, double begun)
{
  enum { WIDTH = 40 };
  struct mpj_sim_counts counts;
  mpj_sim_count(run->sim, &counts);
  const int gone = run->n - run->left, filled = (int)((int64_t)gone * WIDTH / run->n);
  fprintf(stderr, "\rsimulated [%.*s%*s] %d of %d ranks have left, %.0f events/s", filled,
          "########################################", WIDTH - filled, "", gone, run->n,
          (double)counts.events / (seconds_now() - begun));
}

/* A timer: the rank dies, or enters. */
static int on_timer(struct run *run, const struct mpj_sim_news *news)
{
  struct rank *r = &run->ranks[news->rank];
  if (run->dies_at && run->dies_at[news->rank] == news->time + 1) {
    mpj_sim_enter(run->sim, news->rank, news->time);
    mpj_sim_kill(run->sim, news->rank, 9); /* as by a signal */
    if (r->state != DONE) end_rank(run, news->rank, DEAD);
    r->state = DEAD;
    return MPJ_SUCCESS;
  }
  if (r->state != WAITING) {
    mpj_sim_enter(run->sim, news->rank, news->time);
    return advance(run, news->rank);
  }
  r->state = RUNNING;
  mpj_sim_enter(run->sim, news->rank, news->time);
  return advance(run, news->rank);
}

/* What calls take is not known before they run. */
static int check_taken(const struct run *run)
{
  char text[2][32];
  const int64_t taken = resident_bytes(), most = run->options->memory_bytes;
  if (taken <= most) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "--memory is %s, and %d ranks in their calls have taken %s",
                   text_of_bytes(most, text[0]), run->n, text_of_bytes(taken, text[1]));
}

static int simulate(struct run *run)
{
  enum { SHOW_EVERY = 1 << 16, CHECK_EVERY = 1 << 12 };
  struct mpj_sim_news news;
  const double begun = seconds_now();
  uint64_t turns = 0;
  bool shown = false;
  int status = MPJ_SUCCESS;
  while (status == MPJ_SUCCESS && mpj_sim_next(run->sim, &news)) {
    struct rank *r = &run->ranks[news.rank];
    if (r->state == DEAD) continue;
    mpj_context_bind_thread(r->context);
    status = news.what == MPJ_SIM_TIMER ? on_timer(run, &news) : advance(run, news.rank);
    if (++turns % CHECK_EVERY == 0 && status == MPJ_SUCCESS) status = check_taken(run);
    if (run->options->progress && turns % SHOW_EVERY == 0 && seconds_now() - begun > 1) {
      show_progress(run, begun);
      shown = true;
    }
  }
  if (shown) fprintf(stderr, "\n");
  if (status == MPJ_SUCCESS) status = mpj_sim_status(run->sim);
  if (status != MPJ_SUCCESS || run->left == 0) return status;
  int stuck = 0;
  while (run->ranks[stuck].state == DONE || run->ranks[stuck].state == DEAD)
    stuck++;
  return mpj_error(MPJ_ERR_INTERNAL, "%d ranks, rank %d the first, never left %s", run->left, stuck,
                   mpj_operation_name(run->program.operation));
}

static int check_ranks(const char *option, const struct rank_time *list, int n, int last)
{
  for (int k = 0; k < n; k++)
    if (list[k].rank < 0 || list[k].rank > last || list[k].time < 0)
      return mpj_error(MPJ_ERR_ARG, "%s is rank %d, there are ranks 0 to %d", option, list[k].rank,
                       last);
  return MPJ_SUCCESS;
}

int run_check(const struct run_options *o)
{
  const int last = o->machine.ranks - 1;
  int status = mpj_sim_machine_check(&o->machine);
  if (status != MPJ_SUCCESS) return status;
  if (o->repeat < 1) return mpj_error(MPJ_ERR_ARG, "--repeat is %d, must be at least 1", o->repeat);
  if (o->root < 0 || o->root > last)
    return mpj_error(MPJ_ERR_ARG, "--root is %d, there are ranks 0 to %d", o->root, last);
  status = check_ranks("--late", o->late, o->nlate, last);
  if (status == MPJ_SUCCESS) status = check_ranks("--kill", o->deaths, o->ndeaths, last);
  if (status == MPJ_SUCCESS) status = check_ranks("--shift", o->shifted, o->nshifted, last);
  return status;
}

/* What the first rank ran. */
static const char *algorithm_of(const struct run *run)
{
  const struct mpj_comm *world = run->ranks[0].context->world;
  const struct mpj_schedules *all = world ? world->schedules : NULL;
  for (unsigned i = 0; all && i < all->ncached; i++)
    if (all->cached[i]->operation == run->program.operation)
      return mpj_algorithm_name(all->cached[i]->algorithm);
  return NULL;
}

static void sum_up(struct run *run, double begun)
{
  struct result *result = run->result;
  struct rusage used;
  for (int i = 0; i < run->n; i++)
    if (result->of[i].left_ps > result->last_ps) result->last_ps = result->of[i].left_ps;
  mpj_sim_count(run->sim, &result->counts);
  result->algorithm = algorithm_of(run);
  result->is_virtual = run->program.virtual != NULL;
  result->bytes = run->program.size;
  getrusage(RUSAGE_SELF, &used);
  result->peak_bytes = (int64_t)used.ru_maxrss * 1024;
  result->seconds = seconds_now() - begun;
}

int run_program(const struct run_options *o, mpj_sim_see_fn *see, void *ctx, struct result *result)
{
  struct run run = {.options = o,
                    .n = o->machine.ranks,
                    .left = o->machine.ranks,
                    .result = result,
                    .program = {.operation = o->operation,
                                .bytes = o->bytes,
                                .text = o->type,
                                .payload = o->payload,
                                .root = o->root,
                                .ranks = o->machine.ranks}};
  const double begun = seconds_now();
  *result = (struct result){.ranks = run.n};
  int status = run_check(o);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_sim_create(&o->machine, o->seed, &run.sim);
  if (status != MPJ_SUCCESS) return status;
  mpj_shared_begin(&run.shared, (size_t)mpj_config()->scratch_bytes);
  mpj_sim_watch(run.sim, see, ctx);
  mpj_sim_fetch_by(run.sim, fetch, &run);
  run.ranks = mpj_alloc_array((size_t)run.n, sizeof *run.ranks);
  result->of = mpj_alloc_array((size_t)run.n, sizeof *result->of);
  if (!run.ranks || !result->of)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d ranks", run.n);
  if (status == MPJ_SUCCESS) status = program_begin(&run.program, run.sim);
  if (status == MPJ_SUCCESS) status = open_all(&run);
  for (int k = 0; k < o->nshifted && status == MPJ_SUCCESS; k++)
    run.ranks[o->shifted[k].rank].buffers.shift = (size_t)o->shifted[k].time;
  if (status == MPJ_SUCCESS) status = schedule_entries(&run);
  result->loop_seconds = -seconds_now();
  if (status == MPJ_SUCCESS) status = simulate(&run);
  result->loop_seconds += seconds_now();
  if (status == MPJ_SUCCESS) sum_up(&run, begun);
  char why[240];
  mpj_error_keep(why, sizeof why);
  if (status != MPJ_SUCCESS && o->gives_nothing_back) {
    mpj_context_bind_thread(NULL);
    return mpj_error(status, "%s", why);
  }
  close_all(&run);
  mpj_shared_end(&run.shared);
  program_end(&run.program);
  mpj_sim_free(run.sim);
  mpj_free(run.ranks);
  mpj_free(run.dies_at);
  if (status == MPJ_SUCCESS) return MPJ_SUCCESS;
  result_end(result);
  return mpj_error(status, "%s", why);
}

bool result_is_of(const struct result *result, const char *word)
{
  const size_t length = strcspn(word, ":,");
  const char *ran = result->algorithm;
  if (!ran || strcmp(word, "auto") == 0) return true;
  return strlen(ran) == length && memcmp(ran, word, length) == 0;
}

void result_end(struct result *result)
{
  mpj_free(result->of);
  result->of = NULL;
}
