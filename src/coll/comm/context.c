/* This file makes and ends contexts, and finds the calling thread's. */
#include "coll/comm/context.h"

#include <stdio.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/request.h"
#include "coll/comm/controls.h"
#include "coll/threads/progress_thread.h"
#include "coll/control/messages.h"
#include "coll/rpc/am.h"
#include "coll/run/tally.h"

/* Static thread storage, found without a call. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct mpj_context *thread_context;
static struct mpj_context *_Atomic process_context;

static struct mpj_context *all; /* that have not been freed; a list */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

static char forked[96]; /* mpj_context_forked's text, or empty */

/* In a child that a thread has just forked. Its memory is its own, but the segment and all
 * connections are the parent's: it never gets to them. */
static void become_nobody(void)
{
  const struct mpj_context *parent = mpj_context_current();
  pthread_mutex_init(&all_lock, NULL); /* whoever held it is not here */
  all = NULL;
  if (!parent || parent->state != MPJ_CONTEXT_LIVE) return;
  snprintf(forked, sizeof forked,
           "this process was forked by rank %d (process %ld), and is no rank", parent->world.rank,
           (long)getppid());
  thread_context = NULL;
  atomic_store(&process_context, NULL);
}

const char *mpj_context_forked(void)
{
  return forked[0] ? forked : NULL;
}

/* This thread's rank, or -1. */
static int current_rank(void)
{
  const struct mpj_context *context = mpj_context_current();
  return context ? context->world.rank : -1;
}

static void begin_all(void)
{
  pthread_atfork(NULL, NULL, become_nobody);
  mpj_entry_ranks(current_rank);
}

static void note_context(struct mpj_context *context)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin_all);
  pthread_mutex_lock(&all_lock);
  context->next = all;
  all = context;
  pthread_mutex_unlock(&all_lock);
}

static void forget_context(struct mpj_context *context)
{
  pthread_mutex_lock(&all_lock);
  struct mpj_context **link = &all;
  while (*link && *link != context)
    link = &(*link)->next;
  if (*link) *link = context->next;
  pthread_mutex_unlock(&all_lock);
}

bool mpj_context_is_known(const struct mpj_context *context)
{
  pthread_mutex_lock(&all_lock);
  const struct mpj_context *found = all;
  while (found && found != context)
    found = found->next;
  pthread_mutex_unlock(&all_lock);
  return found != NULL;
}

/* Peers cannot be told, for lack of memory. */
static void break_all(void *ctx)
{
  struct mpj_context *context = ctx;
  const struct mpj_cause cause = {.code = MPJ_ERR_NO_MEM, .culprit = context->world.rank};
  for (unsigned i = MPJ_WORLD_ID; i < MPJ_ALL_CONTROLS; i++) {
    struct mpj_comm *comm = context->comms[i];
    if (comm && comm->net && comm->broken.code == 0) mpj_comm_broken_elsewhere(comm, &cause);
  }
}

int mpj_context_create(struct mpj_net *net, struct mpj_context **context)
{
  struct mpj_context *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a rank's context");
  const int rank = net ? net->rank : 0, size = net ? net->size : 1;
  int status = mpj_control_begin(&c->control, net, break_all, c);
  if (status != MPJ_SUCCESS) goto free_context;
  status = mpj_comm_begin(&c->world, c, MPJ_WORLD_ID, 0, rank, size, NULL, net);
  if (status != MPJ_SUCCESS) goto end_control;
  status = mpj_comm_begin(&c->self, c, MPJ_SELF_ID, 0, 0, 1, &rank, net);
  if (status != MPJ_SUCCESS) goto end_world;
  mpj_scratch_begin(&c->scratch, (size_t)mpj_config()->scratch_bytes);
  status = mpj_am_begin(net, &c->am);
  if (status != MPJ_SUCCESS) goto end_self;
  c->net = net;
  c->main_thread = pthread_self();
  mpj_gate_begin(&c->gate);
  mpj_controls_take(&c->world);
  mpj_controls_take(&c->self);
  if (net) mpj_watch_begin(net);
  mpj_tally_begin(c);
  if (net) mpj_board_begin(&c->board, &c->control);
  if (net) mpj_net_register(net, MPJ_AM_COLLECTIVE, mpj_on_arrival, c);
  note_context(c);
  *context = c;
  return MPJ_SUCCESS;

end_self:
  mpj_comm_end(&c->self);
end_world:
  mpj_comm_end(&c->world);
end_control:
  mpj_control_end(&c->control);
free_context:
  mpj_free(c);
  return status;
}

