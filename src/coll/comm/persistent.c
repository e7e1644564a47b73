/* This file makes the communicators of persistent requests.
 *
 * Cost of an init: an allgather of 24 bytes a rank by Bruck's algorithm, which nobody waits for
 * before the first start. It has an operation code of its own: no rank takes it for another call.
 */
#include "coll/comm/persistent.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/comm_begin.h"
#include "coll/comm/context_ids.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/run/comm_records.h"
#include "coll/run/engine.h"
#include "coll/select/algorithms.h"

/* What a rank tells of an init. */
struct record {
  uint64_t serial; /* the lowest that its window can have */
  uint32_t id, control;
  int32_t operation, root;
};

struct mpj_joining {
  struct mpj_call call;      /* that exchanges: */
  struct record mine, all[]; /* [size] */
};

static int make_types(struct mpj_comm *user)
{
  if (user->init_records != MPJ_DATATYPE_NULL) return MPJ_SUCCESS;
  int status = MPJ_SUCCESS;
  if (user->init_record == MPJ_DATATYPE_NULL)
    status = MPJ_Type_contiguous(sizeof(struct record), MPJ_BYTE, &user->init_record);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&user->init_record);
  if (status != MPJ_SUCCESS) return status;
  status = MPJ_Type_contiguous(user->size, user->init_record, &user->init_records);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&user->init_records);
  if (status != MPJ_SUCCESS && user->init_records != MPJ_DATATYPE_NULL)
    MPJ_Type_free(&user->init_records);
  return status;
}

static int begin_joining(struct mpj_comm *comm, const struct mpj_choice *choice)
{
  struct mpj_joining *j =
      mpj_alloc_array(1, sizeof *j + (size_t)comm->size * sizeof(struct record));
  if (!j) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the init of a persistent request");
  comm->joining = j;
  int status = make_types(comm->user);
  if (status == MPJ_SUCCESS) status = mpj_context_ids_reserve(comm);
  if (status != MPJ_SUCCESS) return status;
  j->mine = (struct record){.serial = mpj_context_ids_serial(comm),
                            .id = comm->id,
                            .control = comm->control,
                            .operation = (int32_t)choice->agreed.operation,
                            .root = choice->root};
  return MPJ_SUCCESS;
}

int mpj_persistent_make(struct mpj_comm *user, const struct mpj_choice *choice,
                        struct mpj_comm **made)
{
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  if (!comm) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a persistent request");
  comm->started_as =
      (struct mpj_called){.operation = (uint8_t)choice->agreed.operation, .root = choice->root};
  int status = mpj_comm_begin_persistent(comm, user);
  if (status != MPJ_SUCCESS) goto free_comm;
  status = begin_joining(comm, choice);
  if (status != MPJ_SUCCESS) goto end_comm;
  comm->sibling = user->persistent;
  comm->sibling_link = &user->persistent;
  if (comm->sibling) comm->sibling->sibling_link = &comm->sibling;
  user->persistent = comm;
  user->requests++;
  user->context->joining++;
  *made = comm;
  return MPJ_SUCCESS;

end_comm:
  mpj_comm_end(comm);
free_comm:
  mpj_free(comm);
  return status;
}

static void end_joining(struct mpj_comm *comm)
{
  mpj_free(comm->joining);
  comm->joining = NULL;
  comm->context->joining--;
}

void mpj_persistent_drop(struct mpj_comm *comm)
{
  end_joining(comm);
  comm->freed = true;
  mpj_context_ids_consider(comm);
}

int mpj_persistent_exchange(struct mpj_comm *comm, const char *part_of, struct mpj_slot **slot)
{
  struct mpj_comm *user = comm->user;
  struct mpj_joining *joining = comm->joining;
  struct mpj_call *call = &joining->call;
  struct mpj_schedule *schedule;
  const unsigned variant = MPJ_VARIANT_SEND_DENSE + MPJ_VARIANT_RECV_DENSE + 2 * MPJ_VARIANT_RADIX;
  *call = (struct mpj_call){.sendbuf = &joining->mine, .recvbuf = joining->all, .part_of = part_of};
  int status = mpj_type_committed(user->init_record, "sendtype", &call->sendtype);
  if (status == MPJ_SUCCESS)
    status = mpj_type_committed(user->init_records, "recvtype", &call->recvtype);
  if (status == MPJ_SUCCESS)
    status =
        mpj_schedule_cached(user, MPJ_OPERATION_INIT, comm->started_as.operation,
                            comm->started_as.root, variant, NULL, mpj_allgather_bruck, &schedule);
  comm->made_by = user->started;
  return status == MPJ_SUCCESS ? mpj_engine_start(user, schedule, call, slot) : status;
}

static struct mpj_called called_by(const struct record *r)
{
  return (struct mpj_called){
      .operation = MPJ_OPERATION_INIT, .algorithm = (uint8_t)r->operation, .root = r->root};
}

/* The same outcome on all ranks. */
static int compare(const struct mpj_comm *comm)
{
  const struct record *all = comm->joining->all;
  for (int i = 1; i < comm->size; i++) {
    const struct mpj_difference d = {.sequence = (uint32_t)comm->made_by,
                                     .rank = {0, i},
                                     .called = {called_by(&all[0]), called_by(&all[i])}};
    if (all[i].operation != all[0].operation || all[i].root != all[0].root)
      return mpj_cause_error(comm->user, &(struct mpj_cause){MPJ_ERR_COMM, i, d});
  }
  return MPJ_SUCCESS;
}

static void join(struct mpj_comm *comm)
{
  const struct record *all = comm->joining->all;
  for (int i = 0; i < comm->size; i++) {
    comm->places[i] = (struct mpj_member_place){all[i].id, all[i].control, mpj_comm_world(comm, i)};
    if (all[i].serial > comm->serial) comm->serial = all[i].serial;
  }
  comm->started = comm->completed = comm->abandoned_end = comm->serial << MPJ_SERIAL_SHIFT;
  mpj_context_ids_take(comm);
}

static void fail(struct mpj_comm *comm, int status)
{
  if (comm->broken.code != 0) return; /* with its user */
  comm->broken = (struct mpj_cause){.code = status, .culprit = -1};
  mpj_error_store(&comm->broken_why);
}

void mpj_persistent_joined(struct mpj_comm *comm, int status)
{
  if (status == MPJ_SUCCESS) status = compare(comm);
  if (status == MPJ_SUCCESS)
    join(comm);
  else
    fail(comm, status);
  end_joining(comm);
  if (comm->queued) mpj_comm_is_busy(comm); /* it was started before */
  mpj_context_ids_consider(comm);
}
