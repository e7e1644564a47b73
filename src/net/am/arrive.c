/* This file deals with users' active messages that have come. */
#include <stdio.h>
#include <string.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/am/wire.h"
#include "types/introspect/letters.h"

static void run_complete(struct mpj_am_message *m, int status)
{
  struct mpj_am *am = m->am;
  const bool is_ours = m->handler >= MPJ_AM_HANDLERS_MAX;
  const struct mpj_am_handler *h = is_ours ? NULL : &am->handlers[m->handler];
  const bool before = am->in_handler;
  struct mpj_am_message *const outer = am->current;
  am->current = m;
  m->state = MPJ_AM_MESSAGE_DONE;
  m->hands++;
  am->in_handler = true;
  const struct mpj_entry entered = mpj_entry_suspend();
  if (is_ours)
    am->of_regions->complete(m, status);
  else if (h->on_complete)
    h->on_complete(h->ctx, m, &m->info, status);
  mpj_entry_resume(&entered);
  am->in_handler = before;
  am->current = outer;
  m->hands--;
}

/* The sender of a request is to hear that it failed here. */
void mpj_am_refuse(struct mpj_am *am, int peer, unsigned number, int code)
{
  struct mpj_am_peer *p = &am->peers[peer];
  p->refused |= UINT32_C(1) << number;
  p->refusal[number] = (uint8_t)code;
  am->attention = true;
}

/* All is over with the message but what its handlers still do. */
static void complete(struct mpj_am_message *m, int status)
{
  mpj_am_let_go(&m->target);
  run_complete(m, status);
  if (status != MPJ_SUCCESS && status != MPJ_ERR_PEER && !m->reply)
    mpj_am_refuse(m->am, m->info.source, m->number, status);
  mpj_free(m->scratch);
  m->scratch = NULL;
  if (status != MPJ_SUCCESS && m->reply && m->handler < MPJ_AM_HANDLERS_MAX)
    mpj_am_note_error(m->am, status);
  if (m->reply)
    mpj_am_release(m->am, m->info.source, mpj_am_record_of(m));
  else
    mpj_am_retire(m->am, m->info.source, mpj_am_record_of(m));
}

/* The payload is not wanted, for status, or because it is in place. */
void mpj_am_leave(struct mpj_am_message *m, int status)
{
  struct mpj_am_post *self = m->self;
  m->status = status;
  mpj_error_drop();               /* the message's, whose sender and handlers hear of it */
  if (m->where == MPJ_AM_THERE) { /* told by the next progress */
    m->state = MPJ_AM_MESSAGE_PULL;
    m->am->attention = true;
    return;
  }
  if (m->where == MPJ_AM_SLOT && m->slot_kept) mpj_net_release(m->am->net, &m->kept);
  m->where = MPJ_AM_NOWHERE;
  m->self = NULL;
  complete(m, status);
  if (self) mpj_am_drop_post(self, MPJ_SUCCESS);
}

static int unpack(struct mpj_am_message *m, struct mpj_cursor *to)
{
  struct mpj_cursor from;
  if (m->where == MPJ_AM_HERE) {
    mpj_cursor_unpack(to, m->small, m->info.bytes);
  } else if (m->where == MPJ_AM_SLOT) {
    mpj_cursor_unpack(to, m->kept.payload, m->info.bytes);
  } else {
    const int status = mpj_cursor_begin(&from, &m->self->data.view, m->self->data.buf);
    if (status != MPJ_SUCCESS) return status;
    mpj_cursor_copy(to, &from, m->info.bytes);
    mpj_cursor_end(&from);
  }
  return MPJ_SUCCESS;
}

static int mismatch(const struct mpj_am_message *m, const struct mpj_am_data *target)
{
  struct mpj_letters wanted = {.times = 1}, sent;
  char sends[MPJ_LETTERS_SUBJECT], describes[MPJ_LETTERS_SUBJECT], text[MPJ_LETTERS_TEXT];
  if (target->view.layout) mpj_letters_of_view(&target->view, &wanted);
  mpj_letters_guess(m->info.bytes, m->digest, &wanted, &sent);
  snprintf(sends, sizeof sends, "message for handler %d: rank %d sent", m->handler, m->info.source);
  snprintf(describes, sizeof describes, "target's type on rank %d describes", m->am->rank);
  mpj_letters_compare(sends, &sent, describes, &wanted, text, sizeof text);
  return mpj_error(MPJ_ERR_SIGNATURE, "%s", text);
}

