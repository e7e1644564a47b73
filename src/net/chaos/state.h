/* This header declares chaos's own state, and the dice that its files share. */
#ifndef MPJ_SRC_NET_CHAOS_STATE_H
#define MPJ_SRC_NET_CHAOS_STATE_H

#include "net/chaos/plan.h"
#include "net/net.h"

enum { MPJ_CHAOS_HELD = 32, MPJ_CHAOS_TRANSFERS = 320 };

/* A message that is held back. */
struct mpj_chaos_held {
  unsigned handler;
  uint64_t due; /* at this poll */
  struct mpj_am_arrival arrival;
  unsigned char header[MPJ_AM_SHORT_MAX];
};

/* Those of one sender, in order. */
struct mpj_chaos_line {
  struct mpj_chaos_held *held; /* [MPJ_CHAOS_HELD], owned; NULL until one is */
  unsigned first, n;
};

/* A pull, or an exposure, whose end is to pass through here. */
enum mpj_chaos_transfer_state { MPJ_CHAOS_FREE, MPJ_CHAOS_OPEN, MPJ_CHAOS_ENDED };
struct mpj_chaos_transfer {
  enum mpj_chaos_transfer_state state;
  uint64_t id;  /* of an exposure; 0: a pull */
  uint64_t due; /* MPJ_CHAOS_ENDED: told at this poll */
  mpj_am_complete_fn *complete;
  void *arg;
  struct mpj_chaos *chaos;
};

struct mpj_chaos_relay {
  struct mpj_chaos *chaos;
  unsigned handler;
};

struct mpj_chaos {
  struct mpj_transport head; /* first */
  struct mpj_net net;
  struct mpj_net *inner; /* owned */
  struct mpj_chaos_plan plan;
  uint64_t polls, death;        /* so far; the one that kills, or 0 */
  unsigned waiting;             /* messages and ends that are held back */
  struct mpj_chaos_line *lines; /* [size] */
  struct mpj_chaos_transfer transfers[MPJ_CHAOS_TRANSFERS];
  struct mpj_chaos_relay relays[MPJ_AM_HANDLERS];
};

static inline struct mpj_chaos *mpj_chaos_of(struct mpj_transport *t)
{
  return (struct mpj_chaos *)t;
}

/* Whether this call is to find no room. */
static inline bool mpj_chaos_refuses(struct mpj_transport *t)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  return mpj_chaos_strikes(&c->plan, c->plan.again);
}

/* The poll at which something that comes now is due: this one, or a later one. */
static inline uint64_t mpj_chaos_due(struct mpj_chaos *c)
{
  if (!mpj_chaos_strikes(&c->plan, c->plan.delay)) return c->polls;
  return c->polls + (uint64_t)mpj_chaos_draw(&c->plan, c->plan.polls);
}

/* transfers.c: entries of the ops table, and the ends that are due at this poll. */
int mpj_chaos_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote);
int mpj_chaos_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known);
int mpj_chaos_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                   struct mpj_cursor *dst, const struct mpj_pull_how *how,
                   mpj_am_complete_fn *complete, void *arg);
void mpj_chaos_tell_ends(struct mpj_chaos *c);

#endif
