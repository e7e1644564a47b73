/* This file keeps the table of message handlers and runs them, and tells owners of data that it is
 * not wanted, again and again where there is no room. */
#include "net/net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/machine/pages.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "net/boot/launch.h"

void mpj_net_register(struct mpj_net *net, unsigned handler, mpj_am_header_fn *fn, void *ctx)
{
  net->handler[handler].fn = fn;
  net->handler[handler].ctx = ctx;
}

void mpj_net_also(struct mpj_net *net, enum mpj_also which, bool (*also)(void *ctx), void *ctx)
{
  net->also[which].fn = also;
  net->also[which].ctx = ctx;
  net->does_more = false;
  for (unsigned i = 0; i < MPJ_ALSO_ALL; i++)
    if (net->also[i].fn) net->does_more = true;
}

bool mpj_net_do_more(struct mpj_net *net)
{
  bool moved = false;
  for (unsigned i = 0; i < MPJ_ALSO_ALL; i++)
    if (net->also[i].fn) moved |= net->also[i].fn(net->also[i].ctx);
  return moved;
}

void mpj_net_elsewhere(struct mpj_net *net, void (*fn)(void *ctx), void *ctx)
{
  net->elsewhere.fn = fn;
  net->elsewhere.ctx = ctx;
}

void mpj_net_elsewhere_often(struct mpj_net *net, unsigned looks)
{
  net->elsewhere.looks = looks;
}

/* News is a few looks away, mostly, and the clock takes as long as one. */
void mpj_net_look_elsewhere(struct mpj_net *net, unsigned idle)
{
  enum { SHORT_WAIT = 64 };
  if (net->elsewhere.looks > 0) {
    if (idle % net->elsewhere.looks == net->elsewhere.looks - 1)
      net->elsewhere.fn(net->elsewhere.ctx);
    return;
  }
  if (idle < SHORT_WAIT) return;
  const int64_t now = mpj_clock_ns();
  if (now < net->elsewhere.due) return;
  net->elsewhere.fn(net->elsewhere.ctx);
  net->elsewhere.due = mpj_clock_ns() + MPJ_NET_ELSEWHERE_NS;
}

static void add_ways(struct mpj_net *net, bool near, char *text, size_t size)
{
  for (int peer = 0; peer < net->size; peer++) {
    const size_t used = strlen(text);
    if (peer == net->rank || mpj_net_same_node(net, peer, net->rank) != near) continue;
    if (strstr(text, mpj_net_way(net, peer))) continue;
    snprintf(text + used, size - used, "%s%s", used > 0 ? "+" : "", mpj_net_way(net, peer));
  }
}

void mpj_net_ways(struct mpj_net *net, char *text, size_t size)
{
  text[0] = 0;
  add_ways(net, true, text, size);
  add_ways(net, false, text, size);
}

enum mpj_am_verdict mpj_net_dispatch(struct mpj_net *net, unsigned handler,
                                     const struct mpj_am_arrival *arrival, struct mpj_am_dest *dest)
{
  if (handler >= MPJ_AM_HANDLERS || !net->handler[handler].fn) {
    mpj_warn("rank %d dropped a message from rank %d for handler %u, which does not exist",
             net->rank, arrival->source, handler);
    return MPJ_AM_DONE;
  }
  if (!net->watch) return net->handler[handler].fn(net->handler[handler].ctx, arrival, dest);
  const int64_t begun = mpj_clock_ns();
  const int source = arrival->source;
  const MPJ_Count bytes = arrival->header_bytes + (arrival->has_payload ? arrival->kept.bytes : 0);
  const enum mpj_am_verdict verdict =
      net->handler[handler].fn(net->handler[handler].ctx, arrival, dest);
  mpj_watch_note(net->watch, MPJ_WATCH_RECEIVE, source, handler, bytes, MPJ_SUCCESS, begun);
  return verdict;
}

/* Declines */

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

static void forget_declined(struct mpj_net *net)
{
  while (net->declined) {
    struct mpj_declined *d = net->declined;
    net->declined = d->next;
    mpj_free(d);
  }
}

/* Memory, and the end */

int mpj_net_alloc(struct mpj_net *net, size_t bytes, struct mpj_net_block *block)
{
  const struct mpj_transport_ops *ops = net ? net->transport->ops : NULL;
  if (ops && ops->share && ops->share(net->transport, bytes, block) == MPJ_SUCCESS)
    return MPJ_SUCCESS;
  void *base = mpj_pages_map(-1, bytes);
  if (!base)
    return mpj_error(MPJ_ERR_NO_MEM, "bytes is %zu, and there is no such memory: %s", bytes,
                     strerror(errno));
  *block = (struct mpj_net_block){base, bytes, -1};
  return MPJ_SUCCESS;
}

void mpj_net_free(struct mpj_net *net, struct mpj_net_block *block)
{
  if (block->shared >= 0) net->transport->ops->share(net->transport, 0, block);
  munmap(block->base, block->bytes);
}

void mpj_net_close(struct mpj_net *net, enum mpj_rank_state state, int cause)
{
  struct mpj_launch *launch = net->launch;
  forget_declined(net);
  mpj_free(net->node_of);
  mpj_free(net->rules);
  net->transport->ops->close(net->transport, state, cause);
  if (launch) mpj_launch_end(launch);
}

void mpj_net_cause_text(int cause, char *text, size_t size)
{
  if (cause == MPJ_CAUSE_RETURNED)
    snprintf(text, size, "was not begun, as its thread could not be started");
  else if (cause & MPJ_CAUSE_RETURNED)
    snprintf(text, size, "returned %d", (int)((uint32_t)cause << 2) >> 2); /* keeps the sign */
  else if (cause == (MPJ_CAUSE_LOST | ESRCH))
    snprintf(text, size, "ended without MPJ_Finalize");
  else if (cause & MPJ_CAUSE_NEVER_BEGAN)
    snprintf(text, size, "exited without calling MPJ_Init successfully");
  else if (cause & MPJ_CAUSE_LOST)
    snprintf(text, size, "was lost (%s)", strerror(cause & ~MPJ_CAUSE_LOST));
  else if (WIFSIGNALED(cause))
    snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(cause),
             strsignal(WTERMSIG(cause)));
  else if (WEXITSTATUS(cause) != 0)
    snprintf(text, size, "exited with code %d", WEXITSTATUS(cause));
  else
    snprintf(text, size, "exited without MPJ_Finalize");
}