void mpj_am_take(struct mpj_am_message *m, const struct mpj_am_data *target, uint64_t digest)
{
  struct mpj_cursor to;
  if (m->info.bytes == 0 && mpj_am_bytes(target) == 0) {
    mpj_am_leave(m, MPJ_SUCCESS);
    return;
  }
  if (digest != m->digest || mpj_am_bytes(target) != m->info.bytes) {
    mpj_am_leave(m, mismatch(m, target));
    return;
  }
  if (m->where == MPJ_AM_THERE) {
    mpj_am_hold(&m->target, target);
    m->state = MPJ_AM_MESSAGE_PULL;
    m->am->attention = true;
    return;
  }
  int status = mpj_cursor_begin(&to, &target->view, target->buf);
  if (status == MPJ_SUCCESS) {
    status = unpack(m, &to);
    mpj_cursor_end(&to);
  }
  mpj_am_leave(m, status);
}

/* The payload goes where the header handler has said. */
static void take_target(struct mpj_am_message *m, const MPJ_Am_target *target)
{
  struct mpj_am_data data;
  uint64_t digest;
  int status = mpj_am_data_of(target->buf, target->type, &data, &digest);
  if (status == MPJ_SUCCESS && !data.view.layout && m->info.bytes > 0)
    status = mpj_error(MPJ_ERR_TYPE, "target of a message for handler %d has no type", m->handler);
  if (status == MPJ_SUCCESS)
    mpj_am_take(m, &data, digest);
  else
    mpj_am_leave(m, status);
}

static void run_header(struct mpj_am_message *m)
{
  struct mpj_am *am = m->am;
  const struct mpj_am_handler *h = &am->handlers[m->handler];
  MPJ_Am_target target = {NULL, MPJ_DATATYPE_NULL};
  int verdict = MPJ_AM_DROP_PAYLOAD;
  const bool before = am->in_handler;
  struct mpj_am_message *const outer = am->current;
  am->current = m;
  m->state = MPJ_AM_MESSAGE_RUN;
  m->version = h->version;
  am->in_handler = true;
  m->hands++;
  const struct mpj_entry entered = mpj_entry_suspend();
  if (h->on_header) verdict = h->on_header(h->ctx, m, &m->info, &target);
  mpj_entry_resume(&entered);
  m->hands--;
  am->in_handler = before;
  am->current = outer;
  m->state = MPJ_AM_MESSAGE_LATER;
  if (verdict == MPJ_AM_LATER) return;
  if (verdict == MPJ_AM_TAKE)
    take_target(m, &target);
  else if (verdict == MPJ_AM_DROP_PAYLOAD)
    mpj_am_leave(m, MPJ_SUCCESS);
  else
    mpj_am_leave(m, mpj_error(MPJ_ERR_ARG, "the header handler of handler %d returned %d",
                              m->handler, verdict));
}

/* Whether the message waits with its payload in the slot. */
static bool keeps_slot(struct mpj_am_message *m)
{
  return m->where == MPJ_AM_SLOT &&
         (m->state == MPJ_AM_MESSAGE_HELD || m->state == MPJ_AM_MESSAGE_LATER);
}

static void run_message(struct mpj_am_message *m)
{
  if (m->handler >= MPJ_AM_HANDLERS_MAX) {
    m->state = MPJ_AM_MESSAGE_LATER;
    m->am->of_regions->header(m);
    return;
  }
  if (m->am->handlers[m->handler].registered) {
    run_header(m);
    return;
  }
  m->state = MPJ_AM_MESSAGE_HELD;
}

void mpj_am_run_held(struct mpj_am_message *m)
{
  if (m->state == MPJ_AM_MESSAGE_HELD && m->am->handlers[m->handler].registered) run_header(m);
}

void mpj_am_deliver_to_self(struct mpj_am *am, struct mpj_am_post *post)
{
  struct mpj_am_peer *p = &am->peers[am->rank];
  struct mpj_am_record *records = post->reply ? p->out : mpj_am_records(&p->in);
  if (!records) {
    mpj_error(MPJ_ERR_NO_MEM, "no memory for messages of rank %d to itself", am->rank);
    mpj_am_refuse(am, am->rank, post->number, MPJ_ERR_NO_MEM);
    mpj_am_drop_post(post, MPJ_ERR_NO_MEM);
    return;
  }
  struct mpj_am_message *m = &records[post->number].message;
  if (!post->reply) p->used |= UINT32_C(1) << post->number;
  const bool empty = post->bytes == 0;
  *m = (struct mpj_am_message){.where = empty ? MPJ_AM_NOWHERE : MPJ_AM_SELF,
                               .reply = post->reply,
                               .handler = post->handler,
                               .number = post->number,
                               .self = empty ? NULL : post,
                               .digest = post->digest,
                               .am = am};
  memcpy(m->header, post->header, post->header_bytes);
  m->info = (MPJ_Am_info){am->rank, post->header_bytes, m->header, post->bytes};
  if (empty) mpj_am_drop_post(post, MPJ_SUCCESS);
  run_message(m);
}

