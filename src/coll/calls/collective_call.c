/* This file begins the operation of a call, and runs blocking calls. */
#include "coll/calls/collective_call.h"

#include "base/status.h"
#include "coll/calls/known_calls.h"
#include "coll/check/check.h"
#include "coll/comm/context.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/hold.h"

/* The operation has failed on this rank before it began, which its call returns, whatever the
 * others have told. */
static MPJ_ASIDE struct mpj_slot *start_failed(struct mpj_comm *comm, int status)
{
  char *why = NULL;
  mpj_error_store(&why);
  struct mpj_slot *slot = mpj_engine_start_failed(comm, status);
  slot->status = status;
  mpj_error_forget(&slot->why);
  slot->why = why;
  return slot;
}

static inline struct mpj_slot *start(struct mpj_comm *comm, const struct mpj_choice *choice,
                                     struct mpj_call *call, int status)
{
  struct mpj_slot *slot;
  if (status == MPJ_SUCCESS && !mpj_known_is_bound(comm, call))
    status = mpj_known_find(comm, choice, call);
  if (status == MPJ_SUCCESS) {
    call->schedule->last_used = ++comm->schedules->clock;
    status = mpj_engine_start(comm, call->schedule, call, &slot);
  }
  return status == MPJ_SUCCESS ? slot : start_failed(comm, status);
}

struct mpj_slot *mpj_call_start(struct mpj_comm *comm, const struct mpj_choice *choice,
                                struct mpj_call *call, int status)
{
  return start(comm, choice, call, status);
}

/* Wait for room. What arrives meanwhile may break the communicator: nothing may begin
 * on it then, as the others have been told already. */
static int make_room(struct mpj_comm *comm)
{
  mpj_wait_for_room(comm);
  return mpj_comm_reported(comm, mpj_comm_check(comm));
}

static MPJ_ASIDE int get_ready(struct mpj_prepared *p)
{
  p->own = *p->choice;
  p->choice = &p->own;
  int status = make_room(p->comm);
  if (!p->comm->checker || status != MPJ_SUCCESS) return status;
  status = mpj_check(p);
  return status == MPJ_SUCCESS ? make_room(p->comm) : status;
}

/* Whether the communicator's next operation can begin at once. */
static bool is_ready(const struct mpj_comm *comm)
{
  return !comm->queued && !comm->checker && comm->started < comm->completed + mpj_comm_slots(comm);
}

static inline int run(struct mpj_prepared *p)
{
  const int ready = is_ready(p->comm) ? MPJ_SUCCESS : get_ready(p);
  if (ready != MPJ_SUCCESS) return ready;
  return mpj_engine_complete(p->comm, start(p->comm, p->choice, &p->call, p->status));
}

int mpj_call_run(struct mpj_prepared *p)
{
  return run(p);
}

int mpj_call_blocking(const struct mpj_arguments *a)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  struct mpj_prepared p;
  const int status = mpj_prepare(held, a, &p);
  return status == MPJ_SUCCESS ? run(&p) : status;
}
