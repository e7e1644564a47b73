/* This file sends messages through UCX. A payload is packed by UCX itself while
 * the call lasts; if it cannot leave at once, it is packed aside, since the
 * layout goes back to the caller. */

#include "base/memory.h"
#include "net/ucx/state.h"

static struct mpj_ucx_send *take_record(struct mpj_ucx *ucx)
{
  struct mpj_ucx_send *s = ucx->free_sends;
  if (!s) return mpj_alloc_array(1, sizeof *s);
  ucx->free_sends = s->next;
  return s;
}

static void drop_send(struct mpj_ucx_send *s)
{
  struct mpj_ucx *ucx = s->peer->ucx;
  s->peer->sends--;
  s->next = ucx->free_sends;
  ucx->free_sends = s;
}

void mpj_ucx_free_sends(struct mpj_ucx *ucx)
{
  while (ucx->free_sends) {
    struct mpj_ucx_send *s = ucx->free_sends;
    ucx->free_sends = s->next;
    mpj_free(s->packed);
    mpj_free(s);
  }
}

static void on_sent(void *request, ucs_status_t status, void *arg)
{
  struct mpj_ucx_send *s = arg;
  struct mpj_ucx_peer *peer = s->peer;
  peer->ucx->call->ucp_request_free(request);
  drop_send(s);
  if (status != UCS_OK) mpj_ucx_fail(peer, status);
}

/* Have memory for what might not leave at once; then it is too late to say no. */
static bool reserve(struct mpj_ucx_send *s, MPJ_Count bytes)
{
  if (bytes <= s->room) return true;
  mpj_free(s->packed);
  s->packed = mpj_alloc((size_t)bytes);
  s->room = s->packed ? bytes : 0;
  return s->packed != NULL;
}

/* Pack what is still to leave, so that its layout can go. */
static void put_aside(struct mpj_ucx_send *s)
{
  if (!s->stream.cursor) return;
  mpj_cursor_seek(s->stream.cursor, s->stream.first);
  mpj_cursor_pack(s->stream.cursor, s->packed, s->stream.bytes);
  s->stream.packed = s->packed;
  s->stream.cursor = NULL;
}

static ucs_status_ptr_t send_now(struct mpj_ucx_send *s, unsigned id, size_t bytes,
                                 bool with_payload)
{
  const struct mpj_ucx *ucx = s->peer->ucx;
  const ucp_request_param_t param = {.op_attr_mask =
                                         UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                         UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_DATATYPE,
                                     .flags = UCP_AM_SEND_FLAG_EAGER,
                                     .cb.send = on_sent,
                                     .datatype = with_payload ? ucx->layout : ucp_dt_make_contig(1),
                                     .user_data = s};
  return ucx->call->ucp_am_send_nbx(s->peer->ep, id, &s->head, bytes,
                                    with_payload ? &s->stream : NULL, with_payload ? 1 : 0, &param);
}

/* UCX has it, or it is gone with the peer. */
static void sent_as(struct mpj_ucx_send *s, ucs_status_ptr_t sent)
{
  if (UCS_PTR_IS_PTR(sent)) {
    put_aside(s);
    return;
  }
  if (sent) mpj_ucx_fail(s->peer, UCS_PTR_STATUS(sent));
  drop_send(s);
}

struct mpj_ucx_send *mpj_ucx_new_send(struct mpj_ucx_peer *p, struct mpj_cursor *payload,
                                      MPJ_Count bytes)
{
  struct mpj_ucx_send *s = take_record(p->ucx);
  if (!s) return NULL;
  s->peer = p;
  p->sends++;
  mpj_ucx_count_sent(p, bytes);
  const MPJ_Count first = payload ? payload->offset : 0;
  s->stream = (struct mpj_ucx_stream){.cursor = payload, .first = first, .bytes = bytes};
  if (!payload || reserve(s, bytes)) return s;
  drop_send(s);
  return NULL;
}

void mpj_ucx_send(struct mpj_ucx_send *s, unsigned id, size_t bytes)
{
  struct mpj_cursor *payload = s->stream.cursor;
  const MPJ_Count end = s->stream.first + s->stream.bytes;
  sent_as(s, send_now(s, id, bytes, payload != NULL));
  if (payload) mpj_cursor_seek(payload, end);
}