/* Pulls */

static void on_pulled(void *arg, int status)
{
  struct mpj_am_message *m = arg;
  mpj_cursor_end(&m->cursor);
  m->where = MPJ_AM_NOWHERE;
  complete(m, status);
}

/* One step with a message whose data is elsewhere; whether it moved. */
static bool begin_pull(struct mpj_am_message *m)
{
  struct mpj_net *net = m->am->net;
  const int source = m->info.source;
  if (!m->target.view.layout) {
    mpj_net_decline(net, source, &m->remote);
    m->where = MPJ_AM_NOWHERE;
    complete(m, m->status);
    return true;
  }
  int status = mpj_cursor_begin(&m->cursor, &m->target.view, m->target.buf);
  if (status != MPJ_SUCCESS) {
    mpj_am_let_go(&m->target); /* decline it in the next round */
    m->status = status;
    return true;
  }
  m->state = MPJ_AM_MESSAGE_PULLING;
  status = mpj_net_pull(net, source, &m->remote, &m->cursor, NULL, on_pulled, m);
  if (status == MPJ_AM_AGAIN) {
    mpj_cursor_end(&m->cursor);
    m->state = MPJ_AM_MESSAGE_PULL;
    return false;
  }
  if (status != MPJ_AM_PENDING) on_pulled(m, status);
  return true;
}

/* *left: some could not be begun. */
bool mpj_am_begin_pulls(struct mpj_am_record *records, bool *left)
{
  bool moved = false;
  for (unsigned i = 0; records && i < MPJ_AM_WINDOW; i++) {
    struct mpj_am_message *m = &records[i].message;
    if (m->state != MPJ_AM_MESSAGE_PULL) continue;
    moved |= begin_pull(m);
    *left |= m->state == MPJ_AM_MESSAGE_PULL;
  }
  return moved;
}

/* What comes from the layer below */

static void on_ack(struct mpj_am *am, int peer, uint32_t numbers)
{
  struct mpj_am_record *out = am->peers[peer].out;
  for (; out && numbers != 0; numbers &= numbers - 1) {
    struct mpj_am_record *r = &out[__builtin_ctz(numbers)];
    if (!r->used) continue;
    r->acked = true;
    mpj_am_release(am, peer, r);
  }
}

void mpj_am_on_refusal(struct mpj_am *am, int peer, unsigned number, int code)
{
  struct mpj_am_record *out = am->peers[peer].out;
  if (number >= MPJ_AM_WINDOW || !out || !out[number].used || out[number].acked) return;
  struct mpj_am_record *r = &out[number];
  if (r->post.handler >= MPJ_AM_HANDLERS_MAX)
    mpj_error(code, "rank %d refused a %s: %s", peer, r->post.handler == MPJ_AM_PUT ? "put" : "get",
              MPJ_Error_string(code));
  else
    mpj_error(code, "rank %d refused a message for handler %d: %s", peer, r->post.handler,
              MPJ_Error_string(code));
  mpj_am_tell(am, r, code);
  r->acked = true;
  mpj_am_release(am, peer, r);
}

/* Header and payload of a message by its kind; false if it makes no sense. */
static bool parse(struct mpj_am *am, struct mpj_am_message *m, const struct mpj_am_arrival *a,
                  const struct mpj_am_wire *w)
{
  const size_t data = a->header_bytes - sizeof w->head, header = w->head.header_bytes;
  struct mpj_am_peer *p = &am->peers[a->source];
  struct mpj_am_advert advert;
  m->info = (MPJ_Am_info){a->source, (int)header, m->header, 0};
  if (header > MPJ_AM_HEADER_MAX || w->head.handler >= MPJ_AM_HANDLERS_ALL) return false;
  switch (w->head.kind & ~MPJ_AM_KIND_REPLY) {
  case MPJ_AM_KIND_INLINE:
    if (a->has_payload || header > data) return false;
    memcpy(m->header, w->data, header);
    memcpy(m->small, w->data + header, data - header);
    m->info.bytes = (MPJ_Count)(data - header);
    m->where = MPJ_AM_HERE;
    return true;
  case MPJ_AM_KIND_EAGER:
    if (!a->has_payload || header != data) return false;
    memcpy(m->header, w->data, header);
    m->kept = a->kept;
    m->info.bytes = a->kept.bytes;
    m->where = MPJ_AM_SLOT;
    return true;
  default:
    if (a->has_payload || data < sizeof advert) return false;
    memcpy(&advert, w->data, sizeof advert);
    if (header > MPJ_AM_ADVERT_HEADER ? p->prefix_bytes != header : data != sizeof advert + header)
      return false;
    memcpy(m->header, header > MPJ_AM_ADVERT_HEADER ? p->prefix : w->data + sizeof advert, header);
    m->remote = advert.remote;
    m->info.bytes = advert.bytes;
    m->where = MPJ_AM_THERE;
    return advert.bytes > 0;
  }
}

