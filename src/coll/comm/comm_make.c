/* This file makes communicators by agreement of ranks that can exchange a few bytes: a
 * parent's, by its collectives, or whoever has another way (forum.h):
 *
 *   1. Allgather of who each rank is, what it wishes, how its checks went, its last
 *      serial, and which control window it has chosen. So all know the serial, that gives the id,
 *      where each has its window, and who is with whom.
 *   2. Each member sets its side up: messages can come.
 *   3. Allreduce of how that went. Nobody uses the communicator before it has the
 *      result, so nobody before all members have passed 2; a message is never early.
 *
 * Threads of one rank may make communicators with several lots of ranks at the same
 * time, and agree on the same serial. Who comes second to it in 2 says so in 3, and all
 * of that lot try again; from the second time on they take a serial that depends on the lot, so
 * that they soon part.
 *
 * Of a duplicate all know the members. In place of 1 they make an Allreduce of the highest: how the
 * checks went, the serial, and digest and window as they are and negated, which shows whether all
 * have the same; where not, they go on by 1.
 *
 * Cost: one Allgather of 48 bytes a rank, one Allreduce of 8 bytes; of a duplicate Allreduces of 48
 * and of 8 bytes, and memory of O(1), its members being the parent's. */
#include "coll/comm/comm_make.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/agree.h"
#include "coll/comm/comm_attributes.h"
#include "coll/comm/comm_begin.h"
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
  uint32_t control;          /* the window that it has chosen */
};

