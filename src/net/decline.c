/* This file tells owners of data that it is not wanted, again and again where there is no room. */
#include <stddef.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/net.h"

struct mpj_declined {
  struct mpj_declined *next;
  struct mpj_am_remote remote;
  int source;
};

static bool tell(struct mpj_net *net, int source, const struct mpj_am_remote *remote)
{
  return net->transport->ops->pull(net->transport, source, remote, NULL, NULL, NULL, NULL) !=
         MPJ_AM_AGAIN;
}

/* By every poll while there are any; whether one has been told. */
static bool tell_all(void *ctx)
{
  struct mpj_net *net = ctx;
  bool moved = false;
  for (struct mpj_declined **link = &net->declined; *link;) {
    struct mpj_declined *d = *link;
    if (!tell(net, d->source, &d->remote)) {
      link = &d->next;
      continue;
    }
    *link = d->next;
    mpj_free(d);
    moved = true;
  }
  if (!net->declined) mpj_net_also(net, MPJ_ALSO_DECLINES, NULL, NULL);
  return moved;
}

void mpj_net_decline(struct mpj_net *net, int source, const struct mpj_am_remote *remote)
{
  if (tell(net, source, remote)) return;
  struct mpj_declined *d = mpj_alloc(sizeof *d);
  if (!d) {
    mpj_warn("rank %d has no memory to tell rank %d that data is not wanted", net->rank, source);
    return;
  }
  *d = (struct mpj_declined){net->declined, *remote, source};
  net->declined = d;
  mpj_net_also(net, MPJ_ALSO_DECLINES, tell_all, net);
}

void mpj_net_declined_end(struct mpj_net *net)
{
  while (net->declined) {
    struct mpj_declined *d = net->declined;
    net->declined = d->next;
    mpj_free(d);
  }
}
