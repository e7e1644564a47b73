/* This file sends and receives the far transport's messages. */
#include "net/far/far_connect.h"

#include <assert.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"

static const double settle_s = 0.1;

static struct mpj_far *far_of(struct mpj_transport *t)
{
  return (struct mpj_far *)t;
}

static int far_send_short(struct mpj_transport *t, int peer, unsigned handler,
                          struct mpj_am_mark mark, const void *data, unsigned bytes)
{
  unsigned char header[MPJ_AM_SHORT_MAX];
  unsigned at = 0;
  if (mark.rest) {
    memcpy(header, &mark.first, sizeof mark.first);
    memcpy(header + sizeof mark.first, mark.rest, MPJ_AM_MARK - sizeof mark.first);
    at = MPJ_AM_MARK;
  }
  if (bytes > 0) memcpy(header + at, data, bytes);
  struct mpj_far_head head = mpj_far_head_for(far_of(t), peer, MPJ_FAR_SHORT, header, at + bytes);
  head.handler = (uint8_t)handler;
  return mpj_far_post_head(far_of(t), peer, &head, NULL, 0, false);
}

static int far_send_eager(struct mpj_transport *t, int peer, unsigned handler, const void *header,
                          unsigned header_bytes, struct mpj_cursor *payload, MPJ_Count bytes,
                          mpj_am_complete_fn *sent, void *arg)
{
  (void)sent; /* the data has left the layout when this returns */
  (void)arg;
  struct mpj_far *far = far_of(t);
  struct mpj_far_head head = mpj_far_head_for(far, peer, MPJ_FAR_EAGER, header, header_bytes);
  if (!mpj_far_meet(far, peer) || far->peers[peer].tokens == 0) return MPJ_AM_AGAIN;
  head.handler = (uint8_t)handler;
  const int status = mpj_far_post_head(far, peer, &head, payload, bytes, false);
  if (status == MPJ_SUCCESS) far->peers[peer].tokens--;
  return status;
}

/* Receiving */

/* A token of the peer's has come free. */
static void owe_token(struct mpj_far *far, int peer)
{
  far->peers[peer].owed++;
  far->debts = true;
}

static void far_release(struct mpj_transport *t, const struct mpj_am_kept *kept)
{
  struct mpj_far *far = far_of(t);
  far->carrier->ops->release(far->carrier, (void *)(uintptr_t)kept->payload);
  far->peers[kept->source].kept--;
  owe_token(far, kept->source);
}

/* Run the handler; whether the payload is kept. */
static bool dispatch(struct mpj_far *far, int source, const struct mpj_far_head *head,
                     void *payload, size_t bytes)
{
  const bool eager = head->kind == MPJ_FAR_EAGER;
  struct mpj_am_dest dest;
  const struct mpj_am_arrival arrival = {
      .source = source,
      .header = head->body,
      .header_bytes = head->bytes,
      .has_payload = eager,
      .kept = {.source = source, .payload = payload, .bytes = (MPJ_Count)bytes}};
  const enum mpj_am_verdict verdict =
      far->closing ? MPJ_AM_DONE : mpj_net_dispatch(far->head.net, head->handler, &arrival, &dest);
  if (!eager) return false;
  if (verdict == MPJ_AM_KEEP) {
    far->peers[source].kept++;
    return true;
  }
  if (verdict == MPJ_AM_DELIVER) mpj_cursor_unpack(dest.cursor, payload, (MPJ_Count)bytes);
  owe_token(far, source);
  if (verdict == MPJ_AM_DELIVER) dest.complete(dest.arg, MPJ_SUCCESS);
  return false;
}

