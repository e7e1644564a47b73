/* This file sends users' active messages: small data in the message, middling data
 * eagerly while there are tokens, the rest by an advertisement. */
#include <string.h>

#include "base/entry.h"
#include "base/status.h"
#include "net/am/wire.h"

static struct mpj_am_record *record_of(struct mpj_am_post *post)
{
  return (struct mpj_am_record *)post; /* its first member */
}

/* The post's data has left: tell whoever posted it, and see what that ends. */
void mpj_am_drop_post(struct mpj_am_post *post, int status)
{
  struct mpj_am *am = post->am;
  MPJ_Am_sent_function *sent = post->sent;
  void *arg = post->arg;
  const bool before = am->in_handler;
  post->active = false;
  mpj_am_let_go(&post->data);
  am->in_handler = true;
  const struct mpj_entry entered = mpj_entry_suspend();
  if (sent) sent(arg, status);
  mpj_entry_resume(&entered);
  am->in_handler = before;
  if (post->reply)
    mpj_am_retire(am, post->peer, record_of(post));
  else
    mpj_am_release(am, post->peer, record_of(post));
}

static void on_sent(void *arg, int status)
{
  struct mpj_am_post *post = arg;
  post->exposed = false;
  mpj_am_drop_post(post, status);
}

static struct mpj_am_wire wire_of(const struct mpj_am_post *post, enum mpj_am_kind kind)
{
  struct mpj_am_wire w = {.head = {.kind = (uint8_t)(kind | (post->reply ? MPJ_AM_KIND_REPLY : 0)),
                                   .handler = post->handler,
                                   .number = post->number,
                                   .header_bytes = post->header_bytes,
                                   .digest = post->digest}};
  return w;
}

static int send_inline(struct mpj_am_post *post)
{
  struct mpj_am_wire w = wire_of(post, MPJ_AM_KIND_INLINE);
  struct mpj_cursor src;
  memcpy(w.data, post->header, post->header_bytes);
  if (post->bytes > 0) {
    const int status = mpj_cursor_begin(&src, &post->data.view, post->data.buf);
    if (status != MPJ_SUCCESS) return status;
    mpj_cursor_pack(&src, w.data + post->header_bytes, post->bytes);
    mpj_cursor_end(&src);
  }
  return mpj_am_send_wire(post->am, post->peer, &w, (size_t)(post->header_bytes + post->bytes));
}

static int send_eager(struct mpj_am_post *post)
{
  struct mpj_am_wire w = wire_of(post, MPJ_AM_KIND_EAGER);
  struct mpj_cursor src;
  memcpy(w.data, post->header, post->header_bytes);
  int status = mpj_cursor_begin(&src, &post->data.view, post->data.buf);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_net_eager(post->am->net, post->peer, MPJ_AM_USERS, &w,
                         (unsigned)(sizeof w.head + post->header_bytes), &src, post->bytes, on_sent,
                         post);
  mpj_cursor_end(&src);
  return status;
}

static int send_prefix(struct mpj_am_post *post)
{
  struct mpj_am_wire w = wire_of(post, MPJ_AM_KIND_PREFIX);
  w.head.kind = MPJ_AM_KIND_PREFIX;
  memcpy(w.data, post->header, post->header_bytes);
  const int status = mpj_am_send_wire(post->am, post->peer, &w, post->header_bytes);
  post->prefixed = status == MPJ_SUCCESS;
  return status;
}

static int send_advert(struct mpj_am_post *post)
{
  struct mpj_am *am = post->am;
  struct mpj_am_wire w = wire_of(post, MPJ_AM_KIND_ADVERT);
  const bool apart = post->header_bytes > MPJ_AM_ADVERT_HEADER;
  int status = MPJ_SUCCESS;
  if (apart && !post->prefixed) status = send_prefix(post);
  if (status == MPJ_SUCCESS && !post->exposed) {
    status =
        mpj_net_expose(am->net, &post->data.view, post->data.buf, 1, on_sent, post, &post->remote);
    post->exposed = status == MPJ_SUCCESS;
  }
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_am_advert advert = {post->bytes, post->remote};
  memcpy(w.data, &advert, sizeof advert);
  if (!apart) memcpy(w.data + sizeof advert, post->header, post->header_bytes);
  status = mpj_am_send_wire(am, post->peer, &w, sizeof advert + (apart ? 0 : post->header_bytes));
  return status == MPJ_SUCCESS ? MPJ_AM_PENDING : status;
}