/* Drop a message; its data, if it is elsewhere, is not wanted. */
static void turn_away(struct mpj_am *am, int source, const struct mpj_am_message *m)
{
  if (m->where == MPJ_AM_THERE) mpj_net_decline(am->net, source, &m->remote);
}

static enum mpj_am_verdict on_payload(struct mpj_am *am, const struct mpj_am_arrival *a,
                                      const struct mpj_am_wire *w)
{
  struct mpj_am_peer *p = &am->peers[a->source];
  const bool reply = w->head.kind & MPJ_AM_KIND_REPLY;
  const unsigned number = w->head.number;
  struct mpj_am_message fresh = {.reply = reply,
                                 .handler = w->head.handler,
                                 .number = w->head.number,
                                 .digest = w->head.digest,
                                 .am = am};
  struct mpj_am_record *records = reply ? p->out : mpj_am_records(&p->in);
  bool sound = number < MPJ_AM_WINDOW && parse(am, &fresh, a, w);
  if (sound && reply)
    sound = records && records[number].used && records[number].message.state == MPJ_AM_MESSAGE_NONE;
  else if (sound)
    sound = ((p->used | p->done) >> number & 1) == 0;
  if (!sound) {
    mpj_warn("rank %d dropped a malformed active message from rank %d", am->rank, a->source);
    return MPJ_AM_DONE;
  }
  if (!records) {
    mpj_error(MPJ_ERR_NO_MEM, "no memory for messages from rank %d", a->source);
    turn_away(am, a->source, &fresh);
    mpj_am_refuse(am, a->source, number, MPJ_ERR_NO_MEM);
    return MPJ_AM_DONE;
  }
  struct mpj_am_message *m = &records[number].message;
  *m = fresh;
  m->info.header = m->header;
  if (!reply) p->used |= UINT32_C(1) << number;
  run_message(m);
  m->slot_kept = keeps_slot(m);
  return m->slot_kept ? MPJ_AM_KEEP : MPJ_AM_DONE;
}

enum mpj_am_verdict mpj_am_on_message(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  (void)dest;
  struct mpj_am *am = ctx;
  struct mpj_am_wire w = {.head = {.kind = 0}};
  if (arrival->header_bytes < sizeof w.head || arrival->header_bytes > sizeof w) return MPJ_AM_DONE;
  memcpy(&w, arrival->header, arrival->header_bytes);
  struct mpj_am_peer *p = mpj_am_meet(am, arrival->source);
  switch (w.head.kind) {
  case MPJ_AM_KIND_PREFIX:
    p->prefix_bytes = (uint8_t)(arrival->header_bytes - sizeof w.head);
    if (p->prefix_bytes > MPJ_AM_HEADER_MAX) p->prefix_bytes = MPJ_AM_HEADER_MAX;
    memcpy(p->prefix, w.data, p->prefix_bytes);
    return MPJ_AM_DONE;
  case MPJ_AM_KIND_ACK:
    on_ack(am, arrival->source, w.head.detail);
    return MPJ_AM_DONE;
  case MPJ_AM_KIND_REFUSED:
    if (w.head.detail > 0 && w.head.detail <= MPJ_ERR_INTERNAL)
      mpj_am_on_refusal(am, arrival->source, w.head.number, (int)w.head.detail);
    return MPJ_AM_DONE;
  case MPJ_AM_KIND_FLUSH:
    p->flush = am->attention = true;
    return MPJ_AM_DONE;
  default:
    if ((w.head.kind & ~MPJ_AM_KIND_REPLY) <= MPJ_AM_KIND_ADVERT)
      return on_payload(am, arrival, &w);
    return MPJ_AM_DONE;
  }
}
