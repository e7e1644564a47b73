/* This file finds the calling thread's context, and knows all that have not been freed. */
#include <stdio.h>
#include <unistd.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/comm/context.h"

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
           "this process was forked by rank %d (process %ld), and is no rank", parent->rank,
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
  return context ? context->rank : -1;
}

static void begin_all(void)
{
  pthread_atfork(NULL, NULL, become_nobody);
  mpj_entry_ranks(current_rank);
}

void mpj_context_note(struct mpj_context *context)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, begin_all);
  pthread_mutex_lock(&all_lock);
  context->next = all;
  all = context;
  pthread_mutex_unlock(&all_lock);
}

void mpj_context_forget(struct mpj_context *context)
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
  return !(id & MPJ_PERSISTENT_ID) && id > MPJ_SELF_ID && id - MPJ_SELF_ID <= context->serial;
}

bool mpj_context_is_busy(const struct mpj_context *context)
{
  for (const struct mpj_comm *comm = context->busy; comm; comm = comm->next)
    if (comm->completed < comm->started || comm->queued || comm->relaying) return true;
  return false;
}
