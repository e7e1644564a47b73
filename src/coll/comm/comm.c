/* This file sets communicators up, resolves their handles, and keeps the free
 * lists that make repeated collectives allocate nothing. */
#include "coll/comm/comm.h"

#include <stdio.h>
#include <string.h>

#include "base/attributes.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/request.h"
#include "coll/check/check.h"
#include "coll/comm/closing.h"
#include "coll/comm/context.h"
#include "net/am/am.h"
#include "types/basic.h"

/* Note the members, and the way back from their numbers in WORLD. */
static bool note_members(struct mpj_comm *comm, const int *world, const struct mpj_net *net)
{
  const int all = net ? net->size : 1;
  comm->world = mpj_alloc_array((size_t)comm->size, sizeof *comm->world);
  comm->rank_of = mpj_alloc_array((size_t)all, sizeof *comm->rank_of);
  if (!comm->world || !comm->rank_of) return false;
  for (int i = 0; i < all; i++)
    comm->rank_of[i] = -1;
  for (int i = 0; i < comm->size; i++) {
    comm->world[i] = world[i];
    comm->rank_of[world[i]] = i;
  }
  return true;
}

static bool make_slots(struct mpj_comm *comm, unsigned n)
{
  comm->slots = mpj_alloc_array(n, sizeof *comm->slots);
  comm->known_done = mpj_alloc_array((size_t)comm->size, sizeof *comm->known_done);
  if (comm->net) comm->closing = mpj_closing_make(comm->size);
  comm->last_slot = n - 1;
  for (unsigned i = 0; comm->slots && i < n; i++)
    mpj_slot_begin(&comm->slots[i], &comm->context->scratch);
  return comm->slots && comm->known_done && (comm->closing || !comm->net);
}

static bool make_schedules(struct mpj_comm *comm)
{
  comm->schedules = mpj_alloc_array(1, sizeof *comm->schedules);
  if (!comm->schedules) return false;
  comm->schedules->no_steps.root = -1;
  for (unsigned i = 0; i < MPJ_BITS_MAX; i++)
    comm->schedules->no_steps.step_of_bit[i] = MPJ_NO_STEP;
  return true;
}

static bool make_arrays(struct mpj_comm *comm, const int *world, const struct mpj_net *net)
{
  if (!make_slots(comm, MPJ_WINDOW) || !make_schedules(comm)) return false;
  for (int i = 0; i < comm->size; i++)
    comm->known_done[i] = comm->completed;
  return !world || note_members(comm, world, net);
}

static void free_arrays(struct mpj_comm *comm)
{
  if (!comm->user) {
    mpj_free(comm->world);
    mpj_free(comm->rank_of);
    mpj_free(comm->schedules);
  }
  mpj_free(comm->known_done);
  mpj_free(comm->closing);
  mpj_free(comm->slots);
  mpj_free(comm->places);
  mpj_free(comm->joining);
}

int mpj_comm_begin(struct mpj_comm *comm, struct mpj_context *context, uint32_t id, uint64_t serial,
                   int rank, int size, const int *world, struct mpj_net *net)
{
  comm->context = context;
  comm->id = id;
  comm->control = id % MPJ_CONTROLS;
  comm->serial = serial;
  comm->started = comm->completed = comm->abandoned_end = serial << MPJ_SERIAL_SHIFT;
  comm->rank = rank;
  comm->size = size;
  comm->net = size > 1 ? net : NULL;
  comm->windows = &context->control;
  comm->window = comm->net ? mpj_control_window(comm->windows, comm->control) : NULL;
  int status = mpj_facts_make(net, size, world, &comm->facts);
  if (status == MPJ_SUCCESS && !make_arrays(comm, world, net))
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator of %d ranks", size);
  if (status == MPJ_SUCCESS) status = mpj_layout_run(mpj_basic_of_handle(MPJ_BYTE), 1, &comm->byte);
  if (status == MPJ_SUCCESS) status = mpj_checker_make(size, &comm->checker);
  if (status == MPJ_SUCCESS) return MPJ_SUCCESS;
  mpj_layout_release(comm->byte.layout);
  mpj_facts_end(&comm->facts);
  free_arrays(comm);
  return status;
}

