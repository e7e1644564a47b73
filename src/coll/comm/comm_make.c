/* This file makes communicators by agreement of ranks that can exchange a few bytes: a
 * parent's, by its collectives, or whoever has another way (exchange.h):
 *
 *   1. Of a parent's ranks: the highest of some numbers: how the checks went, each one's last
 *      serial, and what shows whether all choose algorithms alike and have the same control window.
 *      So all know the serial, that gives the id. Where not all ranks are members, or not all have
 *      the same window, records tell a rank who is in its group: a block of ranks at a time, the
 *      first with the numbers (groups/records.h). Of peers: an allgather of records.
 *   2. Each member sets its side up: messages can come.
 *   3. Allreduce of how that went. Nobody uses the communicator before it has the
 *      result, so nobody before all members have passed 2; a message is never early.
 *
 * Threads of one rank may make communicators with several lots of ranks at the same
 * time, and agree on the same serial. Who comes second to it in 2 says so in 3, and all
 * of that lot try again; from the second time on they take a serial that depends on the lot, so
 * that they soon part.
 *
 * Cost: an Allgather of 72 bytes a rank, where there are few; else an Allreduce of 56, of groups
 * one of 16 bytes more for each rank, in blocks; an Allreduce of 8. Memory for a block, and 12
 * to 18 bytes for each member of the rank's own group. */
#include "coll/comm/comm_make.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/comm_attributes.h"
#include "coll/comm/comm_begin.h"
#include "coll/comm/context_ids.h"
#include "coll/failure/failure.h"
#include "coll/groups/peer_records.h"
#include "coll/groups/records.h"
#include "coll/run/engine.h"
#include "coll/select/select.h"
#include "coll/torus/shape.h"

