/* This file keeps the table of message handlers and runs them. */
#include "net/net.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/status.h"
#include "net/boot/launch.h"

void mpj_net_register(struct mpj_net *net, unsigned handler, mpj_am_header_fn *fn, void *ctx)
{
  net->handler[handler].fn = fn;
  net->handler[handler].ctx = ctx;
}

enum mpj_am_verdict mpj_net_dispatch(struct mpj_net *net, unsigned handler,
                                     const struct mpj_am_arrival *arrival, struct mpj_am_dest *dest)
{
  if (handler >= MPJ_AM_HANDLERS || !net->handler[handler].fn) {
    mpj_warn("rank %d dropped a message from rank %d for handler %u, which does not exist",
             net->rank, arrival->source, handler);
    return MPJ_AM_DONE;
  }
  return net->handler[handler].fn(net->handler[handler].ctx, arrival, dest);
}

void mpj_net_close(struct mpj_net *net, enum mpj_rank_state state, int cause)
{
  struct mpj_launch *launch = net->launch;
  net->transport->ops->close(net->transport, state, cause);
  if (launch) mpj_launch_end(launch);
}

void mpj_net_cause_text(int cause, char *text, size_t size)
{
  if (cause & MPJ_CAUSE_RETURNED)
    snprintf(text, size, "returned %d", (int)((uint32_t)cause << 2) >> 2); /* keeps the sign */
  else if (cause == (MPJ_CAUSE_LOST | ESRCH))
    snprintf(text, size, "ended without MPJ_Finalize");
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