void mpj_context_be_alone(struct mpj_context *context)
{
  if (context->alone) return;
  context->alone = true;
  mpj_progress_end(context);
  if (context->net) { /* what it has not come to: others wait for it */
    mpj_told_settle(&context->control);
    mpj_net_settle(context->net);
  }
  mpj_gate_open(context);
  mpj_in_order_interrupt(context);
}

void mpj_context_quieten(struct mpj_context *context)
{
  if (context->quiet) return;
  context->quiet = true;
  mpj_context_be_alone(context);
  for (unsigned i = 0; i < MPJ_ALL_CONTROLS; i++)
    if (context->comms[i]) context->comms[i]->freed = false; /* none is left from here on */
  for (unsigned i = 0; i < MPJ_ALL_CONTROLS; i++)
    if (context->comms[i]) mpj_requests_abandon(context->comms[i]);
  mpj_am_stop(context->am);
}

void mpj_context_finalize(struct mpj_context *context, enum mpj_rank_state state, int cause)
{
  if (context->state == MPJ_CONTEXT_FINALIZED) return;
  mpj_context_quieten(context);
  mpj_told_finish(&context->control);
  context->state = MPJ_CONTEXT_FINALIZED;
  mpj_controls_end(context);
  mpj_comm_end(&context->self);
  mpj_comm_end(&context->world);
  if (context->net && context->net->watch) {
    char ways[64];
    mpj_net_ways(context->net, ways, sizeof ways);
    mpj_tally_end(context);
    mpj_watch_end(context->net, ways);
  }
  mpj_context_free_memory(context);
  mpj_scratch_end(&context->scratch);
  mpj_free(context->circle.passed);
  context->circle.passed = NULL;
  mpj_control_end(&context->control);
  if (context->net) mpj_net_close(context->net, state, cause);
  context->net = NULL;
  mpj_am_end(context->am);
  context->am = NULL;
  mpj_am_forget_functions(context);
}

void mpj_context_free(struct mpj_context *context)
{
  forget_context(context);
  mpj_gate_end(&context->gate);
  mpj_free(context);
}

/* The words of MPJ_PROGRESS. */
enum { PROGRESS_CALLS, PROGRESS_THREAD };

int mpj_context_set_threads(struct mpj_context *context, int level)
{
  const bool has_thread = mpj_config()->progress == PROGRESS_THREAD;
  context->thread_level = level;
  if (context->gate.closed || (level < MPJ_THREAD_MULTIPLE && !has_thread)) return MPJ_SUCCESS;
  if (context->net && context->net->one_thread)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "MPJ_THREAD_MULTIPLE where messages go by MPI: the program must begin it with "
                     "MPI_THREAD_MULTIPLE");
  mpj_gate_close(context);
  return has_thread ? mpj_progress_begin(context) : MPJ_SUCCESS;
}

struct mpj_context *mpj_context_current(void)
{
  return thread_context ? thread_context : atomic_load(&process_context);
}

int mpj_context_live(struct mpj_context **context)
{
  *context = mpj_context_current();
  if (*context && (*context)->state == MPJ_CONTEXT_LIVE) return MPJ_SUCCESS;
  if (!*context && forked[0]) return mpj_error(MPJ_ERR_INTERNAL, "%s", forked);
  return mpj_error(MPJ_ERR_INTERNAL, "MPJ_Init has not been called, or MPJ_Finalize has");
}

void mpj_context_bind_thread(struct mpj_context *context)
{
  thread_context = context;
}

bool mpj_context_claim_process(struct mpj_context *context)
{
  struct mpj_context *none = NULL;
  return atomic_compare_exchange_strong(&process_context, &none, context);
}

bool mpj_comm_was_left(const struct mpj_context *context, uint32_t id)
{
  const uint64_t serials = UINT64_C(1) << (32 - MPJ_CONTROL_BITS);
  const uint64_t ago = (context->serial - (id >> MPJ_CONTROL_BITS)) % serials;
  return ago < serials / 2 && ago < context->serial && id % MPJ_CONTROLS > MPJ_SELF_ID;
}

bool mpj_context_is_busy(const struct mpj_context *context)
{
  for (const struct mpj_comm *comm = context->busy; comm; comm = comm->next)
    if (comm->completed < comm->started || comm->queued || comm->relaying) return true;
  return false;
}

uint64_t mpj_context_open(const struct mpj_context *context, bool given_up)
{
  uint64_t open = 0;
  for (unsigned i = 0; i < MPJ_ALL_CONTROLS; i++)
    if (context->comms[i]) open += mpj_comm_open(context->comms[i], given_up);
  return open;
}
