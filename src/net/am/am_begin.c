/* This file moves users' active messages on, and ends those of ranks that have gone. */
#include "net/am/am_begin.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/am/region.h"
#include "net/am/wire.h"
#include "types/type.h"

int mpj_am_begin(struct mpj_net *net, struct mpj_am **out)
{
  const int size = net ? net->size : 1;
  struct mpj_am *am = mpj_alloc_array(1, sizeof *am);
  if (am) am->peers = mpj_alloc_table((size_t)size, sizeof *am->peers);
  if (!am || !am->peers) {
    mpj_free(am);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for active messages to %d ranks", size);
  }
  am->net = net;
  am->of_regions = &mpj_am_of_regions;
  am->rank = net ? net->rank : 0;
  am->size = size;
  *out = am;
  if (!net) return MPJ_SUCCESS;
  mpj_net_register(net, MPJ_AM_USERS, mpj_am_on_message, am);
  mpj_net_also(net, MPJ_ALSO_USERS, mpj_am_advance, am);
  return MPJ_SUCCESS;
}

/* Nobody reads what was advertised any more. */
static void withdraw(struct mpj_am *am, const struct mpj_am_record *records)
{
  for (unsigned i = 0; records && i < MPJ_AM_WINDOW; i++)
    if (records[i].post.active && records[i].post.exposed)
      mpj_net_withdraw(am->net, &records[i].post.remote, true);
}

static bool send_acks(struct mpj_am *am, int peer);

void mpj_am_stop(struct mpj_am *am)
{
  for (struct mpj_am_peer *p = am->net ? am->met : NULL; p; p = p->next_met) {
    const int rank = mpj_am_peer_rank(am, p);
    p->flush = true;
    if (rank != am->rank) send_acks(am, rank); /* a full ring: the peer hears that we left */
    withdraw(am, p->out);
    withdraw(am, p->in);
  }
  if (am->net) mpj_net_also(am->net, MPJ_ALSO_USERS, NULL, NULL);
}

static void free_records(struct mpj_am_record *records)
{
  for (unsigned i = 0; records && i < MPJ_AM_WINDOW; i++) {
    mpj_am_let_go(&records[i].post.data);
    mpj_am_let_go(&records[i].message.target);
    mpj_am_drop_get(&records[i]);
    mpj_free(records[i].message.scratch);
  }
  mpj_free(records);
}

void mpj_am_end(struct mpj_am *am)
{
  for (struct mpj_am_peer *p = am->met; p; p = p->next_met) {
    free_records(p->out);
    free_records(p->in);
  }
  mpj_am_forget_regions(am);
  mpj_free_table(am->peers, (size_t)am->size, sizeof *am->peers);
  mpj_free(am);
}

void mpj_am_set_handler(struct mpj_am *am, int handler, const struct mpj_am_handler *h)
{
  const uint16_t version = am->handlers[handler].version;
  am->handlers[handler] = *h;
  am->handlers[handler].version = (uint16_t)(version + 1);
  am->handlers[handler].registered = true;
  am->look_at_held = am->attention = true;
}

/* Numbers go back many at a time, except where the sender waits for them. */
static bool acks_are_due(const struct mpj_am_peer *p)
{
  return p->done != 0 && (p->flush || (p->used | p->done) == UINT32_MAX ||
                          __builtin_popcount(p->done) >= MPJ_AM_WINDOW / 2);
}

static void on_own_ack(struct mpj_am *am)
{
  struct mpj_am_peer *p = &am->peers[am->rank];
  uint32_t numbers = p->done;
  p->done = 0;
  for (; numbers != 0; numbers &= numbers - 1) {
    struct mpj_am_record *r = &p->out[__builtin_ctz(numbers)];
    r->acked = true;
    mpj_am_release(am, am->rank, r);
  }
}

static bool send_refusals(struct mpj_am *am, int peer)
{
  struct mpj_am_peer *p = &am->peers[peer];
  for (; p->refused != 0; p->refused &= p->refused - 1) {
    const unsigned number = (unsigned)__builtin_ctz(p->refused);
    const struct mpj_am_wire w = {.head = {.kind = MPJ_AM_KIND_REFUSED,
                                           .number = (uint8_t)number,
                                           .detail = p->refusal[number]}};
    if (p->used >> number & 1) return true; /* a reply is still on its way: later */
    if (peer == am->rank)
      mpj_am_on_refusal(am, peer, number, p->refusal[number]);
    else if (mpj_am_send_wire(am, peer, &w, 0) != MPJ_SUCCESS)
      return false;
  }
  return true;
}

/* Whether all that is due has been told. */
static bool send_acks(struct mpj_am *am, int peer)
{
  struct mpj_am_peer *p = &am->peers[peer];
  if (peer == am->rank) {
    on_own_ack(am);
    return send_refusals(am, peer);
  }
  if (!send_refusals(am, peer)) return false;
  if (acks_are_due(p)) {
    const struct mpj_am_wire w = {.head = {.kind = MPJ_AM_KIND_ACK, .detail = p->done}};
    if (mpj_am_send_wire(am, peer, &w, 0) != MPJ_SUCCESS) return false;
    p->done = 0;
  }
  if (p->used == 0) p->flush = false;
  return true;
}

