/* This file makes communicators by agreement of ranks that can exchange a few bytes: a
 * parent's, by its collectives, or whoever has another way (forum.h):
 *
 *   1. Allgather of who each rank is, what it wishes, how its checks went, its last
 *      serial, and which of its control windows are free. So all know the serial, the lowest
 *      window that is free everywhere, and who is with whom.
 *   2. Each member sets its side up and takes the window: messages can come.
 *   3. Allreduce of how that went. Nobody uses the communicator before it has the
 *      result, so nobody before all members have passed 2; a message is never early.
 *
 * Where no window is free everywhere, some rank may just not have heard yet that all
 * others have left one: having been through 3, everybody has, and they try once more.
 *
 * Threads of one rank may make communicators with several lots of ranks at the same
 * time, and agree on the same window. Who comes second to it in 2 says so in 3, and all
 * of that lot try again; from the second time on they look for a window from a place on
 * that depends on the lot, so that they soon part.
 *
 * Cost: one Allgather of 168 bytes a rank, one Allreduce of 8 bytes. */
#include "coll/comm/comm_make.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm_attributes.h"
#include "coll/comm/controls.h"
#include "coll/failure/failure.h"
#include "coll/run/engine.h"
#include "coll/select/select.h"
#include "coll/torus/shape.h"

struct record {
  uint64_t group, serial;
  int32_t member, key, status;
  int32_t world, world_size; /* the rank's number in WORLD, and how many there are */
  uint32_t chooser;          /* mpj_select_digest of the parent; 0: there is none */
  uint64_t free[MPJ_CONTROL_WORDS];
};

/* The state of one agreement on one rank. */
struct agreement {
  struct mpj_forum *forum;
  struct mpj_comm *made; /* NULL where this rank is no member */
  const struct mpj_wish *wish;
  struct record mine, *all; /* all: [size of forum]; NULL: no memory */
  uint64_t serial;
  int control; /* -1: none is free everywhere */
  bool taken;  /* another thread has taken it meanwhile */
  unsigned tries;
  int *members; /* [n] ranks of the forum, then numbers in WORLD */
  int n;
  int status;    /* this rank's own first failure */
  char why[240]; /* and the sentence that goes with it */
};

/* Note a failure of this rank; its sentence is the thread's detail. */
static void fail(struct agreement *a, int status)
{
  if (status == MPJ_SUCCESS || a->status != MPJ_SUCCESS) return;
  a->status = status;
  mpj_error_keep(a->why, sizeof a->why);
}

static void begin(struct agreement *a)
{
  const size_t p = (size_t)a->forum->size;
  fail(a, a->wish->status);
  a->all = mpj_alloc_array(p, sizeof *a->all);
  a->members = mpj_alloc_array(p, sizeof *a->members);
  int status = MPJ_SUCCESS;
  if (!a->all || !a->members)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %zu ranks", p);
  if (status == MPJ_SUCCESS) status = mpj_forum_begin(a->forum, sizeof a->mine);
  if (status == MPJ_SUCCESS) return;
  fail(a, status);
  mpj_free(a->all);
  a->all = NULL;
}

static void end(struct agreement *a)
{
  mpj_forum_end(a->forum);
  mpj_free(a->members);
  mpj_free(a->all);
}

static void say(struct agreement *a)
{
  struct mpj_context *context = a->forum->context;
  a->mine.group = a->wish->group;
  a->mine.member = a->wish->member;
  a->mine.key = a->wish->key;
  a->mine.status = a->status;
  a->mine.world = context->rank;
  a->mine.world_size = context->size;
  a->mine.serial = context->serial;
  if (a->forum->parent)
    a->mine.chooser = mpj_select_digest(&a->forum->parent->facts, mpj_settings());
  if (!a->forum->parent) mpj_engine_progress(context); /* hear of what others have left */
  mpj_engine_advance_others(context, NULL);            /* leave what has been freed */
  mpj_controls_free(context, a->mine.free);
}

/* The first of the set bits from place `first` on, in a circle; -1: there is none. */
static int find_set(const uint64_t words[MPJ_CONTROL_WORDS], unsigned first)
{
  for (unsigned k = 0; k < MPJ_CONTROLS; k++) {
    const unsigned i = (first + k) % MPJ_CONTROLS;
    if (words[i / 64] >> (i % 64) & 1) return (int)i;
  }
  return -1;
}

/* Where to look from: the lowest first; then as the ranks, their parent and the try
 * would have it (multiplicative hashes). */
static unsigned first_place(const struct agreement *a)
{
  uint32_t mixed = a->tries + (a->forum->parent ? a->forum->parent->id : 0);
  for (int i = 0; i < a->forum->size; i++)
    mixed = (mixed + (uint32_t)a->all[i].world + 1) * UINT32_C(2654435761);
  return a->tries == 0 ? 0 : mixed >> (32 - MPJ_CONTROL_BITS);
}

