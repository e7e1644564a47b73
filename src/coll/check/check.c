/* This file exchanges records of calls before operations begin.
 *
 * Cost: an allgather of 64 + 32 p bytes a rank by Bruck's algorithm, that is
 * ceil(log2 p) alpha + p (64 + 32 p) beta, and O(p^2) comparisons where all ranks have
 * parts, O(p) elsewhere; memory per communicator (p + 1)(64 + 32 p) bytes. No rank ends
 * an operation before all have called it. */
#include "coll/check/check.h"

#include <stdio.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/check/compare.h"
#include "coll/select/algorithms.h"
#include "types/introspect/letters.h"

struct mpj_checker {
  struct mpj_said *mine;
  void *all;
  MPJ_Datatype one, each; /* a record, one of each rank */
  struct mpj_call exchange;
  bool refused; /* the last blocking call, as its records differed */
  struct mpj_said_names names;
};

static int make_types(int size, struct mpj_checker *c)
{
  int status = MPJ_Type_contiguous((MPJ_Count)mpj_said_bytes(size), MPJ_BYTE, &c->one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&c->one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(size, c->one, &c->each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&c->each);
  return status;
}

int mpj_checker_make(int size, struct mpj_checker **checker)
{
  *checker = NULL;
  if (!mpj_config()->check || size == 1) return MPJ_SUCCESS;
  const size_t bytes = mpj_said_bytes(size);
  struct mpj_checker *c = mpj_alloc_array(1, sizeof *c);
  int status = MPJ_SUCCESS;
  if (c) c->mine = mpj_alloc_array(1, bytes);
  if (c) c->all = mpj_alloc_array((size_t)size, bytes);
  if (!c || !c->mine || !c->all)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of calls of %d ranks", size);
  if (status == MPJ_SUCCESS) status = make_types(size, c);
  if (status == MPJ_SUCCESS)
    *checker = c;
  else
    mpj_checker_free(c);
  return status;
}

void mpj_checker_free(struct mpj_checker *c)
{
  if (!c) return;
  if (c->one != MPJ_DATATYPE_NULL) MPJ_Type_free(&c->one);
  if (c->each != MPJ_DATATYPE_NULL) MPJ_Type_free(&c->each);
  mpj_free(c->mine);
  mpj_free(c->all);
  mpj_free(c);
}

enum mpj_operation mpj_checked_operation(const struct mpj_checker *c)
{
  return (enum mpj_operation)c->mine->operation;
}

struct mpj_called mpj_checked_call(const struct mpj_checker *c)
{
  return (struct mpj_called){.operation = (uint8_t)c->mine->operation,
                             .root = (int16_t)c->mine->root};
}

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
  if (status == MPJ_SUCCESS) status = mpj_check_type(c->one, "sendtype", &c->exchange.sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_type(c->each, "recvtype", &c->exchange.recvtype);
  if (status == MPJ_SUCCESS)
    status = mpj_schedule_cached(comm, MPJ_OPERATION_CHECK, 0, -1, variant, mpj_allgather_bruck,
                                 &schedule);
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

bool mpj_check_refused(const struct mpj_checker *c)
{
  return c && c->refused;
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
