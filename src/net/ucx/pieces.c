/* This file moves streams in pieces, each a message of its own, to peers to which UCX would
 * cut them up as well (lanes.c). There a rendezvous of UCX's is one more round trip, and the
 * receiver has asked already.
 *
 * Each piece carries the stream's head and its own place, and is unpacked out of the buffer
 * that it was received into. Two are under way at a time, so that there is always one in
 * the socket while the receiver unpacks another. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/ucx/state.h"

enum { PIECES = 2 };
/* With its heads a piece fits the segments that calls.c asks for. */
enum { PIECE_BYTES = 252 << 10 };

struct piece_head {
  struct mpj_ucx_head sealed; /* with the whole body */
  uint64_t offset, total;     /* in the stream */
  uint32_t stream;            /* the sender's number for it */
  uint32_t head_bytes;        /* of sealed.head, the rest is 0 */
};

/* One that is under way. */
struct piece {
  struct mpj_ucx_gift *gift;
  bool under_way;
  struct piece_head head;
  struct mpj_ucx_stream stream;
};

/* A stream that leaves. */
struct mpj_ucx_gift {
  struct mpj_ucx_gift *next;
  struct mpj_ucx_peer *peer;
  struct mpj_ucx_stream stream;
  const char *dense; /* where it begins, or NULL: the layout is not dense */
  MPJ_Count sent;    /* bytes given to UCX */
  unsigned under_way;
  struct piece piece[PIECES];
  mpj_am_complete_fn *complete;
  void *arg;
};

/* A stream that comes. */
struct mpj_ucx_arrival {
  struct mpj_ucx_arrival *next;
  struct mpj_ucx_peer *peer;
  uint32_t number;
  struct mpj_ucx_stream stream;
  MPJ_Count left; /* bytes still to come */
  mpj_am_complete_fn *complete;
  void *arg;
};

static struct mpj_ucx_stream rest_of(struct mpj_cursor *cursor)
{
  return (struct mpj_ucx_stream){
      .cursor = cursor, .first = cursor->offset, .bytes = mpj_cursor_remaining(cursor)};
}

/* Sending */

static void on_piece_sent(void *request, ucs_status_t status, void *arg)
{
  struct piece *p = arg;
  p->gift->peer->ucx->call->ucp_request_free(request);
  p->under_way = false;
  p->gift->under_way--;
  if (status != UCS_OK) mpj_ucx_fail(p->gift->peer, status);
}

static void send_piece(struct mpj_ucx_gift *g, struct piece *p)
{
  const struct mpj_ucx *ucx = g->peer->ucx;
  const MPJ_Count left = g->stream.bytes - g->sent;
  const MPJ_Count bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
  const ucp_request_param_t param = {.op_attr_mask =
                                         UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                         UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_DATATYPE,
                                     .flags = UCP_AM_SEND_FLAG_EAGER,
                                     .cb.send = on_piece_sent,
                                     .datatype = g->dense ? ucp_dt_make_contig(1) : ucx->layout,
                                     .user_data = p};
  p->head.offset = (uint64_t)g->sent;
  p->stream = g->stream;
  p->stream.first += g->sent;
  p->stream.bytes = bytes;
  p->under_way = true;
  g->under_way++;
  const void *data = g->dense ? (const void *)(g->dense + g->sent) : &p->stream;
  const ucs_status_ptr_t sent =
      ucx->call->ucp_am_send_nbx(g->peer->ep, MPJ_UCX_PIECE, &p->head, sizeof p->head, data,
                                 g->dense ? (size_t)bytes : 1, &param);
  g->sent += bytes;
  if (UCS_PTR_IS_PTR(sent)) return;
  p->under_way = false;
  g->under_way--;
  if (sent) mpj_ucx_fail(g->peer, UCS_PTR_STATUS(sent));
}

/* Send what there is room for; whether anything left. */
static bool send_some(struct mpj_ucx_gift *g)
{
  const MPJ_Count before = g->sent;
  for (unsigned i = 0; i < PIECES && g->sent < g->stream.bytes && !g->peer->failed; i++)
    if (!g->piece[i].under_way) send_piece(g, &g->piece[i]);
  return g->sent > before;
}

int mpj_ucx_give_pieces(struct mpj_ucx_peer *peer, const struct mpj_far_head *head,
                        struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_ucx *ucx = peer->ucx;
  struct mpj_ucx_gift *g = mpj_alloc_array(1, sizeof *g);
  MPJ_Aint start;
  if (!g) return MPJ_AM_AGAIN;
  *g = (struct mpj_ucx_gift){.next = ucx->gifts,
                             .peer = peer,
                             .stream = rest_of(source),
                             .complete = complete,
                             .arg = arg};
  if (mpj_view_dense(&source->view, &start)) g->dense = source->origin + source->offset;
  ucx->streams++;
  for (unsigned i = 0; i < PIECES; i++) {
    struct piece *p = &g->piece[i];
    p->gift = g;
    p->head.stream = ucx->streams;
    p->head.total = (uint64_t)g->stream.bytes;
    p->head.head_bytes = (uint32_t)MPJ_FAR_FIXED + head->bytes;
    mpj_ucx_seal(peer, head, &p->head.sealed);
  }
  ucx->gifts = g;
  send_some(g);
  return MPJ_SUCCESS;
}

/* Receiving */

