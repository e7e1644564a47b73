/* This file keeps the numbers of a rank's control windows. */
#include "coll/comm/context_ids.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/closing/closing_advance.h"
#include "coll/comm/comm_begin.h"
#include "coll/control/messages.h"
#include "coll/control/own_windows.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"
#include "coll/failure/failure.h"

enum { FIRST_FREE = MPJ_SELF_ID + 1, WORDS = MPJ_CONTROLS / 64 };

/* Numbers in use are the set bits of words, as many as have been needed. Of those of the small
 * windows, the first `full` have no bit that is not set. */

static bool make_words(struct mpj_context *context, unsigned n)
{
  unsigned room = context->nin_use ? context->nin_use : WORDS;
  while (room < n)
    room *= 2;
  if (room <= context->nin_use) return true;
  uint64_t *words = mpj_alloc_array(room, sizeof *words);
  if (!words) return false;
  for (unsigned w = 0; w < context->nin_use; w++)
    words[w] = context->in_use[w];
  mpj_free(context->in_use);
  context->in_use = words;
  context->nin_use = room;
  return true;
}

/* False: there is no memory. */
static bool set_in_use(struct mpj_context *context, unsigned control)
{
  if (control < FIRST_FREE) return true;
  if (!make_words(context, control / 64 + 1)) return false;
  context->in_use[control / 64] |= UINT64_C(1) << (control % 64);
  return true;
}

static void clear_in_use(struct mpj_context *context, unsigned control)
{
  const unsigned w = control / 64;
  if (w >= context->nin_use) return;
  context->in_use[w] &= ~(UINT64_C(1) << (control % 64));
  if (w >= WORDS && w - WORDS < context->full) context->full = w - WORDS;
}

/* Let a communicator be found by its id, as one that the rank has not left. False: there is no
 * memory. */
static bool list(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  struct mpj_map_entry *e = mpj_map_add(&context->comms, comm->id);
  if (!e) return false;
  e->pointer = comm;
  comm->before = context->last_live;
  if (comm->before)
    comm->before->after = comm;
  else
    context->live = comm;
  context->last_live = comm;
  return true;
}

static void unlist(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  if (comm->before)
    comm->before->after = comm->after;
  else
    context->live = comm->after;
  if (comm->after)
    comm->after->before = comm->before;
  else
    context->last_live = comm->before;
  comm->left = true;
}

static uint64_t count_of_left(const struct mpj_comm *comm)
{
  return (comm->serial + 1) << MPJ_SERIAL_SHIFT;
}

static bool all_have_left(const struct mpj_comm *comm)
{
  if (mpj_closing_all_have_ended(comm)) return true;
  for (int rank = 0; comm->net && rank < comm->size; rank++) {
    if (rank == comm->rank || mpj_comm_done_at(comm, rank) >= count_of_left(comm)) continue;
    if (mpj_net_peer_state(comm->net, mpj_comm_member(comm, rank), NULL) < MPJ_RANK_FINALIZED)
      return false;
  }
  return true;
}

static void release_window(struct mpj_comm *comm)
{
  if (comm->all_left) return;
  comm->all_left = true;
  clear_in_use(comm->context, comm->control);
  mpj_published_forget(&comm->context->published, comm);
}

static void forget(struct mpj_comm *comm)
{
  release_window(comm);
  if (mpj_map_pointer(&comm->context->comms, comm->id) == comm)
    mpj_map_remove(&comm->context->comms, comm->id);
  mpj_comm_end(comm);
  mpj_free(comm);
}

