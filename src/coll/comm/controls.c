/* This file keeps the numbers of a rank's control windows. */
#include "coll/comm/controls.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/closing.h"
#include "coll/failure/difference.h"
#include "coll/failure/failure.h"

enum { FIRST_FREE = MPJ_SELF_ID + 1 };

static void set_in_use(struct mpj_context *context, unsigned control, bool in_use)
{
  const uint64_t bit = UINT64_C(1) << (control % 64);
  if (in_use)
    context->in_use[control / 64] |= bit;
  else
    context->in_use[control / 64] &= ~bit;
}

static uint64_t count_of_left(const struct mpj_comm *comm)
{
  return (comm->serial + 1) << MPJ_SERIAL_SHIFT;
}

/* The id of a persistent request's communicator comes again soon, so nothing may come by it any
 * more: a member's record is the last that it sends. */
static bool has_left(const struct mpj_comm *comm, int rank)
{
  return mpj_comm_done_at(comm, rank) >= count_of_left(comm) &&
         (!comm->places || comm->closing->of[rank].heard);
}

static bool all_have_left(const struct mpj_comm *comm)
{
  for (int rank = 0; comm->net && rank < comm->size; rank++) {
    if (rank == comm->rank || has_left(comm, rank)) continue;
    if (mpj_net_peer_state(comm->net, mpj_comm_member(comm, rank), NULL) < MPJ_RANK_FINALIZED)
      return false;
  }
  return true;
}

static void release_window(struct mpj_comm *comm)
{
  if (comm->all_left) return;
  comm->all_left = true;
  set_in_use(comm->context, comm->control, false);
  mpj_board_forget(&comm->context->board, comm);
}

static void forget(struct mpj_comm *comm)
{
  release_window(comm);
  mpj_comm_end(comm);
  mpj_free(comm);
}

/* Of those that this rank has left: the list for an id. */
static unsigned left_list(uint32_t id)
{
  return (id >> MPJ_CONTROL_BITS) % MPJ_LEFT_IDS;
}

static void forget_left(struct mpj_comm *comm)
{
  struct mpj_comm **link = &comm->context->left_by_id[left_list(comm->id)];
  while (*link != comm)
    link = &(*link)->next_left;
  *link = comm->next_left;
  comm->context->nleft--;
  forget(comm);
}

/* Take back the windows that every member has left, and forget what has no more to compare. */
static void take_back(struct mpj_context *context)
{
  struct mpj_comm **link = &context->left;
  while (*link) {
    struct mpj_comm *comm = *link;
    if (!comm->all_left && all_have_left(comm)) release_window(comm);
    if (!comm->all_left || !mpj_closing_is_over(comm) || comm->lent > 0) {
      link = &comm->next;
      continue;
    }
    *link = comm->next;
    forget_left(comm);
  }
  context->left_before = context->nleft;
}

/* The same if there are many more than the last time: each look at one is paid by one that has been
 * added. */
static void take_back_some(struct mpj_context *context)
{
  enum { SOME = 4 };
  if (context->nleft >= 2 * context->left_before + SOME) take_back(context);
}

void mpj_controls_free(struct mpj_context *context, uint64_t words[MPJ_CONTROL_WORDS])
{
  take_back(context);
  for (unsigned w = 0; w < MPJ_CONTROL_WORDS; w++)
    words[w] = ~context->in_use[w];
  words[0] &= ~UINT64_C(0) << FIRST_FREE;
}

/* Nobody uses the window before this rank has agreed to the communicator once
 * more. WORLD's was clear from the beginning, and others may be ahead in it. */
static void clear_window(struct mpj_control_window *window, unsigned slots, uint64_t done)
{
  for (unsigned i = 0; i < slots; i++) {
    mpj_atomic_bits_clear(&window->slot[i].arrived);
    atomic_store_explicit(&window->met[i], 0, memory_order_relaxed);
  }
  atomic_store_explicit(&window->done, done, memory_order_release);
}

bool mpj_controls_fit(struct mpj_context *context, unsigned control, uint64_t serial)
{
  if (context->in_use[control / 64] >> (control % 64) & 1) return false;
  if (!context->net) return true;
  const struct mpj_control_window *window = mpj_control_window(&context->control, control);
  return atomic_load_explicit(&window->done, memory_order_relaxed) <= serial << MPJ_SERIAL_SHIFT;
}

/* The number of a free small window; 0: there is none. */
static unsigned free_small(const struct mpj_context *context)
{
  for (unsigned w = MPJ_CONTROL_WORDS; w < MPJ_ALL_CONTROLS / 64; w++) {
    const uint64_t left = ~context->in_use[w];
    if (left != 0) return 64 * w + (unsigned)__builtin_ctzll(left);
  }
  return 0;
}

int mpj_controls_reserve(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  take_back_some(context);
  comm->control = free_small(context);
  if (comm->control == 0) {
    take_back(context);
    comm->control = free_small(context);
  }
  if (comm->control == 0)
    return mpj_error(MPJ_ERR_NO_MEM,
                     "rank %d has %d persistent requests; there is room for no more", comm->rank,
                     MPJ_SMALL_CONTROLS);
  comm->window = mpj_control_window(&context->control, comm->control);
  comm->id = ((1 + context->persistent++ % (MPJ_PERSISTENT_ROUND - 1)) * MPJ_SMALL_CONTROLS +
              (comm->control - MPJ_CONTROLS))
             << MPJ_CONTROL_BITS;
  context->comms[comm->control] = comm;
  set_in_use(context, comm->control, true);
  return MPJ_SUCCESS;
}

