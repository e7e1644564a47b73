/* This file exchanges records of calls before operations begin.
 *
 * Cost: an allgather of 64 + 32 p bytes a rank by Bruck's algorithm, that is
 * ceil(log2 p) alpha + p (64 + 32 p) beta, and O(p^2) comparisons where all ranks have
 * parts, O(p) elsewhere; memory per communicator (p + 1)(64 + 32 p) bytes. No rank ends
 * an operation before all have called it. */
#include "coll/check/check.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/check/compare.h"
#include "coll/run/engine.h"
#include "coll/select/algorithms.h"
#include "types/introspect/letters.h"

static void keep_name(const struct mpj_type *type, char name[MPJ_SAID_NAME])
{
  const char *const given = type ? mpj_letters_name(type) : NULL;
  snprintf(name, MPJ_SAID_NAME, "%s", given ? given : "");
}

int mpj_check_begin(struct mpj_comm *comm, const struct mpj_choice *choice,
                    const struct mpj_call *call, bool init, struct mpj_slot **slot)
{
  struct mpj_checker *c = comm->checker;
  struct mpj_schedule *schedule;
  const unsigned variant = MPJ_VARIANT_SEND_DENSE + MPJ_VARIANT_RECV_DENSE + 2 * MPJ_VARIANT_RADIX;
  int status = mpj_said_fill(c->mine, choice, call, comm->rank, comm->size);
  c->mine->init = init;
  keep_name(call->sendtype, c->names.send);
  keep_name(call->recvtype, c->names.receive);
  c->exchange = (struct mpj_call){.sendbuf = c->mine, .recvbuf = c->all};
  if (status == MPJ_SUCCESS) status = mpj_type_committed(c->one, "sendtype", &c->exchange.sendtype);
  if (status == MPJ_SUCCESS)
    status = mpj_type_committed(c->each, "recvtype", &c->exchange.recvtype);
  if (status == MPJ_SUCCESS)
    status = mpj_schedule_cached(comm, MPJ_OPERATION_CHECK, 0, -1, variant, NULL,
                                 mpj_allgather_bruck, &schedule);
  return status == MPJ_SUCCESS ? mpj_engine_start(comm, schedule, &c->exchange, slot) : status;
}

int mpj_check_compare(const struct mpj_comm *comm)
{
  const uint64_t number = mpj_operation_number(comm, comm->started - 1);
  return mpj_said_compare(comm->checker->all, comm->rank, comm->size, number,
                          &comm->checker->names);
}

struct mpj_slot *mpj_check_pass_over(struct mpj_comm *comm, int status, bool told)
{
  static const struct mpj_call nothing = {0};
  struct mpj_slot *slot = NULL;
  if (comm->broken.code != 0) return NULL;
  if (!told) return mpj_engine_start_failed(comm, status);
  mpj_engine_start(comm, &comm->schedules->no_steps, &nothing,
                   &slot); /* needs no memory: cannot fail */
  return slot;
}

/* The exchange, from begin to end. *told: all ranks have the outcome. */
static int exchange(const struct mpj_prepared *p, bool *told)
{
  struct mpj_slot *slot;
  char why[400];
  int status = p->status;
  if (status == MPJ_SUCCESS) status = mpj_check_begin(p->comm, &p->choice, &p->call, false, &slot);
  if (status == MPJ_SUCCESS) {
    status = mpj_engine_complete(p->comm, slot);
    *told = status == MPJ_SUCCESS;
    return *told ? mpj_check_compare(p->comm) : status;
  }
  mpj_error_keep(why, sizeof why);
  mpj_engine_complete(p->comm, mpj_engine_start_failed(p->comm, status));
  return mpj_error(status, "%s", why);
}

int mpj_check(const struct mpj_prepared *p)
{
  bool told = false;
  char why[480];
  const int status = exchange(p, &told);
  p->comm->checker->refused = told && status != MPJ_SUCCESS;
  if (status == MPJ_SUCCESS) return MPJ_SUCCESS;
  mpj_error_keep(why, sizeof why);
  mpj_engine_make_room(p->comm);
  struct mpj_slot *slot = mpj_check_pass_over(p->comm, status, told);
  if (slot) mpj_engine_complete(p->comm, slot);
  return mpj_error(status, "%s", why);
}