static void run_held(struct mpj_am *am, struct mpj_am_peer *p)
{
  for (unsigned i = 0; i < MPJ_AM_WINDOW; i++) {
    if (p->in && am->look_at_held) mpj_am_run_held(&p->in[i].message);
    if (p->out && am->look_at_held) mpj_am_run_held(&p->out[i].message);
  }
}

/* What this rank has posted to itself. */
static bool deliver_own(struct mpj_am *am)
{
  struct mpj_am_post *post = mpj_am_next_queued(&am->peers[am->rank]);
  const bool any = post != NULL;
  for (; post; post = mpj_am_next_queued(&am->peers[am->rank]))
    mpj_am_deliver_to_self(am, post);
  return any;
}

/* Everything that waits, of one peer; *left: something still does. */
static bool advance_peer(struct mpj_am *am, int peer, bool *left)
{
  struct mpj_am_peer *p = &am->peers[peer];
  if (!p->in && !p->out && !p->refused && !p->flush) return false;
  if (am->look_at_held) run_held(am, p);
  bool moved = peer == am->rank ? deliver_own(am) : mpj_am_send_queued(am, peer);
  moved |= mpj_am_begin_pulls(p->in, left);
  moved |= mpj_am_begin_pulls(p->out, left);
  *left |= !send_acks(am, peer) || p->first;
  return moved;
}

/* A rank has gone: whatever it owes will not come. */
static void end_requests(struct mpj_am *am, int peer, const char *how)
{
  struct mpj_am_peer *p = &am->peers[peer];
  p->gone = true;
  p->first = NULL;
  for (unsigned i = 0; i < 2 * MPJ_AM_WINDOW; i++) {
    struct mpj_am_record *records = i < MPJ_AM_WINDOW ? p->out : p->in;
    if (!records) continue;
    struct mpj_am_record *r = &records[i % MPJ_AM_WINDOW];
    if (!r->used && !r->post.active) continue;
    const int status = mpj_error(MPJ_ERR_PEER, "rank %d %s while rank %d had messages for it", peer,
                                 how, am->rank);
    if (r->used && !r->acked) mpj_am_tell(am, r, status);
    r->acked = true;
    if (r->post.active && r->post.exposed &&
        mpj_net_withdraw(am->net, &r->post.remote, true) == MPJ_AM_PENDING)
      continue; /* on its way to another node: dropped when that has ended */
    if (r->post.active)
      mpj_am_drop_post(&r->post, status);
    else if (records == p->out)
      mpj_am_release(am, peer, r);
  }
}

const char *mpj_am_how_gone(const struct mpj_am *am, int rank, char how[MPJ_AM_HOW])
{
  int cause = 0;
  const enum mpj_rank_state state = mpj_net_peer_state(am->net, rank, &cause);
  snprintf(how, MPJ_AM_HOW, "left");
  if (state == MPJ_RANK_DEAD || (cause & MPJ_CAUSE_NEVER_BEGAN))
    mpj_net_cause_text(cause, how, MPJ_AM_HOW);
  return state < MPJ_RANK_FINALIZED && !mpj_net_is_leaving(am->net, rank) ? NULL : how;
}

/* Ranks that have gone, or are leaving. */
static uint32_t changes(const struct mpj_am *am)
{
  return mpj_net_changes(am->net) + am->net->leaves;
}

static void look_at_ranks(struct mpj_am *am)
{
  char how[MPJ_AM_HOW];
  am->changes = changes(am);
  for (int i = 0; i < am->size; i++) {
    if (i == am->rank || am->peers[i].gone || !mpj_am_how_gone(am, i, how)) continue;
    end_requests(am, i, how);
  }
}

bool mpj_am_advance(void *arg)
{
  struct mpj_am *am = arg;
  bool moved = false, left = false;
  if (am->running) return false;
  if (am->attention) {
    am->running = true;
    am->attention = false;
    for (struct mpj_am_peer *p = am->met; p; p = p->next_met)
      moved |= advance_peer(am, mpj_am_peer_rank(am, p), &left);
    am->look_at_held = false;
    am->attention |= left;
    am->running = false;
  }
  return moved;
}

bool mpj_am_notice(struct mpj_am *am)
{
  if (!am->net || changes(am) == am->changes) return false;
  look_at_ranks(am);
  return true;
}

void mpj_am_ask_for_acks(struct mpj_am *am, bool anew)
{
  const struct mpj_am_wire w = {.head = {.kind = MPJ_AM_KIND_FLUSH}};
  for (struct mpj_am_peer *p = am->met; p; p = p->next_met) {
    const int rank = mpj_am_peer_rank(am, p);
    if (anew) p->asked = false;
    if (rank == am->rank || p->gone || p->asked || p->first || p->taken == 0) continue;
    p->asked = mpj_am_send_wire(am, rank, &w, 0) == MPJ_SUCCESS;
  }
}