/* The state of one agreement on one rank. */
struct agreement {
  struct mpj_comm_exchange *exchange;
  struct mpj_comm *made; /* NULL where this rank is no member */
  const struct mpj_wish *wish;
  struct mpj_group group;
  struct mpj_peer_record *peers; /* [size of exchange] owned; of peers, once there was memory */
  uint64_t last, serial;         /* this rank's last one; what has been agreed on */
  bool of_parent; /* the members are all of the parent's ranks, and all have the same window */
  bool apart;     /* not all choose algorithms alike */
  bool holds;     /* a window, for the communicator that is not made yet */
  bool taken;     /* another thread has a communicator of this serial meanwhile */
  unsigned tries;
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

static void end(struct agreement *a)
{
  if (a->holds) mpj_context_ids_let_go(a->exchange->context, a->group.mine.control, a->serial);
  mpj_group_clear(&a->group);
  mpj_free(a->peers);
}

static void say(struct agreement *a)
{
  struct mpj_context *context = a->exchange->context;
  if (!a->exchange->parent) mpj_engine_progress(context); /* hear of what others have left */
  mpj_engine_advance_all(context);                        /* leave what has been freed */
  a->group.mine.group = a->wish->group;
  a->group.mine.key = a->wish->key;
  a->last = context->serial;
  if (a->holds || !a->wish->member) return;
  uint64_t lowest = 0;
  unsigned control = 0;
  const int status = mpj_context_ids_hold(context, &control, &lowest);
  a->holds = status == MPJ_SUCCESS;
  fail(a, status);
  if (!a->holds) return;
  a->group.mine.control = control;
  if (lowest > a->last) a->last = lowest;
}

/* The serial that follows from the highest one; the same on all ranks. It is the next one; then, as
 * ranks may be in several agreements at a time, one that goes by the ranks, their parent and the
 * try (multiplicative hashes). */
static void conclude(struct agreement *a, uint64_t highest, uint32_t mixed)
{
  enum { APART = 1024 };
  struct mpj_context *context = a->exchange->context;
  mixed = (mixed + a->tries + (a->exchange->parent ? a->exchange->parent->id : 0)) *
          UINT32_C(2654435761);
  a->serial = highest + 1 + (a->tries == 0 ? 0 : (mixed >> 16) % APART);
  if (a->serial > context->serial) context->serial = a->serial;
  a->tries++;
}

static int check_members(const struct agreement *a)
{
  const struct mpj_wish *w = a->wish;
  const struct mpj_group *g = &a->group;
  int i = 0; /* who gave the same list is there, in the list's order */
  while (i < w->n && i < g->n && g->members[i].rank == w->ranks[i])
    i++;
  if (w->n < 0 || (i == w->n && i == g->n)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG,
                   "ranks has %d entries on rank %d, and is another list on rank %d, one of them",
                   w->n, a->exchange->rank, i < w->n ? w->ranks[i] : g->members[i].rank);
}

/* What is known of the members: */
struct listed {
  int n, rank;           /* this one's among them */
  int *world;            /* [n] owned: numbers in WORLD; NULL: their own */
  uint32_t *context_ids; /* [n] owned: windows; NULL: the same as here */
  unsigned slots;        /* how many operations the windows have room for */
};

static int make_lists(struct listed *l, bool world, bool context_ids)
{
  if (world) l->world = mpj_alloc_array((size_t)l->n, sizeof *l->world);
  if (context_ids) l->context_ids = mpj_alloc_array((size_t)l->n, sizeof *l->context_ids);
  if ((l->world || !world) && (l->context_ids || !context_ids)) return MPJ_SUCCESS;
  mpj_free(l->world);
  mpj_free(l->context_ids);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %d members", l->n);
}

static unsigned slots_of(uint32_t control)
{
  return control < MPJ_CONTROLS ? MPJ_WINDOW : MPJ_SMALL_WINDOW;
}

static int list_parent(const struct agreement *a, struct listed *l)
{
  const struct mpj_comm *parent = a->exchange->parent;
  *l = (struct listed){
      .n = parent->size, .rank = parent->rank, .slots = slots_of(a->group.mine.control)};
  const int status = make_lists(l, parent->members, false);
  for (int i = 0; i < l->n && l->world; i++)
    l->world[i] = mpj_comm_world(parent, i);
  return status;
}

/* The group's members, which are forgotten. */
static int list_group(struct agreement *a, struct listed *l)
{
  struct mpj_group *g = &a->group;
  *l = (struct listed){.n = g->n, .rank = -1, .slots = MPJ_WINDOW};
  const int status = make_lists(l, true, !mpj_group_is_alike(g));
  if (status != MPJ_SUCCESS) return status;
  for (int i = 0; i < l->n; i++) {
    const struct mpj_group_member *m = &g->members[i];
    if (m->rank == a->exchange->rank) l->rank = i;
    if (slots_of(m->control) < l->slots) l->slots = slots_of(m->control);
    l->world[i] = a->peers ? a->peers[m->rank].world : mpj_comm_world(a->exchange->parent, m->rank);
    if (l->context_ids) l->context_ids[i] = m->control;
  }
  mpj_group_clear(g);
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
  struct mpj_context *context = a->exchange->context;
  const uint32_t id = MPJ_SELF_ID + (uint32_t)a->serial;
  a->taken = mpj_map_find(&context->comms, id);
  if (a->taken) return MPJ_SUCCESS;
  struct listed l;
  int status = a->of_parent ? list_parent(a, &l) : list_group(a, &l);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_comm *comm = mpj_alloc_array(1, sizeof *comm);
  status = comm ? mpj_comm_begin(comm, context, id, a->serial, a->group.mine.control, l.slots,
                                 l.rank, l.n, l.world, context->net)
                : mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  mpj_free(l.world);
  if (status != MPJ_SUCCESS) {
    mpj_free(l.context_ids);
    goto free_comm;
  }
  comm->context_ids = l.context_ids;
  if (a->wish->is_dup) status = copy_of_parent(a->exchange->parent, comm);
  if (status != MPJ_SUCCESS) goto end_comm;
  if (!mpj_context_ids_take(comm)) {
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

/* Step 2. */
static void set_up(struct agreement *a)
{
  if (!a->wish->member || a->status != MPJ_SUCCESS) return;
  if (!a->of_parent) {
    mpj_group_sort(&a->group);
    fail(a, check_members(a));
  }
  if (a->status == MPJ_SUCCESS) fail(a, make_comm(a));
}

/* Verdicts, the higher prevailing: well; try again; code << RANK_BITS | rank. */
enum { WELL = 0, TAKEN = 1, RANK_BITS = 31 };

static int64_t verdict_of(const struct agreement *a)
{
  if (a->status != MPJ_SUCCESS)
    return (int64_t)((uint64_t)(uint32_t)a->status << RANK_BITS) | a->exchange->rank;
  return a->taken ? TAKEN : WELL;
}

static int chooses_otherwise(int rank)
{
  return mpj_error(MPJ_ERR_COMM,
                   "rank %d would choose other algorithms than rank 0: its MPJ_COLL_ settings, "
                   "tuning file, build of the library, or what it knows of nodes and cores "
                   "are others",
                   rank);
}

/* Step 1 of a parent's ranks. Those of which a call fails take part in the others all the same. */
static void meet_in_parent(struct agreement *a)
{
  enum { VERDICT, SERIAL, FIRST, CHOOSER, CONTROL = CHOOSER + 2, NUMBERS = CONTROL + 2 };
  const struct mpj_comm_exchange *f = a->exchange;
  const int64_t chooser = mpj_select_digest(&f->parent->facts, mpj_settings());
  const int64_t control = a->group.mine.control, none = -(INT64_C(1) << 32);
  int64_t head[NUMBERS] = {[VERDICT] = verdict_of(a),
                           [SERIAL] = (int64_t)a->last,
                           [FIRST] = f->rank == 0 ? chooser : INT64_MIN,
                           [CHOOSER] = chooser,
                           [CHOOSER + 1] = -chooser,
                           [CONTROL] = control,
                           [CONTROL + 1] = control > 0 ? -control : none};
  int next = a->wish->is_all ? f->size : 0;
  const int status = mpj_records_exchange(f, NUMBERS, head, &next, &a->group);
  fail(a, status);
  if (mpj_comm_exchange_refused(f)) return;
  const bool well = status == MPJ_SUCCESS && head[VERDICT] == WELL;
  const bool same_window = head[CONTROL] == -head[CONTROL + 1];
  a->apart = well && head[CHOOSER] != -head[CHOOSER + 1];
  a->of_parent = a->wish->is_all && same_window;
  if (a->apart && chooser != head[FIRST]) fail(a, chooses_otherwise(f->rank));
  if (well && a->wish->is_all && !same_window) next = 0;
  while (next < f->size)
    fail(a, mpj_records_exchange(f, 0, NULL, &next, &a->group));
  if (!well || a->apart) return;
  conclude(a, (uint64_t)head[SERIAL], 0);
  set_up(a);
}

/* What all peers have said: the highest serial, and a hash of who they are. False: one has failed.
 */
static bool look_at_peers(const struct agreement *a, uint64_t *highest, uint32_t *mixed)
{
  bool well = true;
  *highest = *mixed = 0;
  for (int i = 0; i < a->exchange->size; i++) {
    const struct mpj_peer_record *r = &a->peers[i];
    *mixed = (*mixed + (uint32_t)r->world + 1) * UINT32_C(2654435761);
    if (r->serial > *highest) *highest = r->serial;
    well = well && r->status == MPJ_SUCCESS;
  }
  return well;
}

/* Step 1 of peers. */
static void meet_peers(struct agreement *a)
{
  const struct mpj_comm_exchange *f = a->exchange;
  if (!a->peers) a->peers = mpj_alloc_array((size_t)f->size, sizeof *a->peers);
  if (!a->peers)
    fail(a, mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %d ranks", f->size));
  const struct mpj_peer_record mine = {.serial = a->last,
                                       .status = a->status,
                                       .world = f->context->rank,
                                       .world_size = f->context->size,
                                       .control = a->group.mine.control};
  const int status = mpj_comm_exchange_gather(f, &mine, a->peers, sizeof mine, a->status, a->why);
  fail(a, status);
  if (status != MPJ_SUCCESS || !a->peers) return;
  uint64_t highest;
  uint32_t mixed;
  const bool well = look_at_peers(a, &highest, &mixed);
  conclude(a, highest, mixed);
  if (!well) return;
  fail(a, mpj_peer_records_check(f->size, a->peers, f->context->size, a->wish->world_ranks));
  for (int i = 0; i < f->size && a->status == MPJ_SUCCESS; i++) {
    const struct mpj_record record = {.control = a->peers[i].control};
    fail(a, mpj_group_hear(&a->group, i, &record));
  }
  set_up(a);
}

/* One round. *verdict is set on success of the communication. */
static int try(struct agreement *a, int64_t *verdict)
{
  a->taken = a->of_parent = a->apart = false;
  mpj_group_clear(&a->group);
  say(a);
  if (a->exchange->parent)
    meet_in_parent(a);
  else
    meet_peers(a);
  *verdict = verdict_of(a);
  if (mpj_comm_exchange_refused(a->exchange))
    return MPJ_SUCCESS; /* others would agree on something else */
  return mpj_comm_exchange_highest(a->exchange, *verdict, verdict);
}

/* Drop what was made: nobody has used it, as nobody has heard that all is well. */
static void take_back(struct agreement *a)
{
  if (!a->made) return;
  mpj_comm_clear_attributes(a->made);
  mpj_context_ids_drop(a->made);
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
  mpj_engine_advance_all(a->exchange->context);
  a->made = NULL;
  return mpj_error(status, "%s", why);
}

static int refusal(const struct agreement *a, int64_t verdict)
{
  const int code = (int)(uint32_t)((uint64_t)verdict >> RANK_BITS);
  const int rank = (int)(verdict & INT32_MAX);
  if (a->status != MPJ_SUCCESS) return mpj_error(a->status, "%s", a->why);
  if (a->apart && code == MPJ_ERR_COMM) return chooses_otherwise(rank);
  return mpj_error(code, "rank %d failed: %s", rank, mpj_error_name(code));
}

int mpj_comm_make(struct mpj_comm_exchange *exchange, const struct mpj_wish *wish,
                  MPJ_Comm *newcomm)
{
  struct agreement a = {.exchange = exchange, .wish = wish};
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