int mpj_comm_begin_persistent(struct mpj_comm *comm, struct mpj_comm *user)
{
  comm->context = user->context;
  comm->windows = user->windows;
  comm->user = user;
  comm->rank = user->rank;
  comm->size = user->size;
  comm->net = user->net;
  comm->world = user->world;
  comm->rank_of = user->rank_of;
  comm->facts = user->facts;
  comm->schedules = user->schedules;
  comm->byte = user->byte;
  mpj_layout_retain(comm->byte.layout);
  comm->places = mpj_alloc_array((size_t)comm->size, sizeof *comm->places);
  if (comm->places && make_slots(comm, MPJ_SMALL_WINDOW)) {
    user->lent++;
    return MPJ_SUCCESS;
  }
  mpj_layout_release(comm->byte.layout);
  free_arrays(comm);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a persistent request of %d ranks", user->size);
}

void mpj_comm_clear(struct mpj_comm *comm)
{
  for (unsigned i = 0; i < mpj_comm_slots(comm); i++) {
    mpj_early_drop_all(comm, &comm->slots[i]);
    mpj_slot_release(&comm->slots[i]);
  }
  if (comm->user) return; /* the rest is its user's */
  mpj_schedules_clear(comm->schedules);
  comm->ntransfers = comm->nearly = 0;
  while (comm->free_transfers) {
    struct mpj_transfer *t = comm->free_transfers;
    comm->free_transfers = t->next;
    mpj_free(t);
  }
  while (comm->free_early) {
    struct mpj_early *e = comm->free_early;
    comm->free_early = e->next;
    mpj_free(e);
  }
  mpj_free(comm->name);
  comm->name = NULL;
}

void mpj_comm_end(struct mpj_comm *comm)
{
  mpj_comm_clear(comm);
  mpj_checker_free(comm->checker);
  mpj_layout_release(comm->byte.layout);
  mpj_attributes_drop(&comm->attributes);
  if (comm->init_record != MPJ_DATATYPE_NULL) MPJ_Type_free(&comm->init_record);
  if (comm->init_records != MPJ_DATATYPE_NULL) MPJ_Type_free(&comm->init_records);
  if (comm->user)
    comm->user->lent--;
  else
    mpj_facts_end(&comm->facts);
  free_arrays(comm);
}

const char *mpj_operation_title(const struct mpj_comm *comm, uint64_t sequence,
                                char title[MPJ_TITLE_BYTES])
{
  const unsigned long long number = mpj_operation_number(comm, sequence);
  if (comm->user)
    snprintf(title, MPJ_TITLE_BYTES, "start %llu of the persistent request of operation %u", number,
             mpj_comm_made_by(comm) - 1);
  else
    snprintf(title, MPJ_TITLE_BYTES, "operation %llu", number);
  return title;
}

const char *mpj_slot_name(const struct mpj_comm *comm, const struct mpj_slot *slot)
{
  const enum mpj_operation operation = slot->schedule->operation;
  if (operation == MPJ_OPERATION_INIT) return mpj_init_name(slot->schedule->algorithm);
  if (operation != MPJ_OPERATION_CHECK) return mpj_call_name(operation, slot->schedule->root);
  const struct mpj_called checked = mpj_checked_call(comm->checker);
  return mpj_call_name(checked.operation, checked.root);
}

void mpj_comm_list(struct mpj_comm *comm)
{
  comm->busy = true;
  comm->next = comm->context->busy;
  comm->context->busy = comm;
}

static int no_context(const struct mpj_context *context)
{
  const char *forked = mpj_context_forked();
  if (!context && forked) return mpj_error(MPJ_ERR_COMM, "comm cannot be used: %s", forked);
  if (context) return mpj_error(MPJ_ERR_COMM, "comm cannot be used: MPJ_Finalize has been called");
  return mpj_error(MPJ_ERR_COMM, "comm cannot be used: this thread is no rank and MPJ_Init has not "
                                 "been called");
}

/* The error of a handle that is no communicator's. */
static int unresolved(const struct mpj_context *context, MPJ_Comm handle)
{
  const bool live = context && context->state == MPJ_CONTEXT_LIVE;
  const uintptr_t id = (uintptr_t)handle;
  if (handle == MPJ_COMM_NULL) return mpj_error(MPJ_ERR_COMM, "comm is MPJ_COMM_NULL");
  if (handle == MPJ_COMM_WORLD || handle == MPJ_COMM_SELF || (!context && mpj_context_forked()))
    return no_context(context);
  if (live && id <= UINT32_MAX && mpj_comm_was_left(context, (uint32_t)id))
    return mpj_error(MPJ_ERR_COMM, "comm %p has been freed, or is another rank's", (void *)handle);
  return mpj_error(MPJ_ERR_COMM, "comm %p is no communicator", (void *)handle);
}

