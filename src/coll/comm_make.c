/* This file makes communicators by agreement of their parent's ranks:
 *
 *   1. Allgather of what each rank wishes, how its checks went, its last serial, and
 *      which of its control windows are free. So all know the serial, the lowest
 *      window that is free everywhere, and who is with whom.
 *   2. Each member sets its side up and takes the window: messages can come.
 *   3. Allreduce of how that went. Nobody uses the communicator before it has the
 *      result, so nobody before all members have passed 2; a message is never early.
 *
 * Where no window is free everywhere, some rank may just not have heard yet that all
 * others have left one: having been through 3, everybody has, and they try once more.
 *
 * Cost: one Allgather of 160 bytes a rank, one Allreduce of 8 bytes. */
#include "coll/comm_make.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/collective.h"
#include "coll/comm_attributes.h"
#include "coll/controls.h"

struct record {
  uint64_t group, serial;
  int32_t member, key, status, unused;
  uint64_t free[MPJ_CONTROL_WORDS];
};

/* The state of one agreement on one rank. */
struct agreement {
  struct mpj_comm *parent, *made; /* made: NULL where this rank is no member */
  const struct mpj_wish *wish;
  struct record mine, *all; /* all: [size of parent]; NULL: no memory */
  MPJ_Datatype one, each;   /* a record; one of each rank */
  uint64_t serial;
  int control;  /* -1: none is free everywhere */
  int *members; /* [n] ranks of the parent */
  int n;
  int status;    /* this rank's own first failure */
  char why[240]; /* and the sentence that goes with it */
};

/* Note a failure of this rank; its sentence is the thread's detail. */
static void fail(struct agreement *a, int status)
{
  if (status == MPJ_SUCCESS || a->status != MPJ_SUCCESS) return;
  a->status = status;
  snprintf(a->why, sizeof a->why, "%s", MPJ_Error_detail());
}

static int make_types(struct agreement *a)
{
  int status = MPJ_Type_contiguous(sizeof a->mine, MPJ_BYTE, &a->one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&a->one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(a->parent->size, a->one, &a->each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&a->each);
  return status;
}

static void begin(struct agreement *a)
{
  const size_t p = (size_t)a->parent->size;
  fail(a, a->wish->status);
  a->all = mpj_alloc_array(p, sizeof *a->all);
  a->members = mpj_alloc_array(p, sizeof *a->members);
  int status = MPJ_SUCCESS;
  if (!a->all || !a->members)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %zu ranks", p);
  if (status == MPJ_SUCCESS) status = make_types(a);
  if (status == MPJ_SUCCESS) return;
  fail(a, status);
  mpj_free(a->all);
  a->all = NULL;
}

static void end(struct agreement *a)
{
  if (a->one != MPJ_DATATYPE_NULL) MPJ_Type_free(&a->one);
  if (a->each != MPJ_DATATYPE_NULL) MPJ_Type_free(&a->each);
  mpj_free(a->members);
  mpj_free(a->all);
}

static void say(struct agreement *a)
{
  a->mine.group = a->wish->group;
  a->mine.member = a->wish->member;
  a->mine.key = a->wish->key;
  a->mine.status = a->status;
  a->mine.serial = a->parent->context->serial;
  mpj_engine_advance_others(a->parent->context, NULL); /* leaves what has been freed */
  mpj_controls_free(a->parent->context, a->mine.free);
}

/* Step 1. A rank without memory takes part all the same, so that the others hear. */
static int gather(struct agreement *a)
{
  struct mpj_prepared p;
  int status =
      mpj_prepare(mpj_comm_handle(a->parent), MPJ_OPERATION_ALLGATHER, -1, &a->mine, a->all, &p);
  if (status != MPJ_SUCCESS) return status;
  if (!a->all) {
    p.status = mpj_error(a->status, "%s", a->why);
    return mpj_collective(&p);
  }
  status = mpj_check_type(a->one, "sendtype", &p.call.sendtype);
  if (status == MPJ_SUCCESS) status = mpj_check_type(a->each, "recvtype", &p.call.recvtype);
  p.status = status;
  return mpj_collective(&p);
}

/* What follows from the records; the same on all ranks. */
static void conclude(struct agreement *a)
{
  uint64_t serial = 0;
  a->control = -1;
  for (int i = 0; i < a->parent->size; i++)
    if (a->all[i].serial > serial) serial = a->all[i].serial;
  a->serial = serial + 1;
  if (a->serial > a->parent->context->serial) a->parent->context->serial = a->serial;
  for (int w = MPJ_CONTROL_WORDS - 1; w >= 0; w--) {
    uint64_t common = ~UINT64_C(0);
    for (int i = 0; i < a->parent->size; i++)
      common &= a->all[i].free[w];
    if (common) a->control = 64 * w + __builtin_ctzll(common);
  }
}

/* Who failed before the records were exchanged: this rank hears of it by them. */
static bool all_are_well(const struct agreement *a)
{
  for (int i = 0; i < a->parent->size; i++)
    if (a->all[i].status != MPJ_SUCCESS) return false;
  return true;
}

static int compare_members(const void *x, const void *y, void *records)
{
  const int one = *(const int *)x, other = *(const int *)y;
  const struct record *all = records;
  if (all[one].key != all[other].key) return all[one].key < all[other].key ? -1 : 1;
  return one < other ? -1 : one > other;
}

static int check_members(const struct agreement *a)
{
  const struct mpj_wish *w = a->wish;
  bool same = w->n < 0 || w->n == a->n;
  for (int i = 0; i < w->n && same; i++)
    same = a->members[i] == w->ranks[i];
  if (same) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "ranks has %d entries on rank %d, but %d of them were given the same list", w->n,
                   a->parent->rank, a->n);
}

