/* This file sets communicators up and ends them. */
#include "coll/comm/comm_begin.h"

#include <string.h>

#include "base/attributes.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/check/check.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/comm/context.h"
#include "coll/control/own_windows.h"
#include "coll/run/early.h"
#include "net/am/requests.h"
#include "types/basic.h"
#include "types/layout/layout_make.h"

static bool set_slots(struct mpj_comm *comm, unsigned n)
{
  comm->last_slot = n - 1;
  for (unsigned i = 0; i < n; i++)
    comm->slots[i] = (struct mpj_slot *)&mpj_no_slot;
  if (comm->net) comm->closing = mpj_closing_make();
  return comm->closing || !comm->net;
}

static bool make_schedules(struct mpj_comm *comm)
{
  comm->schedules = mpj_alloc_array(1, sizeof *comm->schedules);
  if (!comm->schedules) return false;
  comm->schedules->no_steps.root = -1;
  return true;
}

static bool make_arrays(struct mpj_comm *comm, unsigned slots, const int *world)
{
  if (!set_slots(comm, slots) || !make_schedules(comm)) return false;
  if (world) comm->members = mpj_members_make(comm->size, world);
  return !world || comm->members;
}

static void free_arrays(struct mpj_comm *comm)
{
  if (!comm->user) {
    mpj_members_release(comm->members);
    mpj_free(comm->schedules);
  }
  mpj_map_end(&comm->known_done);
  mpj_closing_free(comm->closing);
  mpj_free(comm->called);
  mpj_free(comm->met);
  mpj_error_forget(&comm->broken_why);
  mpj_free(comm->places);
  mpj_free(comm->context_ids);
  mpj_free(comm->joining);
}

int mpj_comm_begin(struct mpj_comm *comm, struct mpj_context *context, uint32_t id, uint64_t serial,
                   unsigned control, unsigned slots, int rank, int size, const int *world,
                   struct mpj_net *net)
{
  comm->context = context;
  comm->id = id;
  comm->control = control;
  comm->serial = serial;
  comm->started = comm->completed = comm->abandoned_end = serial << MPJ_SERIAL_SHIFT;
  comm->rank = rank;
  comm->size = size;
  comm->peers_from = context->shared ? rank : 0;
  comm->net = size > 1 ? net : NULL;
  comm->windows = &context->control;
  comm->scratch = context->scratch;
  comm->window = comm->net ? mpj_control_window(comm->windows, comm->control) : NULL;
  int status = mpj_facts_make(net, size, world, &comm->facts);
  comm->facts.tuned = context->tuned;
  if (status == MPJ_SUCCESS && ((comm->net && !comm->window) || !make_arrays(comm, slots, world)))
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
  comm->scratch = user->scratch;
  comm->user = user;
  comm->rank = user->rank;
  comm->size = user->size;
  comm->peers_from = user->peers_from;
  comm->net = user->net;
  comm->members = user->members;
  comm->facts = user->facts;
  comm->schedules = user->schedules;
  comm->byte = user->byte;
  mpj_layout_retain(comm->byte.layout);
  comm->places = mpj_alloc_array((size_t)comm->size, sizeof *comm->places);
  if (comm->places && set_slots(comm, MPJ_SMALL_WINDOW)) {
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
    if (comm->slots[i] == &mpj_no_slot) continue;
    mpj_early_drop_all(comm, comm->slots[i]);
    mpj_slot_release(comm->slots[i]);
    memset(comm->slots[i], 0, sizeof *comm->slots[i]); /* whatever was under way */
    mpj_comm_close_slot(comm, i);
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
  mpj_free(comm->torus);
  comm->name = NULL;
  comm->torus = NULL;
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