int mpj_comm_resolve_any(MPJ_Comm handle, struct mpj_comm **comm)
{
  struct mpj_context *context = mpj_context_current();
  const uintptr_t id = (uintptr_t)handle;
  if (!context || context->state != MPJ_CONTEXT_LIVE) return unresolved(context, handle);
  struct mpj_comm *found = id <= UINT32_MAX ? mpj_context_comm(context, (uint32_t)id) : NULL;
  if (!found || found->freed || found->user) return unresolved(context, handle);
  mpj_entered.rank = found->rank;
  *comm = found;
  return MPJ_SUCCESS;
}

int mpj_comm_check(const struct mpj_comm *comm)
{
  if (comm->broken.code == 0) return MPJ_SUCCESS;
  if (comm->broken.culprit < 0) return mpj_error(comm->broken.code, "%s", comm->broken_why);
  return mpj_error(comm->broken.code, "comm has been broken: %s", comm->broken_why);
}

int mpj_comm_resolve_outside(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_any(handle, comm);
  if (status != MPJ_SUCCESS) return status;
  if ((*comm)->context->am && (*comm)->context->am->in_handler)
    return mpj_error(MPJ_ERR_COMM, "comm cannot be used in a handler of active messages");
  return MPJ_SUCCESS;
}

int mpj_comm_resolve(MPJ_Comm handle, struct mpj_comm **comm)
{
  const int status = mpj_comm_resolve_outside(handle, comm);
  return status == MPJ_SUCCESS ? mpj_comm_reported(*comm, mpj_comm_check(*comm)) : status;
}

uint64_t mpj_comm_open(const struct mpj_comm *comm, bool given_up)
{
  uint64_t open = 0;
  for (const struct mpj_request *r = comm->queued; r; r = r->next) /* CHECKING: it has a slot */
    open += r->state == MPJ_REQUEST_QUEUED && r->freed == given_up;
  for (unsigned i = 0; i < mpj_comm_slots(comm); i++) {
    const struct mpj_slot *slot = &comm->slots[i];
    const bool freed = slot->request && slot->request->freed;
    open += slot->active && !slot->tells && freed == given_up;
  }
  return open;
}

static struct mpj_transfer *make_transfer(struct mpj_comm *comm)
{
  comm->ntransfers++;
  return mpj_alloc_array(1, sizeof(struct mpj_transfer));
}

static struct mpj_early *make_early(struct mpj_comm *comm)
{
  comm->nearly++;
  return mpj_alloc(sizeof(struct mpj_early));
}

/* Records are the user's: a persistent request keeps none of its own. */

struct mpj_transfer *mpj_comm_new_transfer(struct mpj_comm *comm)
{
  comm = mpj_comm_user(comm);
  struct mpj_transfer *t = comm->free_transfers;
  if (!t) return make_transfer(comm);
  comm->free_transfers = t->next;
  t->sending = t->begun = t->has_cursor = false;
  return t;
}

void mpj_comm_drop_transfer(struct mpj_comm *comm, struct mpj_transfer *transfer)
{
  comm = mpj_comm_user(comm);
  transfer->next = comm->free_transfers;
  comm->free_transfers = transfer;
}

struct mpj_early *mpj_comm_new_early(struct mpj_comm *comm)
{
  comm = mpj_comm_user(comm);
  struct mpj_early *e = comm->free_early;
  if (!e) return make_early(comm);
  comm->free_early = e->next;
  return e;
}

void mpj_comm_drop_early(struct mpj_comm *comm, struct mpj_early *early)
{
  comm = mpj_comm_user(comm);
  early->next = comm->free_early;
  comm->free_early = early;
}

static unsigned at_most_reserved(unsigned n)
{
  return n < MPJ_RECORDS_RESERVED ? n : MPJ_RECORDS_RESERVED;
}

void mpj_comm_reserve(struct mpj_comm *comm, const struct mpj_schedule *schedule)
{
  unsigned sends = 0, recvs = 0;
  comm = mpj_comm_user(comm);
  for (unsigned i = 0; i < schedule->nsteps; i++) {
    const unsigned kind = schedule->steps[i].kind;
    sends += kind == MPJ_STEP_SEND || kind == MPJ_STEP_SEND_LONG;
    recvs += mpj_step_kind_receives(kind);
  }
  while (comm->ntransfers < at_most_reserved(sends + recvs)) {
    struct mpj_transfer *t = make_transfer(comm);
    if (!t) return;
    mpj_comm_drop_transfer(comm, t);
  }
  while (comm->nearly < at_most_reserved(recvs * MPJ_WINDOW)) {
    struct mpj_early *e = make_early(comm);
    if (!e) return;
    mpj_comm_drop_early(comm, e);
  }
}