static void find_members(struct agreement *a)
{
  a->n = 0;
  for (int i = 0; i < a->parent->size; i++)
    if (a->all[i].member && a->all[i].group == a->mine.group) a->members[a->n++] = i;
  qsort_r(a->members, (size_t)a->n, sizeof *a->members, compare_members, a->all);
}

/* This rank's number among the members, which become numbers in WORLD. */
static int translate_members(struct agreement *a)
{
  int rank = -1;
  for (int i = 0; i < a->n; i++) {
    if (a->members[i] == a->parent->rank) rank = i;
    a->members[i] = mpj_comm_world(a->parent, a->members[i]);
  }
  return rank;
}

static int make_comm(struct agreement *a)
{
  struct mpj_context *context = a->parent->context;
  const uint32_t id = (uint32_t)(a->serial << MPJ_CONTROL_BITS) | (uint32_t)a->control;
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  if (!comm) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  const int rank = translate_members(a);
  int status = mpj_comm_begin(comm, context, id, a->serial, rank, a->n, a->members, context->net);
  if (status != MPJ_SUCCESS) goto free_comm;
  if (a->wish->is_dup) status = mpj_comm_copy_attributes(a->parent, comm);
  if (status != MPJ_SUCCESS) goto end_comm;
  a->made = comm;
  mpj_controls_take(comm);
  return MPJ_SUCCESS;

end_comm:
  mpj_comm_clear_attributes(comm);
  mpj_comm_end(comm);
free_comm:
  mpj_free(comm);
  return status;
}

/* Step 2. */
static void set_up(struct agreement *a)
{
  if (!a->wish->member) return;
  find_members(a);
  fail(a, check_members(a));
  if (a->status == MPJ_SUCCESS) fail(a, make_comm(a));
}

/* Verdicts, the higher prevailing: well; try again; code << RANK_BITS | rank. */
enum { WELL = 0, NONE_FREE = 1, RANK_BITS = 31 };

static int64_t verdict_of(const struct agreement *a, bool agreed)
{
  if (a->status != MPJ_SUCCESS)
    return (int64_t)((uint64_t)(uint32_t)a->status << RANK_BITS) | a->parent->rank;
  return agreed && a->control < 0 ? NONE_FREE : WELL;
}

/* One round. *verdict is set on success of the communication. */
static int try(struct agreement *a, int64_t *verdict)
{
  say(a);
  const int status = gather(a);
  const bool agreed = status == MPJ_SUCCESS && a->all;
  fail(a, status);
  if (agreed) conclude(a);
  if (agreed && all_are_well(a) && a->control >= 0) set_up(a);
  const int64_t mine = verdict_of(a, agreed);
  return MPJ_Allreduce(&mine, MPJ_INT64, verdict, MPJ_INT64, MPJ_MAX, mpj_comm_handle(a->parent));
}

/* Drop what was made: nobody has used it, as nobody has heard that all is well. */
static void take_back(struct agreement *a)
{
  if (!a->made) return;
  mpj_comm_clear_attributes(a->made);
  mpj_controls_drop(a->made);
  a->made = NULL;
}

/* This rank does not know whether all is well, and the others may think so: they
 * hear that the communicator is broken. */
static int renounce(struct agreement *a, int status)
{
  char why[240];
  snprintf(why, sizeof why, "%s", MPJ_Error_detail());
  if (a->made && a->made->net) mpj_comm_renounce(a->made);
  if (a->made) a->made->freed = true;
  mpj_engine_advance_others(a->parent->context, NULL);
  a->made = NULL;
  return mpj_error(status, "%s", why);
}

static int refusal(const struct agreement *a, int64_t verdict)
{
  const char *call = a->wish->call;
  const int code = (int)(uint32_t)((uint64_t)verdict >> RANK_BITS);
  const int rank = (int)(verdict & INT32_MAX);
  if (a->status != MPJ_SUCCESS) return mpj_error(a->status, "%s: %s", call, a->why);
  if (verdict == NONE_FREE)
    return mpj_error(MPJ_ERR_NO_MEM,
                     "%s: no place for a communicator is free on all %d ranks; each has %d", call,
                     a->parent->size, MPJ_COMMS_MAX);
  return mpj_error(code, "%s: rank %d failed: %s", call, rank, mpj_error_name(code));
}

int mpj_comm_make(struct mpj_comm *parent, const struct mpj_wish *wish, MPJ_Comm *newcomm)
{
  struct agreement a = {.parent = parent, .wish = wish};
  int64_t verdict = NONE_FREE;
  int status = MPJ_SUCCESS;
  begin(&a);
  for (int round = 0; round < 2 && status == MPJ_SUCCESS && verdict == NONE_FREE; round++)
    status = try(&a, &verdict);
  if (status != MPJ_SUCCESS) {
    status = renounce(&a, status);
  } else if (verdict != WELL) {
    take_back(&a);
    status = refusal(&a, verdict);
  } else {
    *newcomm = a.made ? mpj_comm_handle(a.made) : MPJ_COMM_NULL;
  }
  end(&a);
  return status;
}