/* MPJ_SUCCESS: the data has left; PENDING: it will; AGAIN; or an error. */
static int send_post(struct mpj_am_post *post)
{
  if (post->header_bytes + post->bytes <= MPJ_AM_SMALL) return send_inline(post);
  if (post->bytes <= post->am->net->eager_bytes && !post->exposed) {
    const int status = send_eager(post);
    if (status != MPJ_AM_AGAIN) return status;
  }
  return send_advert(post);
}

/* An error of ours: the request ends here, and nobody else hears of it. */
static void fail_post(struct mpj_am_post *post, int status)
{
  struct mpj_am_record *r = record_of(post);
  if (!post->reply) r->acked = true;
  if (post->reply)
    mpj_am_note_error(post->am, status);
  else
    mpj_am_tell(post->am, r, status);
  mpj_am_drop_post(post, status);
}

struct mpj_am_post *mpj_am_next_queued(struct mpj_am_peer *p)
{
  struct mpj_am_post *post = p->first;
  if (!post) return NULL;
  p->first = post->next;
  post->queued = false;
  return post;
}

bool mpj_am_send_queued(struct mpj_am *am, int peer)
{
  struct mpj_am_peer *p = &am->peers[peer];
  bool moved = false;
  while (p->first) {
    const int status = send_post(p->first);
    if (status == MPJ_AM_AGAIN) return moved;
    struct mpj_am_post *post = mpj_am_next_queued(p);
    moved = true;
    if (status == MPJ_SUCCESS)
      mpj_am_drop_post(post, MPJ_SUCCESS);
    else if (status != MPJ_AM_PENDING)
      fail_post(post, status);
  }
  return moved;
}

static void queue_post(struct mpj_am *am, struct mpj_am_post *post)
{
  struct mpj_am_peer *p = &am->peers[post->peer];
  post->next = NULL;
  post->queued = true;
  if (p->first)
    p->last->next = post;
  else
    p->first = post;
  p->last = post;
  am->attention = true;
}

static void fill_post(struct mpj_am_post *post, struct mpj_am *am, int peer, unsigned number,
                      int handler, const void *header, int header_bytes,
                      const struct mpj_am_data *data, uint64_t digest)
{
  *post = (struct mpj_am_post){.active = true,
                               .handler = (uint8_t)handler,
                               .header_bytes = (uint8_t)header_bytes,
                               .number = (uint8_t)number,
                               .peer = peer,
                               .digest = digest,
                               .am = am};
  if (header_bytes > 0) memcpy(post->header, header, (size_t)header_bytes);
  mpj_am_hold(&post->data, data);
  post->bytes = mpj_am_bytes(data);
}

int mpj_am_request(struct mpj_am *am, int dest, int handler, const void *header, int header_bytes,
                   const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                   void *arg, struct mpj_am_outcome *outcome)
{
  struct mpj_am_peer *p = mpj_am_meet(am, dest);
  struct mpj_am_record *records = mpj_am_records(&p->out);
  if (!records) return mpj_error(MPJ_ERR_NO_MEM, "no memory for messages to rank %d", dest);
  if (p->taken == UINT32_MAX) return MPJ_AM_AGAIN;
  const unsigned number = (unsigned)__builtin_ctz(~p->taken);
  struct mpj_am_record *r = &records[number];
  p->taken |= UINT32_C(1) << number;
  am->under_way++;
  r->used = true;
  r->acked = false;
  r->outcome = outcome;
  fill_post(&r->post, am, dest, number, handler, header, header_bytes, data, digest);
  r->post.sent = sent;
  r->post.arg = arg;
  queue_post(am, &r->post);
  if (dest != am->rank) mpj_am_send_queued(am, dest);
  return MPJ_SUCCESS;
}

void mpj_am_answer(struct mpj_am_message *m, int handler, const void *header, int header_bytes,
                   const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *sent,
                   void *arg)
{
  struct mpj_am_post *post = &mpj_am_record_of(m)->post;
  fill_post(post, m->am, m->info.source, m->number, handler, header, header_bytes, data, digest);
  post->reply = true;
  post->sent = sent;
  post->arg = arg;
  m->replied = true;
  queue_post(m->am, post);
}