/* What follows from the records; the same on all ranks. */
static void conclude(struct agreement *a)
{
  struct mpj_context *context = a->forum->context;
  uint64_t serial = 0, common[MPJ_CONTROL_WORDS];
  for (int i = 0; i < a->forum->size; i++)
    if (a->all[i].serial > serial) serial = a->all[i].serial;
  a->serial = serial + 1;
  if (a->serial > context->serial) context->serial = a->serial;
  for (int w = 0; w < MPJ_CONTROL_WORDS; w++) {
    common[w] = ~UINT64_C(0);
    for (int i = 0; i < a->forum->size; i++)
      common[w] &= a->all[i].free[w];
  }
  a->control = find_set(common, first_place(a));
  a->tries++;
}

/* Who failed before the records were exchanged: this rank hears of it by them. */
static bool all_are_well(const struct agreement *a)
{
  for (int i = 0; i < a->forum->size; i++)
    if (a->all[i].status != MPJ_SUCCESS) return false;
  return true;
}

/* That all choose algorithms alike; the same outcome on all ranks. */
static int check_choosers(const struct agreement *a)
{
  for (int i = 1; i < a->forum->size; i++)
    if (a->all[i].chooser != a->all[0].chooser)
      return mpj_error(MPJ_ERR_COMM,
                       "rank %d would choose other algorithms than rank 0: its MPJ_COLL_ settings, "
                       "tuning file, build of the library, or what it knows of nodes and cores "
                       "are others",
                       i);
  return MPJ_SUCCESS;
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
                   a->forum->rank, a->n);
}

static void find_members(struct agreement *a)
{
  a->n = 0;
  for (int i = 0; i < a->forum->size; i++)
    if (a->all[i].member && a->all[i].group == a->mine.group) a->members[a->n++] = i;
  qsort_r(a->members, (size_t)a->n, sizeof *a->members, compare_members, a->all);
}

/* This rank's number among the members, which become numbers in WORLD. */
static int translate_members(struct agreement *a)
{
  int rank = -1;
  for (int i = 0; i < a->n; i++) {
    if (a->members[i] == a->forum->rank) rank = i;
    a->members[i] = a->all[a->members[i]].world;
  }
  return rank;
}

/* What a duplicate takes over. */
static int copy_of_parent(struct mpj_comm *parent, struct mpj_comm *comm)
{
  comm->qualifies = parent->qualifies;
  comm->qualifies_ctx = parent->qualifies_ctx;
  comm->torus = mpj_torus_copy(parent->torus);
  if (parent->torus && !comm->torus)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the shape of a torus");
  return mpj_comm_copy_attributes(parent, comm);
}

static int make_comm(struct agreement *a)
{
  struct mpj_context *context = a->forum->context;
  const uint32_t id = (uint32_t)(a->serial << MPJ_CONTROL_BITS) | (uint32_t)a->control;
  a->taken = !mpj_controls_fit(context, (unsigned)a->control, a->serial);
  if (a->taken) return MPJ_SUCCESS;
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  if (!comm) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  const int rank = translate_members(a);
  int status = mpj_comm_begin(comm, context, id, a->serial, rank, a->n, a->members, context->net);
  if (status != MPJ_SUCCESS) goto free_comm;
  if (a->wish->is_dup) status = copy_of_parent(a->forum->parent, comm);
  if (status != MPJ_SUCCESS) goto end_comm;
  if (!mpj_controls_take(comm)) {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
    goto end_comm;
  }
  a->made = comm;
  return MPJ_SUCCESS;

end_comm:
  mpj_comm_clear_attributes(comm);
  mpj_comm_end(comm);
free_comm:
  mpj_free(comm);
  return status;
}

int mpj_comm_check_ranks(int n, const int ranks[], int size, const char *name, const char *whose)
{
  struct mpj_bits seen = {0};
  int status = MPJ_SUCCESS;
  if (!mpj_bits_begin(&seen, (unsigned)size))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to check %d ranks", n);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    if (ranks[i] < 0 || ranks[i] >= size)
      status = mpj_error(MPJ_ERR_ARG, "%s[%d] is %d, %s has ranks 0 to %d", name, i, ranks[i],
                         whose, size - 1);
    else if (mpj_bits_test(&seen, (unsigned)ranks[i]))
      status = mpj_error(MPJ_ERR_ARG, "%s[%d] is %d, which is there already", name, i, ranks[i]);
    else
      mpj_bits_set(&seen, (unsigned)ranks[i]);
  }
  mpj_bits_end(&seen);
  return status;
}

