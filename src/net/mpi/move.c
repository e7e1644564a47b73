/* This file moves streams in pieces, one under way at a time. */
#include "base/memory.h"
#include "base/status.h"
#include "net/mpi/state.h"

/* What an offer is, while the far transport looks at it. */
struct offer {
  int peer, tag;
  bool taken;
};

static struct mpj_mpi_move *new_move(struct mpj_mpi *m, int peer, int tag,
                                     struct mpj_cursor *cursor, MPJ_Count bytes)
{
  MPJ_Aint start;
  const MPJ_Count room = bytes < MPJ_MPI_PIECE ? bytes : MPJ_MPI_PIECE;
  struct mpj_mpi_move *v = mpj_alloc_array(1, sizeof *v);
  if (!v) return NULL;
  v->mpi = m;
  v->peer = peer;
  v->tag = tag;
  v->cursor = cursor;
  v->left = bytes;
  if (cursor && mpj_view_dense(&cursor->view, &start)) return v;
  v->buffer = mpj_alloc((size_t)room);
  if (v->buffer) return v;
  mpj_free(v);
  return NULL;
}

/* Memory that cannot be had back is left to whoever may still read or write it. */
static void free_move(struct mpj_mpi_move *v)
{
  const struct MPJ_Messages *with = v->mpi->messages;
  if (v->piece == 0 || with->cancel(with->ctx, v->request) == 0) mpj_free(v->buffer);
  mpj_free(v);
}

/* Where the piece that begins at the cursor lies, if the layout is dense. */
static void *place_of(const struct mpj_mpi_move *v)
{
  const struct mpj_cursor *c = v->cursor;
  MPJ_Aint start = 0;
  mpj_view_dense(&c->view, &start);
  return (void *)((uintptr_t)c->base + (uintptr_t)(start + c->offset));
}

static void begin_piece(struct mpj_mpi_move *v)
{
  const struct MPJ_Messages *with = v->mpi->messages;
  void *data = v->buffer ? v->buffer : place_of(v);
  v->piece = v->left < MPJ_MPI_PIECE ? v->left : MPJ_MPI_PIECE;
  if (v->sending && v->buffer) mpj_cursor_pack(v->cursor, v->buffer, v->piece);
  const int code = v->sending ? with->send(with->ctx, v->peer, v->tag, data, v->piece, &v->request)
                              : with->recv(with->ctx, v->peer, v->tag, data, v->piece, &v->request);
  if (code == 0) return;
  v->piece = 0;
  mpj_mpi_fail(v->mpi);
}

static void end_piece(struct mpj_mpi_move *v)
{
  if (!v->sending && v->buffer && v->cursor) mpj_cursor_unpack(v->cursor, v->buffer, v->piece);
  if (!v->buffer) mpj_cursor_seek(v->cursor, v->cursor->offset + v->piece);
  v->left -= v->piece;
  v->piece = 0;
}

/* Whether it has ended. */
static bool advance(struct mpj_mpi_move *v, bool *moved)
{
  MPJ_Count came = v->piece;
  if (v->piece > 0 && !mpj_mpi_has_ended(v->mpi, &v->request, &came)) return v->mpi->failed;
  if (v->piece > 0 && !v->sending && came != v->piece) mpj_mpi_fail(v->mpi);
  *moved = true;
  if (v->piece > 0) end_piece(v);
  if (v->left > 0 && !v->mpi->failed) begin_piece(v);
  return v->left == 0 || v->mpi->failed;
}

/* Completions may add moves, at the front. */
bool mpj_mpi_poll_moves(struct mpj_mpi *m)
{
  bool moved = false;
  struct mpj_mpi_move *ended = NULL, **link = &m->moves;
  while (*link) {
    struct mpj_mpi_move *v = *link;
    if (!advance(v, &moved)) {
      link = &v->next;
      continue;
    }
    *link = v->next;
    v->next = ended;
    ended = v;
  }
  while (ended) {
    struct mpj_mpi_move *v = ended;
    ended = v->next;
    if (v->complete) v->complete(v->arg, v->left == 0 ? MPJ_SUCCESS : MPJ_ERR_PEER);
    free_move(v);
  }
  return moved;
}

void mpj_mpi_drop_moves(struct mpj_mpi *m)
{
  while (m->moves) {
    struct mpj_mpi_move *v = m->moves;
    m->moves = v->next;
    free_move(v);
  }
}

static void start(struct mpj_mpi_move *v)
{
  v->next = v->mpi->moves;
  v->mpi->moves = v;
  begin_piece(v);
}

int mpj_mpi_give(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                 struct mpj_cursor *source, mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  const MPJ_Count bytes = mpj_cursor_remaining(source);
  const int tag = MPJ_MPI_TAG_STREAM + (int)(m->streams % MPJ_MPI_STREAM_TAGS);
  struct mpj_mpi_move *v = new_move(m, peer, tag, source, bytes);
  if (!v) return MPJ_AM_AGAIN;
  if (mpj_mpi_send_message(m, peer, head, NULL, bytes, tag, false) != MPJ_SUCCESS) {
    free_move(v);
    return MPJ_AM_AGAIN;
  }
  m->streams++;
  v->sending = true;
  v->complete = complete;
  v->arg = arg;
  start(v);
  return MPJ_SUCCESS;
}

int mpj_mpi_take(struct mpj_carrier *c, void *offered, struct mpj_cursor *dst,
                 mpj_am_complete_fn *complete, void *arg)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  struct offer *offer = offered;
  struct mpj_mpi_move *v = new_move(m, offer->peer, offer->tag, dst, mpj_cursor_remaining(dst));
  if (!v) {
    complete(arg, mpj_error(MPJ_ERR_NO_MEM, "no memory to receive data on rank %d", m->rank));
    return MPJ_ERR_NO_MEM;
  }
  offer->taken = true;
  v->complete = complete;
  v->arg = arg;
  start(v);
  return MPJ_SUCCESS;
}

/* What nobody takes comes all the same. */
void mpj_mpi_on_offer(struct mpj_mpi *m, int peer, const struct mpj_mpi_wire *wire,
                      const void *head)
{
  struct offer offer = {.peer = peer, .tag = wire->tag};
  mpj_far_offer(m->head.far, peer, head, wire->head_bytes, &offer, (size_t)wire->bytes);
  if (offer.taken) return;
  struct mpj_mpi_move *v = new_move(m, peer, wire->tag, NULL, (MPJ_Count)wire->bytes);
  if (v)
    start(v);
  else
    mpj_mpi_fail(m);
}
