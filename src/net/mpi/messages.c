/* This file sends messages over those that peers have among them, and notes when that fails. */
#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "net/mpi/state.h"

void mpj_mpi_fail(struct mpj_mpi *m)
{
  if (m->failed) return;
  m->failed = true;
  if (!m->head.far) return;
  for (int peer = 0; peer < m->size; peer++)
    if (peer != m->rank) mpj_far_lost(m->head.far, peer, EIO);
}

bool mpj_mpi_has_ended(struct mpj_mpi *m, void **request, MPJ_Count *bytes)
{
  int done = 0;
  if (m->failed) return false;
  if (m->messages->test(m->messages->ctx, request, &done, bytes) == 0) return done;
  mpj_mpi_fail(m);
  return false;
}

/* Sending */

static struct mpj_mpi_send *new_send(struct mpj_mpi *m)
{
  struct mpj_mpi_send *s = m->free_sends;
  if (!s) return mpj_alloc(sizeof *s + m->message_bytes);
  m->free_sends = s->next;
  return s;
}

static void drop_send(struct mpj_mpi *m, struct mpj_mpi_send *s)
{
  s->next = m->free_sends;
  m->free_sends = s;
}

int mpj_mpi_send_message(struct mpj_mpi *m, int peer, const struct mpj_far_head *head,
                         struct mpj_cursor *payload, MPJ_Count bytes, int tag, bool urgent)
{
  const struct MPJ_Messages *with = m->messages;
  const MPJ_Count length = MPJ_MPI_FIXED + (payload ? bytes : 0);
  const struct mpj_mpi_wire wire = {
      .head_bytes = (uint32_t)MPJ_FAR_FIXED + head->bytes, .tag = tag, .bytes = (uint64_t)bytes};
  const uint32_t own = (uint32_t)m->rank; /* a connection is known by the sender's rank */
  if (m->failed) return MPJ_SUCCESS;
  if (m->sends[peer] >= (urgent ? MPJ_MPI_URGENT_SENDS : MPJ_MPI_SENDS)) return MPJ_AM_AGAIN;
  struct mpj_mpi_send *s = new_send(m);
  if (!s) return MPJ_AM_AGAIN;
  memset(s->data, 0, MPJ_MPI_FIXED);
  memcpy(s->data, &wire, sizeof wire);
  memcpy(s->data + sizeof wire, head, wire.head_bytes);
  memcpy(s->data + sizeof wire + offsetof(struct mpj_far_head, connection), &own, sizeof own);
  if (payload) mpj_cursor_pack(payload, s->data + MPJ_MPI_FIXED, bytes);
  if (with->send(with->ctx, peer, MPJ_MPI_TAG_MESSAGE, s->data, length, &s->request) != 0) {
    drop_send(m, s);
    mpj_mpi_fail(m);
    return MPJ_SUCCESS;
  }
  s->peer = peer;
  s->next = m->sending;
  m->sending = s;
  m->sends[peer]++;
  return MPJ_SUCCESS;
}

bool mpj_mpi_poll_sends(struct mpj_mpi *m)
{
  bool moved = false;
  struct mpj_mpi_send **link = &m->sending;
  while (*link) {
    struct mpj_mpi_send *s = *link;
    MPJ_Count bytes;
    if (!mpj_mpi_has_ended(m, &s->request, &bytes)) {
      link = &s->next;
      continue;
    }
    *link = s->next;
    m->sends[s->peer]--;
    drop_send(m, s);
    moved = true;
  }
  return moved;
}

/* Sends that do not end either leave their memory to whoever may still read it. Where one to
 * a peer does not, the others are not waited for. */
void mpj_mpi_end_sends(struct mpj_mpi *m)
{
  enum { STUCK = MPJ_MPI_URGENT_SENDS + 1 };
  while (m->sending) {
    struct mpj_mpi_send *s = m->sending;
    m->sending = s->next;
    if (m->sends[s->peer] == STUCK) continue;
    if (m->messages->cancel(m->messages->ctx, s->request) == 0)
      drop_send(m, s);
    else
      m->sends[s->peer] = STUCK;
  }
  while (m->free_sends) {
    struct mpj_mpi_send *s = m->free_sends;
    m->free_sends = s->next;
    mpj_free(s);
  }
}