/* Inside mpj_far_offer: pieces will come for this arrival. */
int mpj_ucx_take_pieces(struct mpj_ucx *ucx, struct mpj_cursor *dst, mpj_am_complete_fn *complete,
                        void *arg)
{
  struct mpj_ucx_arrival *a = mpj_alloc_array(1, sizeof *a);
  if (!a) {
    complete(arg, mpj_error(MPJ_ERR_NO_MEM, "no memory to receive data on rank %d", ucx->rank));
    return MPJ_ERR_NO_MEM;
  }
  *a = (struct mpj_ucx_arrival){
      .next = ucx->arrivals, .stream = rest_of(dst), .complete = complete, .arg = arg};
  a->left = a->stream.bytes;
  ucx->arrivals = a;
  return MPJ_SUCCESS;
}

static struct mpj_ucx_arrival **find(struct mpj_ucx *ucx, const struct mpj_ucx_peer *sender,
                                     uint32_t number)
{
  struct mpj_ucx_arrival **link = &ucx->arrivals;
  while (*link && ((*link)->peer != sender || (*link)->number != number))
    link = &(*link)->next;
  return link;
}

/* The first piece of a stream is an offer of all of it. */
static struct mpj_ucx_arrival **begin_arrival(struct mpj_ucx *ucx, struct mpj_ucx_peer *sender,
                                              const struct piece_head *h)
{
  struct mpj_ucx_arrival **link = &ucx->arrivals;
  const struct mpj_ucx_arrival *before = *link;
  if (!mpj_far_offer(ucx->head.far, sender->rank, &h->sealed.head, h->head_bytes, ucx,
                     (size_t)h->total))
    return NULL;
  if (*link == before) return NULL;
  (*link)->peer = sender;
  (*link)->number = h->stream;
  return link;
}

static void end_arrival(struct mpj_ucx_arrival **link, int status)
{
  struct mpj_ucx_arrival *a = *link;
  const struct mpj_ucx_arrival ended = *a;
  *link = a->next;
  mpj_free(a);
  ended.complete(ended.arg, status);
}

/* Copy a head that came; false if it is none. */
static bool parse(struct piece_head *h, const void *came, size_t came_bytes, size_t bytes)
{
  if (came_bytes != sizeof *h) return false;
  memcpy(h, came, came_bytes);
  return h->head_bytes >= (uint32_t)MPJ_FAR_FIXED && h->head_bytes <= sizeof h->sealed.head &&
         bytes > 0 && h->total <= INT64_MAX && h->offset <= h->total &&
         bytes <= h->total - h->offset;
}

ucs_status_t mpj_ucx_on_piece(void *arg, const void *header, size_t header_bytes, void *data,
                              size_t bytes, const ucp_am_recv_param_t *param)
{
  struct mpj_ucx *ucx = arg;
  struct piece_head h;
  struct mpj_ucx_peer *sender = mpj_ucx_sender_of(ucx, header, header_bytes);
  ucx->moved = true;
  if (!sender) return UCS_OK;
  if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV || !parse(&h, header, header_bytes, bytes)) {
    mpj_warn("rank %d dropped a malformed piece of data", ucx->rank);
    return UCS_OK;
  }
  struct mpj_ucx_arrival **link = find(ucx, sender, h.stream);
  if (!*link) link = begin_arrival(ucx, sender, &h);
  if (!link) return UCS_OK; /* nobody waits for it any more */
  struct mpj_ucx_arrival *a = *link;
  if (h.total != (uint64_t)a->stream.bytes || (MPJ_Count)bytes > a->left) return UCS_OK;
  mpj_cursor_seek(a->stream.cursor, a->stream.first + (MPJ_Count)h.offset);
  mpj_cursor_unpack(a->stream.cursor, data, (MPJ_Count)bytes);
  a->left -= (MPJ_Count)bytes;
  if (a->left == 0) end_arrival(link, MPJ_SUCCESS);
  return UCS_OK;
}

/* Progress */

static bool poll_gifts(struct mpj_ucx *ucx)
{
  bool moved = false;
  struct mpj_ucx_gift **link = &ucx->gifts;
  while (*link) {
    struct mpj_ucx_gift *g = *link;
    moved |= send_some(g);
    if (g->under_way > 0 || (g->sent < g->stream.bytes && !g->peer->failed)) {
      link = &g->next;
      continue;
    }
    const struct mpj_ucx_gift ended = *g;
    *link = g->next;
    mpj_free(g);
    ended.complete(ended.arg, ended.peer->failed ? MPJ_ERR_PEER : MPJ_SUCCESS);
    moved = true;
  }
  return moved;
}

static bool poll_arrivals(struct mpj_ucx *ucx)
{
  bool moved = false;
  struct mpj_ucx_arrival **link = &ucx->arrivals;
  while (*link) {
    if (!(*link)->peer->failed) {
      link = &(*link)->next;
      continue;
    }
    end_arrival(link, MPJ_ERR_PEER);
    moved = true;
  }
  return moved;
}

bool mpj_ucx_poll_pieces(struct mpj_ucx *ucx)
{
  bool moved = false;
  if (ucx->gifts) moved |= poll_gifts(ucx);
  if (ucx->arrivals) moved |= poll_arrivals(ucx);
  return moved;
}

void mpj_ucx_drop_pieces(struct mpj_ucx *ucx)
{
  while (ucx->gifts) {
    struct mpj_ucx_gift *g = ucx->gifts;
    ucx->gifts = g->next;
    mpj_free(g);
  }
  while (ucx->arrivals) {
    struct mpj_ucx_arrival *a = ucx->arrivals;
    ucx->arrivals = a->next;
    mpj_free(a);
  }
}