/* The transport's own messages, of the right length; false: it makes no sense. */
static bool serve_own(struct mpj_far *far, int source, const struct mpj_far_head *head)
{
  union {
    struct mpj_far_request request;
    struct mpj_far_bye bye;
    struct mpj_far_died died;
  } body;
  memcpy(&body, head->body, sizeof body);
  switch ((enum mpj_far_kind)head->kind) {
  case MPJ_FAR_REQUEST:
    mpj_far_on_request(far, source, &body.request);
    return true;
  case MPJ_FAR_GONE:
    mpj_far_on_gone(far, source, &body.request);
    return true;
  case MPJ_FAR_TAKEN:
    mpj_far_on_taken(far, source, &body.request);
    return true;
  case MPJ_FAR_WITHDRAWN:
    mpj_far_on_withdrawn(far, source, &body.request);
    return true;
  case MPJ_FAR_DECLINE:
    mpj_far_on_decline(far, &body.request);
    return true;
  case MPJ_FAR_BYE:
    mpj_far_on_bye(far, source, &body.bye);
    return true;
  case MPJ_FAR_DIED:
    return mpj_far_on_died(far, source, &body.died);
  case MPJ_FAR_BYE_SEEN:
    far->peers[source].bye_seen = true;
    return true;
  default:
    return head->kind == MPJ_FAR_TOKENS;
  }
}

static size_t body_bytes(unsigned kind)
{
  static const uint8_t bytes[MPJ_FAR_KINDS] = {
      [MPJ_FAR_REQUEST] = sizeof(struct mpj_far_request),
      [MPJ_FAR_DATA] = sizeof(struct mpj_far_request),
      [MPJ_FAR_GONE] = sizeof(struct mpj_far_request),
      [MPJ_FAR_TAKEN] = sizeof(struct mpj_far_request),
      [MPJ_FAR_DECLINE] = sizeof(struct mpj_far_request),
      [MPJ_FAR_WITHDRAWN] = sizeof(struct mpj_far_request),
      [MPJ_FAR_BYE] = sizeof(struct mpj_far_bye),
      [MPJ_FAR_DIED] = sizeof(struct mpj_far_died),
  };
  return bytes[kind];
}

/* Copy a head that came; false if it is none, or of a rank that sends nothing here. */
static bool parse(const struct mpj_far *far, int source, struct mpj_far_head *head,
                  const void *came, size_t bytes)
{
  memset(head, 0, sizeof *head);
  if (bytes < MPJ_FAR_FIXED || bytes > sizeof *head) return false;
  memcpy(head, came, bytes);
  if (source < 0 || source >= far->size || !far->peers[source].met) return false;
  if (head->kind >= MPJ_FAR_KINDS || head->bytes != bytes - MPJ_FAR_FIXED) return false;
  return head->kind <= MPJ_FAR_EAGER || head->bytes == body_bytes(head->kind);
}

/* Whether an eager message keeps to what the pair has agreed. */
static bool is_rationed(const struct mpj_far *far, int source, const struct mpj_far_head *head,
                        size_t bytes)
{
  const struct mpj_far_peer *p = &far->peers[source];
  return bytes <= (size_t)far->head.net->eager_bytes && p->kept < (unsigned)far->tokens &&
         head->bytes <= MPJ_AM_EAGER_HEADER_MAX;
}

static void take_tokens(struct mpj_far *far, int source, const struct mpj_far_head *head)
{
  struct mpj_far_peer *p = &far->peers[source];
  p->tokens += head->tokens;
  if (p->tokens > far->tokens) p->tokens = far->tokens;
}

bool mpj_far_receive(struct mpj_far *far, int source, const void *came, size_t head_bytes,
                     void *payload, size_t bytes)
{
  struct mpj_far_head head;
  const bool ours = parse(far, source, &head, came, head_bytes);
  if (ours && mpj_far_is_gone(far, source)) return false;
  if (ours) far->peers[source].heard = true;
  if (ours) take_tokens(far, source, &head);
  if (ours && head.kind == MPJ_FAR_EAGER && is_rationed(far, source, &head, bytes))
    return dispatch(far, source, &head, payload, bytes);
  if (ours && head.kind == MPJ_FAR_SHORT && !payload) return dispatch(far, source, &head, NULL, 0);
  if (!ours || head.kind <= MPJ_FAR_EAGER || payload || !serve_own(far, source, &head))
    mpj_warn("rank %d dropped a malformed message from another node", far->rank);
  return false;
}

