/* This file makes and ends contexts. */
#include "coll/comm/context_create.h"

#include <stdio.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/request.h"
#include "coll/comm/comm_begin.h"
#include "coll/comm/context_ids.h"
#include "coll/control/messages.h"
#include "coll/control/signals.h"
#include "coll/failure/failure.h"
#include "coll/plan/shared.h"
#include "coll/rpc/am.h"
#include "coll/run/early.h"
#include "coll/run/relay_data.h"
#include "coll/run/tally.h"
#include "coll/select/select.h"
#include "coll/steps/parked.h"
#include "coll/threads/progress_thread.h"
#include "coll/threads/rank_lock_pass.h"
#include "net/am/am_begin.h"

/* Peers cannot be told, or seen, for lack of memory. */
static void break_all(void *ctx)
{
  struct mpj_context *context = ctx;
  const int code = mpj_error(MPJ_ERR_NO_MEM,
                             "rank %d has no memory to see how far its peers are, or to tell them",
                             context->rank);
  for (struct mpj_comm *comm = context->live; comm; comm = comm->after)
    if (comm->net && comm->broken.code == 0) mpj_comm_break_here(comm, code);
}

int mpj_context_create(struct mpj_net *net, struct mpj_context **context)
{
  struct mpj_context *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a rank's context");
  c->rank = net ? net->rank : 0;
  c->size = net ? net->size : 1;
  int status = mpj_tuning_rules(net ? net->rules : NULL, c->rank == 0, &c->tuned);
  if (status != MPJ_SUCCESS) {
    mpj_free(c);
    return status;
  }
  c->net = net;
  mpj_control_begin(&c->control, net, break_all, c);
  c->scratch = mpj_alloc_array(1, sizeof *c->scratch);
  if (c->scratch) {
    mpj_scratch_begin(c->scratch, (size_t)mpj_config()->scratch_bytes);
    status = mpj_context_begin_comm(c, MPJ_WORLD_ID, c->rank, c->size, &c->world);
  } else {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a rank's context");
  }
  if (status != MPJ_SUCCESS) {
    mpj_free(c->tuned);
    mpj_map_end(&c->comms);
    mpj_control_end(&c->control);
    mpj_free(c->scratch);
    mpj_free(c);
    return status;
  }
  c->start_queued = mpj_requests_start;
  c->main_thread = pthread_self();
  mpj_rank_lock_begin(&c->lock);
  if (net) net->watch = mpj_watch_begin(net->rank, net->size);
  mpj_tally_begin(c);
  if (net) mpj_published_begin(&c->published, &c->control);
  if (net) mpj_net_register(net, MPJ_AM_COLLECTIVE, mpj_on_arrival, c);
  if (net) mpj_net_register(net, MPJ_AM_WORD, mpj_on_arrival, c);
  mpj_context_note(c);
  *context = c;
  return MPJ_SUCCESS;
}

void mpj_context_share(struct mpj_context *context, struct mpj_shared *set)
{
  context->shared = set;
  mpj_free(context->scratch); /* nothing has been borrowed */
  context->scratch = context->world->scratch = &set->scratch;
  context->world->peers_from = context->rank;
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
  mpj_rank_lock_open(context);
}

void mpj_context_quieten(struct mpj_context *context)
{
  if (context->quiet) return;
  context->quiet = true;
  mpj_context_be_alone(context);
  for (struct mpj_comm *comm = context->live; comm; comm = comm->after)
    comm->freed = false; /* none is left from here on */
  for (struct mpj_comm *comm = context->live; comm; comm = comm->after)
    mpj_requests_abandon(comm);
  if (context->am) mpj_am_stop(context->am);
}

void mpj_context_finalize(struct mpj_context *context, enum mpj_rank_state state, int cause)
{
  if (context->state == MPJ_CONTEXT_FINALIZED) return;
  mpj_context_quieten(context);
  mpj_told_finish(&context->control);
  context->state = MPJ_CONTEXT_FINALIZED;
  mpj_context_ids_end(context);
  mpj_comm_end(context->world);
  mpj_free(context->world);
  context->world = NULL;
  mpj_free(context->tuned);
  context->tuned = NULL;
  if (context->net && context->net->watch) {
    char ways[96];
    mpj_net_ways(context->net, ways, sizeof ways);
    if (context->net->connections) {
      const size_t at = strlen(ways);
      snprintf(ways + at, sizeof ways - at, "; connections to %u ranks",
               *context->net->connections);
    }
    mpj_tally_end(context);
    mpj_watch_end(context->net->watch, ways);
    context->net->watch = NULL;
  }
  mpj_context_free_memory(context);
  mpj_published_end(&context->published);
  mpj_slots_end();
  if (!context->shared) {
    mpj_scratch_end(context->scratch);
    mpj_free(context->scratch);
  }
  mpj_free(context->circle.passed);
  context->circle.passed = NULL;
  mpj_control_end(&context->control);
  if (context->net) mpj_net_close(context->net, state, cause);
  context->net = NULL;
  mpj_relay_data_end(context);
  mpj_parked_end(context);
  if (context->am) mpj_am_end(context->am);
  context->am = NULL;
  mpj_am_forget_functions(context);
}

void mpj_context_free(struct mpj_context *context)
{
  mpj_context_forget(context);
  mpj_rank_lock_end(&context->lock);
  mpj_error_forget(&context->ended_why);
  mpj_free(context);
}

/* The words of MPJ_PROGRESS. */
enum { PROGRESS_CALLS, PROGRESS_THREAD };

int mpj_context_set_threads(struct mpj_context *context, int level)
{
  const bool has_thread = mpj_config()->progress == PROGRESS_THREAD;
  context->thread_level = level;
  if (context->lock.closed || (level < MPJ_THREAD_MULTIPLE && !has_thread)) return MPJ_SUCCESS;
  if (context->net && context->net->one_thread)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "MPJ_THREAD_MULTIPLE where messages go by MPI: the program must begin it with "
                     "MPI_THREAD_MULTIPLE");
  mpj_rank_lock_close(context);
  return has_thread ? mpj_progress_begin(context) : MPJ_SUCCESS;
}
