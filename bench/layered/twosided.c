/* This file implements the two-sided layer: matching by source and tag, in the
 * order of posting and of arrival. */
#include "layered/twosided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/basic.h"
#include "types/layout/intern.h"

enum { HANDLER = MPJ_AM_COLLECTIVE + 1 };

struct envelope {
  int32_t tag;
  uint32_t bytes;
};
enum { INLINE_MOST = MPJ_AM_SHORT_MAX - sizeof(struct envelope) };

/* An arrival that nobody has asked for yet, with a copy of its data. */
struct unexpected {
  struct unexpected *next;
  int source, tag;
  size_t bytes;
  unsigned char data[TWOSIDED_BYTES_MOST];
};

static struct mpj_net *net;
static struct twosided_request *posted;
static struct unexpected *early, *unused;

static struct unexpected *new_unexpected(void)
{
  struct unexpected *u = unused;
  if (u)
    unused = u->next;
  else
    u = malloc(sizeof *u);
  if (u) return u;
  fprintf(stderr, "no memory for a message\n");
  exit(1);
}

/* Take the first posted receive that matches, or NULL. */
static struct twosided_request *match_posted(int source, int tag)
{
  for (struct twosided_request **link = &posted; *link; link = &(*link)->next) {
    struct twosided_request *r = *link;
    if (r->source != source || r->tag != tag) continue;
    *link = r->next;
    return r;
  }
  return NULL;
}

static void keep(int source, const struct envelope *e, const void *data)
{
  struct unexpected *u = new_unexpected(), **link = &early;
  u->next = NULL;
  u->source = source;
  u->tag = e->tag;
  u->bytes = e->bytes;
  memcpy(u->data, data, e->bytes);
  while (*link)
    link = &(*link)->next;
  *link = u;
}

static void deliver(struct twosided_request *r, const void *data, size_t bytes)
{
  memcpy(r->data, data, bytes < r->bytes ? bytes : r->bytes);
  r->done = true;
}

static enum mpj_am_verdict on_message(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest)
{
  struct envelope e;
  (void)ctx, (void)dest;
  memcpy(&e, arrival->header, sizeof e);
  const void *data =
      arrival->has_payload ? arrival->kept.payload : (const char *)arrival->header + sizeof e;
  struct twosided_request *r = match_posted(arrival->source, e.tag);
  if (r)
    deliver(r, data, e.bytes);
  else
    keep(arrival->source, &e, data);
  return MPJ_AM_DONE;
}

void twosided_begin(struct mpj_net *endpoint)
{
  net = endpoint;
  mpj_net_register(net, HANDLER, on_message, NULL);
}

void twosided_end(void)
{
  while (unused) {
    struct unexpected *u = unused;
    unused = u->next;
    free(u);
  }
}

/* One turn of waiting. */
static void progress(unsigned *idle)
{
  if (mpj_net_poll(net))
    *idle = 0;
  else
    mpj_net_idle(net, idle);
}

static int send_short(int peer, const struct envelope *e, const void *data)
{
  unsigned char message[MPJ_AM_SHORT_MAX];
  memcpy(message, e, sizeof *e);
  memcpy(message + sizeof *e, data, e->bytes);
  return mpj_net_short(net, peer, HANDLER, message, (unsigned)(sizeof *e + e->bytes));
}

static int send_eager(int peer, const struct envelope *e, const void *data)
{
  const struct mpj_view bytes = {mpj_layout_of_basic(mpj_basic_of_handle(MPJ_BYTE)), e->bytes, 1,
                                 0};
  struct mpj_cursor cursor;
  if (mpj_cursor_begin(&cursor, &bytes, (void *)(uintptr_t)data)) return MPJ_AM_AGAIN;
  const int status = mpj_net_eager(net, peer, HANDLER, e, sizeof *e, &cursor, e->bytes, NULL, NULL);
  mpj_cursor_end(&cursor);
  return status;
}

void twosided_send(int peer, int tag, const void *data, size_t bytes)
{
  const struct envelope e = {tag, (uint32_t)bytes};
  unsigned idle = 0;
  while ((bytes <= INLINE_MOST ? send_short(peer, &e, data) : send_eager(peer, &e, data)) ==
         MPJ_AM_AGAIN)
    progress(&idle);
}

void twosided_post(struct twosided_request *r, int source, int tag, void *data, size_t bytes)
{
  *r = (struct twosided_request){.source = source, .tag = tag, .data = data, .bytes = bytes};
  for (struct unexpected **link = &early; *link; link = &(*link)->next) {
    struct unexpected *u = *link;
    if (u->source != source || u->tag != tag) continue;
    *link = u->next;
    deliver(r, u->data, u->bytes);
    u->next = unused;
    unused = u;
    return;
  }
  struct twosided_request **link = &posted;
  while (*link)
    link = &(*link)->next;
  *link = r;
}

void twosided_wait(struct twosided_request *r)
{
  unsigned idle = 0;
  while (!r->done)
    progress(&idle);
}