bool mpj_far_offer(struct mpj_far *far, int source, const void *came, size_t head_bytes,
                   void *offer, size_t bytes)
{
  struct mpj_far_head head;
  struct mpj_far_request m;
  if (!parse(far, source, &head, came, head_bytes) || head.kind != MPJ_FAR_DATA) return false;
  memcpy(&m, head.body, sizeof m);
  take_tokens(far, source, &head);
  struct mpj_pull *p = mpj_pull_by_id(&far->pulls, m.pull, source);
  if (!p || p->step != MPJ_FAR_WAIT || (MPJ_Count)bytes != mpj_cursor_remaining(p->dst))
    return false; /* of a pull that has ended, or of another length: nothing is written */
  return mpj_far_take(far, p, offer);
}

/* Progress */

/* Give tokens back where half of them are due. */
static bool poll_debts(struct mpj_far *far)
{
  const unsigned due = far->tokens > 1 ? (unsigned)far->tokens / 2 : 1;
  bool moved = false;
  if (!far->debts) return false;
  far->debts = false;
  for (const struct mpj_far_peer *p = far->known; p; p = p->next) {
    if (p->owed < due || mpj_far_is_gone(far, p->rank)) continue;
    if (mpj_far_post(far, p->rank, MPJ_FAR_TOKENS, NULL, 0, true) == MPJ_SUCCESS)
      moved = true;
    else
      far->debts = true;
  }
  return moved;
}

static bool settle(struct mpj_far *far)
{
  if (far->sent) far->carrier->ops->flush(far->carrier, settle_s);
  far->sent = false;
  return false;
}

static bool far_poll(struct mpj_transport *t, int from)
{
  struct mpj_far *far = far_of(t);
  if (from == MPJ_NET_LEAVING) return settle(far);
  bool moved = far->carrier->ops->poll(far->carrier);
  moved |= poll_debts(far);
  if (far->pulls.active > 0 || far->active_serves > 0 || far->late) moved |= mpj_far_poll_long(far);
  if (far->nlost > 0) moved |= mpj_far_poll_lost(far);
  return moved;
}

static const struct mpj_transport_ops far_ops = {.name = "far",
                                                 .send_short = far_send_short,
                                                 .send_eager = far_send_eager,
                                                 .pull = mpj_far_pull,
                                                 .release = far_release,
                                                 .poll = far_poll,
                                                 .peer_state = mpj_far_peer_state,
                                                 .close = mpj_far_close};

/* Beginning */

int mpj_far_open(struct mpj_carrier *carrier, int rank, int size, struct mpj_far **far)
{
  struct mpj_far *f = mpj_alloc_array(1, sizeof *f);
  if (!f) goto close_carrier;
  f->nserves = (unsigned)size * MPJ_PULLS_PER_SOURCE;
  f->peers = mpj_alloc_table((size_t)size, sizeof *f->peers);
  f->serves = mpj_alloc_table(f->nserves, sizeof *f->serves);
  if (!f->peers || !f->serves) goto free_far;
  f->head.ops = &far_ops;
  f->carrier = carrier;
  f->rank = rank;
  f->size = size;
  mpj_far_pulls_begin(f);
  f->tokens = (int)mpj_config()->eager_tokens;
  carrier->far = f;
  *far = f;
  return MPJ_SUCCESS;

free_far:
  mpj_free_table(f->serves, f->nserves, sizeof *f->serves);
  mpj_free_table(f->peers, (size_t)size, sizeof *f->peers);
  mpj_free(f);
close_carrier:
  carrier->ops->close(carrier);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint to %d ranks", rank, size);
}

int mpj_far_trust(struct mpj_far *far, const unsigned char *secret)
{
  const struct mpj_carrier_ops *ops = far->carrier->ops;
  return ops->trust ? ops->trust(far->carrier, secret) : MPJ_SUCCESS;
}

void mpj_far_begin(struct mpj_far *far, struct mpj_net *net, struct mpj_cells *home)
{
  far->head.net = net;
  far->home = home;
  net->connections = &far->connections;
}
