/* This file sees that what a rank has sent leaves its process before the rank goes about its own
 * business. Where a connection stands, UCX gives a message of a few bytes to the kernel, or to the
 * device, at once; if that has no room, the rest leaves only while the rank polls. Whether it has
 * is not told, but a flush ends when the peer has everything, which takes a way there and back, and
 * a peer that polls. So a flush is waited for only where so much has been sent since the last one
 * that there may be no room for it, and begun before that, so that it mostly has ended by then. */
#include <sched.h>

#include "net/ucx/state.h"

/* What finds room: TCP's send buffer has 46 KiB from the start, in which a message of one byte
 * takes up to 2.5 KiB, and a device has a queue of 64 messages at least. */
enum { MESSAGES_MOST = 16, BYTES_MOST = 16384, TURNS_A_YIELD = 2 };

bool mpj_ucx_await(struct mpj_ucx *ucx, ucs_status_ptr_t request, double until)
{
  bool ended = true;
  if (!UCS_PTR_IS_PTR(request)) return ended;
  for (unsigned turn = 1;; turn++) {
    ended = ucx->call->ucp_request_check_status(request) != UCS_INPROGRESS;
    if (ended || MPJ_Wtime() >= until) break;
    ucx->call->ucp_worker_progress(ucx->worker);
    if (turn % TURNS_A_YIELD == 0) sched_yield(); /* the peer may share this core */
  }
  ucx->call->ucp_request_free(request);
  return ended;
}

void mpj_ucx_count_sent(struct mpj_ucx_peer *p, MPJ_Count bytes)
{
  p->behind.messages++;
  p->behind.bytes += bytes;
  if (p->posted) return;
  p->posted = true;
  p->next_posted = p->ucx->posted;
  p->ucx->posted = p;
}

static ucs_status_ptr_t begin_flush(struct mpj_ucx_peer *p)
{
  const ucp_request_param_t none = {0};
  return p->ucx->call->ucp_ep_flush_nbx(p->ep, &none);
}

/* What was sent before the flush that has just ended is with the peer. */
static void has_flushed(struct mpj_ucx_peer *p)
{
  p->behind.messages -= p->flushed.messages;
  p->behind.bytes -= p->flushed.bytes;
  p->flushed = (struct mpj_ucx_amount){0, 0};
}

static void look(struct mpj_ucx_peer *p)
{
  if (!p->flush || p->ucx->call->ucp_request_check_status(p->flush) == UCS_INPROGRESS) return;
  mpj_ucx_end_flush(p);
  has_flushed(p);
}

void mpj_ucx_end_flush(struct mpj_ucx_peer *p)
{
  if (p->flush) p->ucx->call->ucp_request_free(p->flush);
  p->flush = NULL;
}

static bool exceeds(const struct mpj_ucx_peer *p, unsigned messages, MPJ_Count bytes)
{
  return p->behind.messages > messages || p->behind.bytes > bytes;
}

/* What a peer is asked leaves while the rank waits to send it something. */
static void leave(struct mpj_ucx_peer *p, double until)
{
  if (!p->stands && !p->answered) return;
  look(p);
  if (!p->stands || p->sends > 0 || exceeds(p, MESSAGES_MOST, BYTES_MOST)) {
    mpj_ucx_end_flush(p);
    p->flushed = p->behind;
    if (!mpj_ucx_await(p->ucx, begin_flush(p), until)) return;
    has_flushed(p);
    return;
  }
  if (p->flush || !exceeds(p, MESSAGES_MOST / 2, BYTES_MOST / 2)) return;
  const ucs_status_ptr_t flush = begin_flush(p);
  p->flushed = p->behind;
  if (UCS_PTR_IS_PTR(flush))
    p->flush = flush;
  else
    has_flushed(p);
}

void mpj_ucx_leave(struct mpj_carrier *c, double seconds)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  const double until = MPJ_Wtime() + seconds;
  /* Of the idle connections nothing is known: they may not stand yet. */
  while (ucx->posted) {
    struct mpj_ucx_peer *p = ucx->posted;
    ucx->posted = p->next_posted;
    p->posted = false;
    if (!p->failed) leave(p, until);
  }
}