static void forget_left(struct mpj_comm *comm)
{
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

/* Nobody uses the window before this rank has agreed to the communicator once
 * more. WORLD's was clear from the beginning, and others may be ahead in it. */
static void clear_window(struct mpj_comm *comm)
{
  struct mpj_control_window *window = comm->window;
  const unsigned slots = mpj_comm_slots(comm);
  for (unsigned i = 0; i < slots; i++) {
    mpj_atomic_bits_clear(&window->slot[i].arrived);
    atomic_store_explicit(&window->met[i], 0, memory_order_relaxed);
  }
  mpj_control_has_done(&comm->context->control, window, comm->control, comm->completed);
}

static uint64_t free_bits(const struct mpj_context *context, unsigned w)
{
  const uint64_t left = w < context->nin_use ? ~context->in_use[w] : ~UINT64_C(0);
  return w == 0 ? left & ~UINT64_C(0) << FIRST_FREE : left;
}

static unsigned number_in(const struct mpj_context *context, unsigned w)
{
  return 64 * w + (unsigned)__builtin_ctzll(free_bits(context, w));
}

/* The number of a free window of MPJ_WINDOW slots; 0: there is none. */
static unsigned free_large(const struct mpj_context *context)
{
  for (unsigned w = 0; w < WORDS; w++)
    if (free_bits(context, w) != 0) return number_in(context, w);
  return 0;
}

/* That of a small one, of which there are as many as there is memory for. */
static unsigned free_small(struct mpj_context *context)
{
  while (free_bits(context, WORDS + context->full) == 0)
    context->full++;
  return number_in(context, WORDS + context->full);
}

int mpj_context_ids_hold(struct mpj_context *context, unsigned *control, uint64_t *serial)
{
  take_back(context);
  *control = free_large(context);
  if (*control == 0) *control = free_small(context);
  struct mpj_control_window *window =
      context->net ? mpj_control_window(&context->control, *control) : NULL;
  if ((context->net && !window) || !set_in_use(context, *control))
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for a communicator");
  *serial = 0;
  if (window)
    *serial = atomic_load_explicit(&window->done, memory_order_relaxed) >> MPJ_SERIAL_SHIFT;
  return MPJ_SUCCESS;
}

void mpj_context_ids_let_go(struct mpj_context *context, unsigned control, uint64_t serial)
{
  const uint64_t left = (serial + 1) << MPJ_SERIAL_SHIFT;
  struct mpj_control_window *window =
      context->net && serial > 0 ? mpj_control_window(&context->control, control) : NULL;
  if (window && atomic_load_explicit(&window->done, memory_order_relaxed) < left)
    mpj_control_has_done(&context->control, window, control, left);
  clear_in_use(context, control);
}

int mpj_context_ids_reserve(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  take_back_some(context);
  comm->control = free_small(context);
  comm->window = mpj_control_window(&context->control, comm->control);
  if (!comm->window) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a persistent request");
  do
    comm->id = MPJ_PERSISTENT_ID | context->persistent++;
  while (mpj_map_find(&context->comms, comm->id));
  if (set_in_use(context, comm->control)) {
    if (list(comm)) return MPJ_SUCCESS;
    clear_in_use(comm->context, comm->control);
  }
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for a persistent request");
}

uint64_t mpj_context_ids_serial(const struct mpj_comm *comm)
{
  const uint64_t done = atomic_load_explicit(&comm->window->done, memory_order_relaxed);
  return (done >> MPJ_SERIAL_SHIFT) + 1;
}

bool mpj_context_ids_take(struct mpj_comm *comm)
{
  const bool listed = mpj_map_pointer(&comm->context->comms, comm->id) == comm;
  if (!listed && !list(comm)) return false;
  if (comm->net && comm->serial > 0) clear_window(comm);
  const struct mpj_renounced *r = &comm->context->renounced;
  if (r->id == comm->id) mpj_comm_broken_elsewhere(comm, &r->cause);
  return true;
}

static void say_left(struct mpj_comm *comm)
{
  unlist(comm);
  mpj_comm_clear(comm);
  if (comm->net && comm->started > 0) /* 0: it has never been taken, or is WORLD's */
    mpj_control_has_done(&comm->context->control, comm->window, comm->control, count_of_left(comm));
}

/* Leave a communicator (moved) with which nothing is under way. */
static void leave(struct mpj_comm *comm)
{
  struct mpj_context *context = comm->context;
  mpj_closing_begin(comm, comm->user ? MPJ_OPERATION_REQUEST_FREE : MPJ_OPERATION_COMM_FREE);
  say_left(comm);
  if (comm->closing) mpj_closing_advance(comm);
  if (!comm->net) {
    forget(comm);
    return;
  }
  comm->next = context->left;
  context->left = comm;
  context->nleft++;
}

/* Leave a persistent request's communicator, and then its user, if nothing else keeps it. */
static void leave_persistent(struct mpj_comm *comm)
{
  struct mpj_comm *user = comm->user;
  *comm->sibling_link = comm->sibling;
  if (comm->sibling) comm->sibling->sibling_link = comm->sibling_link;
  if (comm->serial > 0) {
    leave(comm);
  } else { /* the init failed: nobody uses it */
    mpj_difference_unheard(comm);
    mpj_context_ids_drop(comm);
  }
  user->requests--;
  mpj_context_ids_consider(user);
}

void mpj_context_ids_drop(struct mpj_comm *comm)
{
  say_left(comm);
  forget(comm);
}

struct mpj_comm *mpj_context_ids_left(const struct mpj_context *context, uint32_t id)
{
  struct mpj_comm *comm = mpj_map_pointer(&context->comms, id);
  return comm && comm->left ? comm : NULL;
}

void mpj_context_ids_consider(struct mpj_comm *comm)
{
  if (!comm->freed || comm->busy || comm->requests > 0 || comm->joining) return;
  if (comm->user)
    leave_persistent(comm);
  else
    leave(comm);
}

void mpj_context_ids_renounced(struct mpj_context *context, uint32_t id,
                               const struct mpj_cause *cause)
{
  if (id & MPJ_PERSISTENT_ID) return; /* its user will hear of it */
  const uint64_t serial = id - MPJ_SELF_ID;
  if (id <= MPJ_SELF_ID || serial <= context->serial) return;
  context->serial = serial; /* what is published never falls */
  context->renounced = (struct mpj_renounced){id, *cause};
}

/* End what is of persistent requests, or the rest: those look into their users. */
static void end_those(struct mpj_context *context, bool persistent)
{
  for (struct mpj_comm *comm = context->live, *after; comm; comm = after) {
    after = comm->after;
    if (comm == context->world || (comm->user != NULL) != persistent) continue;
    unlist(comm);
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

void mpj_context_ids_end(struct mpj_context *context)
{
  end_those(context, true);
  end_those(context, false);
  mpj_map_end(&context->comms);
  mpj_free(context->in_use);
  context->in_use = NULL;
}
