/* This file passes long data on, and tells of its end later than it came. */
#include "base/status.h"
#include "net/chaos/state.h"

static struct mpj_chaos_transfer *begin_transfer(struct mpj_chaos *c, mpj_am_complete_fn *complete,
                                                 void *arg)
{
  for (unsigned i = 0; i < MPJ_CHAOS_TRANSFERS; i++) {
    struct mpj_chaos_transfer *x = &c->transfers[i];
    if (x->state != MPJ_CHAOS_FREE) continue;
    *x = (struct mpj_chaos_transfer){
        .state = MPJ_CHAOS_OPEN, .complete = complete, .arg = arg, .chaos = c};
    return x;
  }
  return NULL;
}

/* The end of a transfer. That of one which failed is told at once, with its reason. */
static void end_transfer(void *arg, int status)
{
  struct mpj_chaos_transfer *x = arg;
  x->due = mpj_chaos_due(x->chaos);
  if (status == MPJ_SUCCESS && x->due > x->chaos->polls) {
    x->state = MPJ_CHAOS_ENDED;
    x->chaos->waiting++;
    return;
  }
  x->state = MPJ_CHAOS_FREE;
  x->complete(x->arg, status);
}

int mpj_chaos_expose(struct mpj_transport *t, const struct mpj_view *view, void *base,
                     unsigned pulls, mpj_am_complete_fn *sent, void *arg,
                     struct mpj_am_remote *remote)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  struct mpj_chaos_transfer *x = mpj_chaos_refuses(t) ? NULL : begin_transfer(c, sent, arg);
  if (!x) return MPJ_AM_AGAIN;
  const int status = mpj_net_expose(c->inner, view, base, pulls, end_transfer, x, remote);
  if (status == MPJ_SUCCESS)
    x->id = remote->id;
  else
    x->state = MPJ_CHAOS_FREE;
  return status;
}

static struct mpj_chaos_transfer *exposed_as(struct mpj_chaos *c, uint64_t id)
{
  for (unsigned i = 0; i < MPJ_CHAOS_TRANSFERS; i++)
    if (c->transfers[i].state != MPJ_CHAOS_FREE && c->transfers[i].id == id)
      return &c->transfers[i];
  return NULL;
}

int mpj_chaos_withdraw(struct mpj_transport *t, const struct mpj_am_remote *remote, bool known)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  struct mpj_chaos_transfer *x = exposed_as(c, remote->id);
  const bool ended = x && x->state == MPJ_CHAOS_ENDED;
  const int status = ended ? MPJ_SUCCESS : mpj_net_withdraw(c->inner, remote, known);
  if (ended) c->waiting--;
  if (x && status == MPJ_SUCCESS) x->state = MPJ_CHAOS_FREE;
  return status;
}

int mpj_chaos_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                   struct mpj_cursor *dst, const struct mpj_pull_how *how,
                   mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_chaos *c = mpj_chaos_of(t);
  if (!dst) {
    if (mpj_chaos_refuses(t)) return MPJ_AM_AGAIN;
    mpj_net_decline(c->inner, source, remote);
    return MPJ_SUCCESS;
  }
  struct mpj_chaos_transfer *x = mpj_chaos_refuses(t) ? NULL : begin_transfer(c, complete, arg);
  if (!x) return MPJ_AM_AGAIN;
  const int status = mpj_net_pull(c->inner, source, remote, dst, how, end_transfer, x);
  t->mover = c->inner->transport->mover;
  if (status == MPJ_AM_PENDING) return status;
  x->due = mpj_chaos_due(c);
  const bool later = status == MPJ_SUCCESS && x->due > c->polls;
  x->state = later ? MPJ_CHAOS_ENDED : MPJ_CHAOS_FREE;
  c->waiting += later;
  return later ? MPJ_AM_PENDING : status;
}

void mpj_chaos_tell_ends(struct mpj_chaos *c)
{
  for (unsigned i = 0; i < MPJ_CHAOS_TRANSFERS; i++) {
    struct mpj_chaos_transfer *x = &c->transfers[i];
    if (x->state != MPJ_CHAOS_ENDED || x->due > c->polls) continue;
    x->state = MPJ_CHAOS_FREE;
    c->waiting--;
    x->complete(x->arg, MPJ_SUCCESS);
  }
}
