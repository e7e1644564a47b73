/* This file finds the plans of calls: it keeps the table of those that are known. */
#include "coll/calls/known_calls.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/checks.h"
#include "coll/plan/plans.h"
#include "coll/select/choose.h"
#include "types/basic.h"
#include "types/sparse/sparse.h"

/* KEEP_EVERY: calls with types that have no tag yet, until they get one. */
enum { KEEP_EVERY = 64 };

/* By what they describe */

static bool is_same_list(const struct mpj_part_list *a, const struct mpj_part_list *b)
{
  return a == b || (a && b && mpj_part_list_equal(a, b));
}

static bool is_same_choice(const struct mpj_choice *a, const struct mpj_choice *b)
{
  const struct mpj_agreed *one = &a->agreed, *other = &b->agreed;
  return one->operation == other->operation && a->root == b->root && one->bytes == other->bytes &&
         one->cuttable == other->cuttable && one->ordered == other->ordered &&
         a->local == b->local && is_same_list(a->lists[0], b->lists[0]) &&
         is_same_list(a->lists[1], b->lists[1]);
}

/* The rules go by the choice and by what never changes, so equal choices lead to the same schedule.
 */
static bool is_for(const struct mpj_comm *comm, const struct mpj_known *k,
                   const struct mpj_choice *choice, const struct mpj_call *call)
{
  return mpj_known_is_bound(comm, &k->call) && is_same_choice(&k->choice, choice) &&
         (!k->call.plan || mpj_plan_is_for(k->call.plan, call));
}

/* An entry to be filled in, at the front of a list: a new one, the first whose plan is gone, or the
 * last. NULL: there is no memory. */
static struct mpj_known *vacant(const struct mpj_comm *comm, struct mpj_known **list)
{
  struct mpj_known **link = list, *k = NULL;
  for (int n = 1; *link && n < MPJ_KNOWN_KEPT && mpj_known_is_bound(comm, &(*link)->call); n++)
    link = &(*link)->next;
  if (!*link) *link = mpj_alloc_array(1, sizeof *k);
  if (!*link) return NULL;
  mpj_known_to_front(list, link);
  return *list;
}

static int bind(struct mpj_comm *comm, const struct mpj_choice *choice, struct mpj_call *call)
{
  int status = mpj_select_schedule(comm, choice, &call->schedule);
  call->plan = NULL;
  if (status == MPJ_SUCCESS && call->schedule->nsteps > 0)
    status = mpj_plan_for(comm, call->schedule, call, &call->plan);
  call->dropped = comm->schedules->dropped;
  if (status != MPJ_SUCCESS) call->schedule = NULL;
  return status;
}

/* *entry: where it is kept, or NULL. */
static int find(struct mpj_comm *comm, const struct mpj_choice *choice, struct mpj_call *call,
                struct mpj_known **entry)
{
  struct mpj_known **list = mpj_known_list(comm->schedules, choice->agreed.operation, choice->root);
  struct mpj_known **link = list, *k;
  while (*link && !is_for(comm, *link, choice, call))
    link = &(*link)->next;
  *entry = k = *link;
  if (k) {
    mpj_known_to_front(list, link);
    call->schedule = k->call.schedule;
    call->plan = k->call.plan;
    call->dropped = k->call.dropped;
    return MPJ_SUCCESS;
  }
  const int status = bind(comm, choice, call);
  if (status == MPJ_SUCCESS) *entry = k = vacant(comm, list);
  if (!k) return status;
  *k = (struct mpj_known){.next = k->next,
                          .operation = (uint8_t)choice->agreed.operation,
                          .root = choice->root,
                          .choice = *choice};
  k->call.schedule = call->schedule;
  k->call.plan = call->plan;
  k->call.dropped = call->dropped;
  for (int i = 0; i < 2; i++) /* those of the call go with its types */
    if (choice->lists[i]) k->choice.lists[i] = &call->schedule->lists[i];
  return MPJ_SUCCESS;
}

/* The lists of a known call went with its schedule, if that has been dropped; those of the types
 * are there as long as the call. */
int mpj_known_find(struct mpj_comm *comm, const struct mpj_choice *choice, struct mpj_call *call)
{
  const struct mpj_type *const types[2] = {call->recvtype, call->sendtype};
  struct mpj_choice wanted = *choice;
  struct mpj_known *k;
  for (int i = 0; i < 2; i++)
    if (wanted.lists[i]) wanted.lists[i] = &mpj_sparse_of(types[i]->parts)->filled;
  return find(comm, &wanted, call, &k);
}

/* Knowing the arguments */

static void keep_type(struct mpj_known *k, int i, MPJ_Datatype handle, const struct mpj_type *type)
{
  k->significant[i] = type != NULL;
  k->handles[i] = handle;
  k->tags[i] = 0;
  if (!type || mpj_basic_of_handle(handle) >= 0) return;
  k->tags[i] = mpj_type_tag((struct mpj_type *)(uintptr_t)type);
  if (k->tags[i] == 0) k->by_arguments = false;
}

/* Types that come and go have no tags, and give what is kept of them no second call. */
static bool stays(MPJ_Datatype handle, const struct mpj_type *type)
{
  return !type || mpj_basic_of_handle(handle) >= 0 || mpj_type_tag_known(type) != 0;
}

/* Know a call that is right by its arguments from now on, and find its plan, as its start would.
 * Of operations of users only the handle would be known. */
static void learn(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const struct mpj_call *call = &p->call;
  struct mpj_known *k;
  if (find(p->comm, p->choice, &p->call, &k) != MPJ_SUCCESS) {
    mpj_error_drop(); /* of the start, which looks for it again */
    return;
  }
  if (!k || call->op || call->combine) return;
  if (a->sendbuf == MPJ_IN_PLACE || a->recvbuf == MPJ_IN_PLACE) return;
  const bool stay = stays(a->recvtype, call->recvtype) && stays(a->sendtype, call->sendtype);
  if (!stay && k->untagged++ % KEEP_EVERY != KEEP_EVERY - 1) return;
  k->call = *call;
  k->op = a->op;
  k->by_arguments = true;
  keep_type(k, 0, a->recvtype, call->recvtype);
  keep_type(k, 1, a->sendtype, call->sendtype);
  k->apart = 0;
  if (call->sendtype && call->recvtype)
    k->apart = (uintptr_t)(call->recvtype->map.displ - call->sendtype->map.displ);
}

int mpj_prepare_unknown(const struct mpj_arguments *a, struct mpj_prepared *p)
{
  const int status = mpj_comm_resolve(a->comm, &p->comm);
  if (status != MPJ_SUCCESS) return status;
  mpj_check_arguments(a, p);
  if (p->status == MPJ_SUCCESS) learn(a, p);
  return MPJ_SUCCESS;
}
