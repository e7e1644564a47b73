/* This file exchanges records of calls before operations begin.
 *
 * Cost: an allgather of 64 + 32 p bytes a rank by Bruck's algorithm, that is
 * ceil(log2 p) alpha + p (64 + 32 p) beta, and O(p^2) comparisons where all ranks have
 * parts, O(p) elsewhere; memory per communicator (p + 1)(64 + 32 p) + 704 p bytes. No rank ends
 * an operation before all have called it. Where types differ, an alltoall of 352 p bytes more. */
#include "coll/check/check.h"

#include "base/status.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/select/algorithms.h"

/* What is exchanged, by the schedule of an algorithm, from one buffer to another. */
static int start(struct mpj_comm *comm, const struct mpj_call *exchange, unsigned number,
                 unsigned variant, mpj_algorithm_fn *build, struct mpj_slot **slot)
{
  struct mpj_checker *c = comm->checker;
  struct mpj_schedule *schedule;
  c->exchange = *exchange;
  const int status = mpj_schedule_cached(comm, MPJ_OPERATION_CHECK, number, -1,
                                         variant + MPJ_VARIANT_SEND_DENSE + MPJ_VARIANT_RECV_DENSE,
                                         NULL, build, &schedule);
  return status == MPJ_SUCCESS ? mpj_engine_start(comm, schedule, &c->exchange, slot) : status;
}

int mpj_check_begin(struct mpj_comm *comm, const struct mpj_choice *choice,
                    const struct mpj_call *call, bool init, struct mpj_slot **slot)
{
  struct mpj_checker *c = comm->checker;
  const struct mpj_call exchange = {.sendbuf = c->mine,
                                    .sendtype = c->one,
                                    .recvbuf = c->all,
                                    .recvtype = c->each,
                                    .part_of = call->part_of};
  const int status = mpj_said_fill(c->mine, choice, call, comm->rank, comm->size);
  c->mine->init = init;
  c->types = (struct mpj_explained){call->sendtype, call->recvtype};
  c->records = (struct mpj_records){c->all, comm->rank, comm->size,
                                    mpj_operation_number(comm, comm->started)};
  if (status != MPJ_SUCCESS) return status;
  return start(comm, &exchange, 0, 2 * MPJ_VARIANT_RADIX, mpj_allgather_bruck, slot);
}

int mpj_check_compare(const struct mpj_comm *comm)
{
  return mpj_said_compare(&comm->checker->records);
}

/* Ranks tell each other the types that differ. */
static struct mpj_slot *begin_explaining(struct mpj_comm *comm)
{
  struct mpj_checker *c = comm->checker;
  struct mpj_slot *slot;
  const struct mpj_call exchange = {
      .sendbuf = c->tell, .sendtype = c->explained, .recvbuf = c->told, .recvtype = c->explained};
  c->explains = true;
  mpj_explanation_fill(&c->records, &c->types, c->tell);
  const int status = start(comm, &exchange, 1, 0, mpj_alltoall_flat, &slot);
  return status == MPJ_SUCCESS ? slot : mpj_engine_start_failed(comm, status);
}

struct mpj_slot *mpj_check_pass_over(struct mpj_comm *comm, int status, bool told)
{
  static const struct mpj_call nothing = {0};
  struct mpj_slot *slot = NULL;
  if (comm->broken.code != 0) return NULL;
  if (!told) return mpj_engine_start_failed(comm, status);
  if (status == MPJ_ERR_SIGNATURE) return begin_explaining(comm);
  mpj_engine_start(comm, &comm->schedules->no_steps, &nothing,
                   &slot); /* needs no memory: cannot fail */
  return slot;
}

int mpj_check_explain(struct mpj_comm *comm, int status)
{
  struct mpj_checker *c = comm->checker;
  c->explains = false;
  if (status != MPJ_SUCCESS) mpj_explanation_fill(&c->records, &c->types, c->told);
  return mpj_explain(&c->records, &c->types, c->told);
}

/* The exchange, from begin to end. *told: all ranks have the outcome. */
static int exchange(const struct mpj_prepared *p, bool *told)
{
  struct mpj_pause pause = {0};
  struct mpj_slot *slot;
  char why[400];
  int status = p->status;
  while (p->comm->checker->explains) /* an earlier request */
    mpj_wait_step(p->comm->context, &pause);
  if (status == MPJ_SUCCESS) status = mpj_check_begin(p->comm, p->choice, &p->call, false, &slot);
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
  mpj_wait_for_room(p->comm);
  struct mpj_slot *slot = mpj_check_pass_over(p->comm, status, told);
  const int passed = slot ? mpj_engine_complete(p->comm, slot) : MPJ_ERR_COMM;
  if (told && status == MPJ_ERR_SIGNATURE) return mpj_check_explain(p->comm, passed);
  return mpj_error(status, "%s", why);
}