/* The state of one agreement on one rank. */
struct agreement {
  struct mpj_forum *forum;
  struct mpj_comm *made; /* NULL where this rank is no member */
  const struct mpj_wish *wish;
  struct record mine, *all; /* all: [size of forum]; NULL: no memory */
  uint64_t serial;
  bool by_numbers; /* it is a duplicate's, and all ranks have the same window */
  bool begun;      /* for records */
  bool holds;      /* a window, for the communicator that is not made yet */
  bool taken;      /* another thread has a communicator of this serial meanwhile */
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

/* For the records of all ranks. */
static void begin(struct agreement *a)
{
  const size_t p = (size_t)a->forum->size;
  a->all = mpj_alloc_array(p, sizeof *a->all);
  if (!a->members) a->members = mpj_alloc_array(p, sizeof *a->members);
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
  if (a->holds) mpj_controls_let_go(a->forum->context, a->mine.control, a->serial);
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
  a->mine.world = context->rank;
  a->mine.world_size = context->size;
  if (a->forum->parent)
    a->mine.chooser = mpj_select_digest(&a->forum->parent->facts, mpj_settings());
  if (!a->forum->parent) mpj_engine_progress(context); /* hear of what others have left */
  mpj_engine_advance_others(context, NULL);            /* leave what has been freed */
  uint64_t lowest = 0;
  if (!a->holds && a->wish->member) {
    const int status = mpj_controls_hold(context, &a->mine.control, &lowest);
    a->holds = status == MPJ_SUCCESS;
    fail(a, status);
  }
  a->mine.serial = context->serial > lowest ? context->serial : lowest;
  a->mine.status = a->status;
}

/* The serial that follows from the highest one; the same on all ranks. It is the next one; then, as
 * ranks may be in several agreements at a time, one that goes by the ranks, their parent and the
 * try (multiplicative hashes). */
static void conclude(struct agreement *a, uint64_t highest, uint32_t mixed)
{
  enum { APART = 1024 };
  struct mpj_context *context = a->forum->context;
  mixed = (mixed + a->tries + (a->forum->parent ? a->forum->parent->id : 0)) * UINT32_C(2654435761);
  a->serial = highest + 1 + (a->tries == 0 ? 0 : (mixed >> 16) % APART);
  if (a->serial > context->serial) context->serial = a->serial;
  a->tries++;
}

static void conclude_by_records(struct agreement *a)
{
  uint64_t highest = 0;
  uint32_t mixed = 0;
  for (int i = 0; i < a->forum->size; i++) {
    mixed = (mixed + (uint32_t)a->all[i].world + 1) * UINT32_C(2654435761);
    if (a->all[i].serial > highest) highest = a->all[i].serial;
  }
  conclude(a, highest, mixed);
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
  const struct mpj_comm *parent = a->forum->parent;
  for (int i = 0; i < a->n && a->by_numbers && parent->members; i++)
    a->members[i] = mpj_comm_world(parent, i);
  if (a->by_numbers) return parent->rank;
  for (int i = 0; i < a->n; i++) {
    if (a->members[i] == a->forum->rank) rank = i;
    a->members[i] = a->all[a->members[i]].world;
  }
  return rank;
}

/* Note where the members have their windows, if not all at the same place. *slots := how many
 * operations these have room for. */
static int note_controls(const struct agreement *a, uint32_t **controls, unsigned *slots)
{
  bool same = true;
  *controls = NULL;
  *slots = a->mine.control < MPJ_CONTROLS ? MPJ_WINDOW : MPJ_SMALL_WINDOW;
  if (a->by_numbers) return MPJ_SUCCESS;
  for (int i = 0; i < a->n; i++) {
    const uint32_t control = a->all[a->members[i]].control;
    same &= control == a->mine.control;
    if (control >= MPJ_CONTROLS) *slots = MPJ_SMALL_WINDOW;
  }
  if (same) return MPJ_SUCCESS;
  *controls = mpj_alloc_array((size_t)a->n, sizeof **controls);
  if (!*controls) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the windows of %d ranks", a->n);
  for (int i = 0; i < a->n; i++)
    (*controls)[i] = a->all[a->members[i]].control;
  return MPJ_SUCCESS;
}

/* What a duplicate takes over. */
static int copy_of_parent(struct mpj_comm *parent, struct mpj_comm *comm)
{
  mpj_members_release(comm->members);
  comm->members = parent->members ? mpj_members_share(parent->members) : NULL;
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
  const uint32_t id = MPJ_SELF_ID + (uint32_t)a->serial;
  a->taken = mpj_map_find(&context->comms, id);
  if (a->taken) return MPJ_SUCCESS;
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  if (!comm) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  uint32_t *controls;
  unsigned slots;
  int status = note_controls(a, &controls, &slots);
  if (status != MPJ_SUCCESS) goto free_comm;
  const int rank = translate_members(a);
  const bool of_all = a->by_numbers && !a->forum->parent->members;
  status = mpj_comm_begin(comm, context, id, a->serial, a->mine.control, slots, rank, a->n,
                          of_all ? NULL : a->members, context->net);
  if (status != MPJ_SUCCESS) {
    mpj_free(controls);
    goto free_comm;
  }
  comm->controls = controls;
  if (a->wish->is_dup) status = copy_of_parent(a->forum->parent, comm);
  if (status != MPJ_SUCCESS) goto end_comm;
  if (!mpj_controls_take(comm)) {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
    goto end_comm;
  }
  a->made = comm;
  a->holds = false;
  return MPJ_SUCCESS;

end_comm:
  mpj_comm_clear_attributes(comm);
  mpj_comm_end(comm);
free_comm:
  mpj_free(comm);
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
  if (a->by_numbers) {
    a->n = a->forum->size;
    if (!a->members && a->forum->parent->members)
      a->members = mpj_alloc_array((size_t)a->n, sizeof *a->members);
    if (!a->members && a->forum->parent->members)
      fail(a, mpj_error(MPJ_ERR_NO_MEM, "no memory for %d members", a->n));
  } else {
    find_members(a);
    if (!a->forum->parent) fail(a, check_worlds(a));
    fail(a, check_members(a));
  }
  if (a->status == MPJ_SUCCESS) fail(a, make_comm(a));
}

/* Verdicts, the higher prevailing: well; try again; code << RANK_BITS | rank. */
enum { WELL = 0, TAKEN = 1, RANK_BITS = 31 };

static int64_t verdict_of(const struct agreement *a, bool agreed)
{
  if (a->status != MPJ_SUCCESS)
    return (int64_t)((uint64_t)(uint32_t)a->status << RANK_BITS) | a->forum->rank;
  return agreed && a->taken ? TAKEN : WELL;
}

/* A round of a duplicate. False: its members have other windows, or choose otherwise, so records
 * are needed. */
static bool try_by_numbers(struct agreement *a, int64_t *verdict, int *status)
{
  enum { VERDICT, SERIAL, CHOOSER, CONTROL = CHOOSER + 2, NUMBERS = CONTROL + 2 };
  const struct mpj_forum *f = a->forum;
  const int64_t chooser = a->mine.chooser, control = a->mine.control;
  const int64_t mine[NUMBERS] = {
      verdict_of(a, false), (int64_t)a->mine.serial, chooser, -chooser, control, -control};
  int64_t all[NUMBERS] = {0};
  *status = mpj_agree_on_highest_each(f->parent, f->part_of, NUMBERS, mine, all);
  fail(a, *status);
  *verdict = verdict_of(a, false);
  if (mpj_forum_refused(f)) { /* some are in another call */
    *status = MPJ_SUCCESS;
    return true;
  }
  if (*status == MPJ_SUCCESS && all[VERDICT] == WELL) {
    if (all[CHOOSER] != -all[CHOOSER + 1] || all[CONTROL] != -all[CONTROL + 1]) return false;
    a->by_numbers = true;
    conclude(a, (uint64_t)all[SERIAL], 0);
    set_up(a);
  }
  *status = mpj_forum_highest(f, verdict_of(a, true), verdict);
  return true;
}

/* One round. *verdict is set on success of the communication. */
static int try(struct agreement *a, int64_t *verdict)
{
  a->taken = a->by_numbers = false;
  say(a);
  int by_numbers;
  if (a->wish->is_dup && try_by_numbers(a, verdict, &by_numbers)) return by_numbers;
  if (!a->begun) begin(a);
  a->begun = true;
  a->mine.status = a->status;
  const int status =
      mpj_forum_gather(a->forum, &a->mine, a->all, sizeof a->mine, a->status, a->why);
  const bool agreed = status == MPJ_SUCCESS && a->all;
  fail(a, status);
  if (mpj_forum_refused(a->forum)) { /* some are in another call: they would agree on nothing */
    *verdict = verdict_of(a, agreed);
    return MPJ_SUCCESS;
  }
  if (agreed) conclude_by_records(a);
  if (agreed) fail(a, check_choosers(a));
  if (agreed && all_are_well(a) && a->status == MPJ_SUCCESS) set_up(a);
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
  return mpj_error(code, "rank %d failed: %s", rank, mpj_error_name(code));
}

int mpj_comm_make(struct mpj_forum *forum, const struct mpj_wish *wish, MPJ_Comm *newcomm)
{
  struct agreement a = {.forum = forum, .wish = wish};
  int64_t verdict = WELL;
  fail(&a, wish->status);
  int status = try_until_decided(&a, &verdict);
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
