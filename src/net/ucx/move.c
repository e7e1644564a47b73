/* This file moves streams between two layouts through UCX's rendezvous, and takes
 * what comes. A dense stretch is named as such, so that UCX can move it without
 * a copy where the network does. */

#include "base/memory.h"
#include "base/status.h"
#include "net/ucx/state.h"

static struct mpj_ucx_move *new_move(struct mpj_ucx *ucx, struct mpj_cursor *cursor,
                                     mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_ucx_move *m = mpj_alloc(sizeof *m);
  if (!m) return NULL;
  m->ucx = ucx;
  m->stream = (struct mpj_ucx_stream){
      .cursor = cursor, .first = cursor->offset, .bytes = mpj_cursor_remaining(cursor)};
  m->complete = complete;
  m->arg = arg;
  return m;
}

/* The move's stretch of memory if it is dense, else its stream; as UCX is to see it. */
static void *buffer_of(struct mpj_ucx_move *m, size_t *count, ucp_datatype_t *type)
{
  struct mpj_cursor *c = m->stream.cursor;
  MPJ_Aint start;
  if (!mpj_view_dense(&c->view, &start)) {
    *count = 1;
    *type = m->ucx->layout;
    return &m->stream;
  }
  *count = (size_t)m->stream.bytes;
  *type = ucp_dt_make_contig(1);
  return (void *)((uintptr_t)c->base + (uintptr_t)(start + m->stream.first));
}

static void end_move(struct mpj_ucx_move *m, ucs_status_t status)
{
  const struct mpj_ucx_move ended = *m;
  mpj_free(m);
  ended.complete(ended.arg, status == UCS_OK ? MPJ_SUCCESS : MPJ_ERR_PEER);
}

static void on_given(void *request, ucs_status_t status, void *arg)
{
  struct mpj_ucx_move *m = arg;
  m->ucx->call->ucp_request_free(request);
  end_move(m, status);
}

int mpj_ucx_give(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  struct mpj_ucx_peer *p = &ucx->peers[peer];
  if (!p->failed && !p->stands) {
    mpj_ucx_ask(p);
    return MPJ_AM_AGAIN;
  }
  if (p->in_segments && !p->failed) return mpj_ucx_give_pieces(p, head, source, complete, arg);
  struct mpj_ucx_move *m = p->failed ? NULL : new_move(ucx, source, complete, arg);
  size_t count;
  if (!m) return MPJ_AM_AGAIN;
  ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                               UCP_OP_ATTR_FIELD_USER_DATA |
                                               UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_DATATYPE,
                               .flags = UCP_AM_SEND_FLAG_RNDV,
                               .cb.send = on_given,
                               .user_data = m};
  void *buffer = buffer_of(m, &count, &param.datatype);
  mpj_ucx_seal(p, head, &m->head);
  const ucs_status_ptr_t sent = ucx->call->ucp_am_send_nbx(
      p->ep, MPJ_UCX_AM, &m->head, MPJ_UCX_FIXED + (size_t)head->bytes, buffer, count, &param);
  if (!UCS_PTR_IS_PTR(sent)) end_move(m, UCS_PTR_STATUS(sent));
  return MPJ_SUCCESS;
}

/* The length was compared before: UCX would not be gentle about it. */
static void on_taken(void *request, ucs_status_t status, size_t length, void *arg)
{
  struct mpj_ucx_move *m = arg;
  (void)length;
  m->ucx->call->ucp_request_free(request);
  end_move(m, status);
}

int mpj_ucx_take(struct mpj_carrier *c, void *offer, struct mpj_cursor *dst,
                 mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  if (offer == ucx) return mpj_ucx_take_pieces(ucx, dst, complete, arg);
  struct mpj_ucx_move *m = new_move(ucx, dst, complete, arg);
  size_t count;
  if (!m) {
    complete(arg, mpj_error(MPJ_ERR_NO_MEM, "no memory to receive data on rank %d", ucx->rank));
    return MPJ_ERR_NO_MEM;
  }
  ucp_request_param_t param = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                               UCP_OP_ATTR_FIELD_USER_DATA |
                                               UCP_OP_ATTR_FIELD_DATATYPE,
                               .cb.recv_am = on_taken,
                               .user_data = m};
  void *buffer = buffer_of(m, &count, &param.datatype);
  const ucs_status_ptr_t taken =
      ucx->call->ucp_am_recv_data_nbx(ucx->worker, offer, buffer, count, &param);
  if (!UCS_PTR_IS_PTR(taken)) end_move(m, UCS_PTR_STATUS(taken));
  return MPJ_SUCCESS;
}

void mpj_ucx_release(struct mpj_carrier *c, void *payload)
{
  struct mpj_ucx *ucx = (struct mpj_ucx *)c;
  ucx->call->ucp_am_data_release(ucx->worker, payload);
}

ucs_status_t mpj_ucx_on_message(void *arg, const void *header, size_t header_bytes, void *data,
                                size_t bytes, const ucp_am_recv_param_t *param)
{
  struct mpj_ucx *ucx = arg;
  struct mpj_far *far = ucx->head.far;
  const struct mpj_ucx_peer *sender = mpj_ucx_sender_of(ucx, header, header_bytes);
  enum { BEFORE = offsetof(struct mpj_ucx_head, head) };
  const unsigned char *head = (const unsigned char *)header + BEFORE;
  ucx->moved = true;
  if (!sender) return UCS_OK;
  if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)
    return mpj_far_offer(far, sender->rank, head, header_bytes - BEFORE, data, bytes)
               ? UCS_INPROGRESS
               : UCS_OK;
  return mpj_far_receive(far, sender->rank, head, header_bytes - BEFORE, bytes > 0 ? data : NULL,
                         bytes)
             ? UCS_INPROGRESS
             : UCS_OK;
}