uint64_t mpj_controls_serial(const struct mpj_comm *comm)
{
  const uint64_t done = atomic_load_explicit(&comm->window->done, memory_order_relaxed);
  return (done >> MPJ_SERIAL_SHIFT) + 1;
}

void mpj_controls_take(struct mpj_comm *comm)
{
  if (comm->net && comm->serial > 0)
    clear_window(comm->window, mpj_comm_slots(comm), comm->completed);
  comm->context->comms[comm->control] = comm;
  set_in_use(comm->context, comm->control, true);
  const struct mpj_renounced *r = &comm->context->renounced;
  if (r->id == comm->id) mpj_comm_broken_elsewhere(comm, &r->cause);
}

static void say_left(struct mpj_comm *comm)
{
  comm->context->comms[comm->control] = NULL;
  mpj_comm_clear(comm);
  if (comm->net && comm->started > 0) /* 0: it has never been taken, or is WORLD's */
    atomic_store_explicit(&comm->window->done, count_of_left(comm), memory_order_release);
}

/* Leave a persistent request's communicator, and then its user, if nothing else keeps it. */
static void leave_persistent(struct mpj_comm *comm)
{
  struct mpj_comm *user = comm->user;
  *comm->sibling_link = comm->sibling;
  if (comm->sibling) comm->sibling->sibling_link = comm->sibling_link;
  if (comm->serial > 0) {
    mpj_controls_leave(comm);
  } else { /* the init failed: nobody uses it */
    mpj_difference_unheard(comm);
    mpj_controls_drop(comm);
  }
  user->requests--;
  mpj_controls_consider(user);
}

void mpj_controls_drop(struct mpj_comm *comm)
{
  say_left(comm);
  forget(comm);
}

void mpj_controls_leave(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  mpj_closing_begin(comm, comm->user ? MPJ_OPERATION_REQUEST_FREE : MPJ_OPERATION_COMM_FREE);
  say_left(comm);
  if (comm->closing) mpj_closing_advance(comm);
  if (!comm->net) {
    forget(comm);
    return;
  }
  struct mpj_comm **list = &context->left_by_id[left_list(comm->id)];
  comm->next_left = *list;
  *list = comm;
  comm->next = context->left;
  context->left = comm;
  context->nleft++;
}

struct mpj_comm *mpj_controls_left(const struct mpj_context *context, uint32_t id)
{
  struct mpj_comm *comm = context->left_by_id[left_list(id)];
  while (comm && comm->id != id)
    comm = comm->next_left;
  return comm;
}

void mpj_controls_consider(struct mpj_comm *comm)
{
  if (!comm->freed || comm->busy || comm->requests > 0 || comm->joining) return;
  if (comm->user)
    leave_persistent(comm);
  else
    mpj_controls_leave(comm);
}

/* The serial of an id, of those that it may be the one nearest to the last. */
static uint64_t serial_of(const struct mpj_context *context, uint32_t id)
{
  const uint32_t last = (uint32_t)(context->serial << MPJ_CONTROL_BITS);
  const int32_t ahead = (int32_t)((id & ~(uint32_t)(MPJ_CONTROLS - 1)) - last);
  return context->serial + (uint64_t)(int64_t)(ahead / MPJ_CONTROLS);
}

void mpj_controls_renounced(struct mpj_context *context, uint32_t id, const struct mpj_cause *cause)
{
  if (id % MPJ_CONTROLS == 0) return; /* of a persistent request: its user will hear of it */
  const unsigned control = id % MPJ_CONTROLS;
  const uint64_t serial = serial_of(context, id), left = (serial + 1) << MPJ_SERIAL_SHIFT;
  struct mpj_control_window *window = mpj_control_window(&context->control, control);
  if (serial > context->serial) {
    context->serial = serial; /* what is published never falls */
    context->renounced = (struct mpj_renounced){id, *cause};
  }
  if (context->in_use[control / 64] >> (control % 64) & 1) return;
  if (atomic_load_explicit(&window->done, memory_order_relaxed) < left)
    atomic_store_explicit(&window->done, left, memory_order_release);
}

/* End what is of persistent requests, or the rest: those look into their users. */
static void end_those(struct mpj_context *context, bool persistent)
{
  for (unsigned control = FIRST_FREE; control < MPJ_ALL_CONTROLS; control++) {
    struct mpj_comm *comm = context->comms[control];
    if (!comm || (comm->user != NULL) != persistent) continue;
    context->comms[control] = NULL;
    forget(comm);
  }
  for (struct mpj_comm **link = &context->left; *link;) {
    struct mpj_comm *comm = *link;
    if ((comm->user != NULL) != persistent) {
      link = &comm->next;
      continue;
    }
    *link = comm->next;
    forget_left(comm);
  }
}

void mpj_controls_end(struct mpj_context *context)
{
  end_those(context, true);
  end_those(context, false);
}
