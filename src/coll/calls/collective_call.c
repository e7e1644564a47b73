/* This file runs blocking collectives. */
#include "coll/calls/collective_call.h"

#include "base/config/config.h"
#include "base/status.h"
#include "coll/calls/remembered.h"
#include "coll/check/check.h"
#include "coll/comm/context.h"
#include "coll/run/engine.h"
#include "coll/run/waiting.h"
#include "coll/threads/hold.h"
#include "pack/run/overlap.h"
#include "types/introspect/letters.h"

/* Wait for room. What arrives meanwhile may break the communicator: nothing may begin
 * on it then, as the others have been told already. */
static int make_room(struct mpj_comm *comm)
{
  mpj_wait_for_room(comm);
  return mpj_comm_reported(comm, mpj_comm_check(comm));
}

static int get_ready(const struct mpj_prepared *p)
{
  int status = make_room(p->comm);
  if (!p->comm->checker || status != MPJ_SUCCESS) return status;
  status = mpj_check(p);
  return status == MPJ_SUCCESS ? make_room(p->comm) : status;
}

/* Whether this rank receives into recvtype what is not combined with what is there. */
static bool only_receives(const struct mpj_comm *comm, const struct mpj_choice *choice)
{
  const enum mpj_operation operation = choice->agreed.operation;
  return !mpj_operation_rows[operation].has_op &&
         (operation != MPJ_OPERATION_BCAST || comm->rank != choice->root);
}

static int check_receive(const struct mpj_prepared *p)
{
  const struct mpj_type *type = p->call.recvtype;
  const bool bcast = p->choice.agreed.operation == MPJ_OPERATION_BCAST;
  struct mpj_overlap overlap;
  char text[MPJ_LETTERS_SUBJECT];
  if (!type || !only_receives(p->comm, &p->choice)) return MPJ_SUCCESS;
  const int status = mpj_layout_overlap(type->map.layout, &overlap);
  if (status != MPJ_SUCCESS || !overlap.found) return status;
  return mpj_error(MPJ_ERR_TYPE,
                   "%s receives into some memory twice: its data at displacement %td overlaps that "
                   "at displacement %td",
                   mpj_letters_argument(bcast ? "type" : "recvtype", type, text),
                   type->map.displ + overlap.second, type->map.displ + overlap.first);
}

const struct mpj_prepared *mpj_check_receive(const struct mpj_prepared *p,
                                             struct mpj_prepared *copy)
{
  if (!mpj_config()->check || p->status != MPJ_SUCCESS) return p;
  const int status = check_receive(p);
  if (status == MPJ_SUCCESS) return p;
  *copy = *p;
  copy->status = status;
  return copy;
}

static int run(const struct mpj_prepared *given)
{
  struct mpj_prepared copy;
  const struct mpj_prepared *p = mpj_check_receive(given, &copy);
  struct mpj_schedule *schedule;
  struct mpj_slot *slot;
  const int ready = get_ready(p);
  if (ready != MPJ_SUCCESS) return ready;
  int status = p->status;
  if (status == MPJ_SUCCESS) status = mpj_schedule_for(p->comm, &p->choice, &schedule);
  if (status == MPJ_SUCCESS) status = mpj_engine_start(p->comm, schedule, &p->call, &slot);
  if (status == MPJ_SUCCESS) return mpj_engine_complete(p->comm, slot);
  char why[512];
  mpj_error_keep(why, sizeof why);
  mpj_engine_complete(p->comm, mpj_engine_start_failed(p->comm, status));
  return mpj_error(status, "%s", why);
}

int mpj_collective(const struct mpj_prepared *p)
{
  struct mpj_context *context = p->comm->context;
  const int status = run(p);
  mpj_let_go(context);
  return status;
}