/* Whether the members are ranks of one job, each once, and those that were named. */
static int check_worlds(const struct agreement *a)
{
  const int *named = a->wish->world_ranks;
  struct mpj_bits seen = {0};
  int status = MPJ_SUCCESS;
  if (!mpj_bits_begin(&seen, (unsigned)a->mine.world_size))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory to check %d ranks", a->n);
  for (int i = 0; i < a->n && status == MPJ_SUCCESS; i++) {
    const struct record *r = &a->all[a->members[i]];
    const bool possible = r->world_size == a->mine.world_size && r->world >= 0 &&
                          r->world < r->world_size && !mpj_bits_test(&seen, (unsigned)r->world);
    if (!possible)
      status = mpj_error(MPJ_ERR_ARG, "peer %d is rank %d of %d: not all peers are of one job",
                         a->members[i], r->world, r->world_size);
    else if (named && named[i] != r->world)
      status =
          mpj_error(MPJ_ERR_ARG, "world_ranks[%d] is %d, but rank %d came", i, named[i], r->world);
    else
      mpj_bits_set(&seen, (unsigned)r->world);
  }
  mpj_bits_end(&seen);
  return status;
}

/* Step 2. */
static void set_up(struct agreement *a)
{
  if (!a->wish->member) return;
  find_members(a);
  if (!a->forum->parent) fail(a, check_worlds(a));
  fail(a, check_members(a));
  if (a->status == MPJ_SUCCESS) fail(a, make_comm(a));
}

/* Verdicts, the higher prevailing: well; try once more; try again; code << RANK_BITS | rank. */
enum { WELL = 0, NONE_FREE = 1, TAKEN = 2, RANK_BITS = 31 };

static int64_t verdict_of(const struct agreement *a, bool agreed)
{
  if (a->status != MPJ_SUCCESS)
    return (int64_t)((uint64_t)(uint32_t)a->status << RANK_BITS) | a->forum->rank;
  if (agreed && a->taken) return TAKEN;
  return agreed && a->control < 0 ? NONE_FREE : WELL;
}

/* One round. *verdict is set on success of the communication. */
static int try(struct agreement *a, int64_t *verdict)
{
  a->taken = false;
  say(a);
  const int status =
      mpj_forum_gather(a->forum, &a->mine, a->all, sizeof a->mine, a->status, a->why);
  const bool agreed = status == MPJ_SUCCESS && a->all;
  fail(a, status);
  if (mpj_forum_refused(a->forum)) { /* some are in another call: they would agree on nothing */
    *verdict = verdict_of(a, agreed);
    return MPJ_SUCCESS;
  }
  if (agreed) conclude(a);
  if (agreed) fail(a, check_choosers(a));
  if (agreed && all_are_well(a) && a->status == MPJ_SUCCESS && a->control >= 0) set_up(a);
  return mpj_forum_highest(a->forum, verdict_of(a, agreed), verdict);
}

/* Drop what was made: nobody has used it, as nobody has heard that all is well. */
static void take_back(struct agreement *a)
{
  if (!a->made) return;
  mpj_comm_clear_attributes(a->made);
  mpj_controls_drop(a->made);
  a->made = NULL;
}

/* Rounds until no other thread has been in the way. */
static int try_until_decided(struct agreement *a, int64_t *verdict)
{
  for (;;) {
    const int status = try(a, verdict);
    if (status != MPJ_SUCCESS || *verdict != TAKEN) return status;
    take_back(a);
  }
}

/* This rank does not know whether all is well, and the others may think so: they
 * hear that the communicator is broken. */
static int renounce(struct agreement *a, int status)
{
  char why[240];
  mpj_error_keep(why, sizeof why);
  if (a->made && a->made->net) mpj_comm_renounce(a->made);
  if (a->made) a->made->freed = true;
  mpj_engine_advance_others(a->forum->context, NULL);
  a->made = NULL;
  return mpj_error(status, "%s", why);
}

static int refusal(const struct agreement *a, int64_t verdict)
{
  const int code = (int)(uint32_t)((uint64_t)verdict >> RANK_BITS);
  const int rank = (int)(verdict & INT32_MAX);
  if (a->status != MPJ_SUCCESS) return mpj_error(a->status, "%s", a->why);
  if (verdict == NONE_FREE)
    return mpj_error(MPJ_ERR_NO_MEM,
                     "no place for a communicator is free on all %d ranks; each has %d",
                     a->forum->size, MPJ_COMMS_MAX);
  return mpj_error(code, "rank %d failed: %s", rank, mpj_error_name(code));
}

/* Rounds at most: see above. An exchange that is none of ours says nothing of what
 * has been left, which may be on its way. */
enum { ROUNDS = 2, ROUNDS_OF_PEERS = 50 };

int mpj_comm_make(struct mpj_forum *forum, const struct mpj_wish *wish, MPJ_Comm *newcomm)
{
  struct agreement a = {.forum = forum, .wish = wish};
  const int rounds = forum->parent ? ROUNDS : ROUNDS_OF_PEERS;
  int64_t verdict = NONE_FREE;
  int status = MPJ_SUCCESS;
  begin(&a);
  for (int round = 0; round < rounds && status == MPJ_SUCCESS && verdict == NONE_FREE; round++)
    status = try_until_decided(&a, &verdict);
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
