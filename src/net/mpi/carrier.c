/* This file is a carrier over the messages that peers have among them: it receives, polls, waits
 * and closes. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/mpi/state.h"

enum { PROGRESS_THREAD = 1 }; /* a word of MPJ_PROGRESS */

static const double close_s = 2, tie_s = 0.2;
enum { POLLS_A_LOOK = 256, NAPS_A_LOOK = 16 }; /* at the lifelines */

static int mpi_post(struct mpj_carrier *c, int peer, const struct mpj_far_head *head,
                    struct mpj_cursor *payload, MPJ_Count bytes, bool urgent)
{
  return mpj_mpi_send_message((struct mpj_mpi *)c, peer, head, payload, bytes, 0, urgent);
}

/* Receiving */

static void expect(struct mpj_mpi *m, unsigned i)
{
  const struct MPJ_Messages *with = m->messages;
  if (with->recv(with->ctx, -1, MPJ_MPI_TAG_MESSAGE, m->ring[i], (MPJ_Count)m->message_bytes,
                 &m->receives[i]) != 0)
    mpj_mpi_fail(m);
}

/* What lies in ring[i], of so many bytes. Returns whether its payload is kept. */
static bool receive(struct mpj_mpi *m, unsigned i, MPJ_Count came)
{
  unsigned char *data = m->ring[i];
  struct mpj_mpi_wire wire;
  struct mpj_far_head head;
  memcpy(&wire, data, sizeof wire);
  const bool fits = came >= MPJ_MPI_FIXED && wire.head_bytes >= (uint32_t)MPJ_FAR_FIXED &&
                    wire.head_bytes <= sizeof head && wire.tag >= 0 &&
                    wire.tag < MPJ_MPI_TAG_STREAM + MPJ_MPI_STREAM_TAGS &&
                    wire.bytes <= INT64_MAX &&
                    (wire.tag > 0 || wire.bytes == (uint64_t)(came - MPJ_MPI_FIXED));
  if (!fits) {
    mpj_warn("rank %d dropped a malformed message of %lld bytes", m->rank, (long long)came);
    return false;
  }
  memcpy(&head, data + sizeof wire, wire.head_bytes);
  const int source = head.connection < (uint32_t)m->size ? (int)head.connection : m->rank;
  if (wire.tag == 0)
    return mpj_far_receive(m->head.far, source, &head, wire.head_bytes,
                           wire.bytes > 0 ? data + MPJ_MPI_FIXED : NULL, (size_t)wire.bytes);
  if (source != m->rank && wire.bytes > 0) mpj_mpi_on_offer(m, source, &wire, &head);
  return false;
}

/* A kept payload takes its buffer along. */
static void make_ready(struct mpj_mpi *m, unsigned i, bool kept)
{
  if (kept) m->ring[i] = mpj_alloc(m->message_bytes);
  if (m->ring[i])
    expect(m, i);
  else
    mpj_mpi_fail(m);
}

static bool poll_ring(struct mpj_mpi *m)
{
  bool moved = false;
  for (unsigned n = 0; n < MPJ_MPI_RING; n++) {
    const unsigned i = m->oldest;
    MPJ_Count came;
    if (!mpj_mpi_has_ended(m, &m->receives[i], &came)) break;
    m->oldest = (i + 1) % MPJ_MPI_RING;
    make_ready(m, i, receive(m, i, came));
    moved = true;
  }
  return moved;
}

static void mpi_release(struct mpj_carrier *c, void *payload)
{
  (void)c;
  mpj_free((unsigned char *)payload - MPJ_MPI_FIXED);
}

/* Lifelines */

static void lose(void *ctx, int peer, int error)
{
  struct mpj_mpi *m = ctx;
  mpj_far_lost(m->head.far, peer, error);
}

static void look_at_lines(struct mpj_mpi *m, unsigned every)
{
  if (m->lines && ++m->looks % every == 0) mpj_lifelines_poll(m->lines, lose, m);
}

/* All ranks are here: have them tied before one of them leaves the library. */
static void tie_lines(struct mpj_mpi *m)
{
  const double until = MPJ_Wtime() + tie_s;
  m->tied = true;
  while (m->lines && mpj_lifelines_loose(m->lines) && MPJ_Wtime() < until) {
    mpj_lifelines_poll(m->lines, lose, m);
    sched_yield();
  }
}

static bool mpi_poll(struct mpj_carrier *c)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  look_at_lines(m, POLLS_A_LOOK);
  const bool came = poll_ring(m), left = mpj_mpi_poll_sends(m);
  return mpj_mpi_poll_moves(m) || came || left;
}

/* What goes to a peer that is gone may never have ended. */
static bool is_sending(const struct mpj_mpi *m)
{
  for (const struct mpj_mpi_send *s = m->sending; s; s = s->next)
    if (!m->head.far || !mpj_far_is_gone(m->head.far, s->peer)) return true;
  return false;
}

/* Handlers do not run here: only what leaves is looked at. The first one ends the ranks'
 * greeting. */
static void mpi_flush(struct mpj_carrier *c, double seconds)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  const double until = MPJ_Wtime() + seconds;
  if (!m->tied) tie_lines(m);
  while (is_sending(m) && !m->failed && MPJ_Wtime() < until)
    mpj_mpi_poll_sends(m);
}

/* MPI wakes nobody. Lifelines are looked at as often as every few naps. */
static void mpi_sleep(struct mpj_carrier *c, int ms, struct mpj_net *net)
{
  const struct timespec nap = {.tv_nsec = 100000};
  (void)ms;
  look_at_lines((struct mpj_mpi *)c, NAPS_A_LOOK);
  const int kept = mpj_net_away(net, true);
  nanosleep(&nap, NULL);
  mpj_net_back(net, true, kept);
}

/* Opening and closing */

/* MPI knows ranks by their numbers. */
static const void *mpi_address(struct mpj_carrier *c, size_t *bytes)
{
  const struct mpj_mpi *m = (const struct mpj_mpi *)c;
  *bytes = sizeof m->address;
  return &m->address;
}

static int mpi_connect(struct mpj_carrier *c, int peer, const void *address, size_t bytes)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  struct mpj_mpi_address a = {.rank = -1};
  if (bytes == sizeof a) memcpy(&a, address, sizeof a);
  if (a.rank != peer)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d says that it is rank %d of MPI's", peer, a.rank);
  if (m->lines) mpj_lifelines_tie(m->lines, peer, &a.card);
  return MPJ_SUCCESS;
}

static void free_memory(struct mpj_mpi *m)
{
  mpj_mpi_end_sends(m);
  for (unsigned i = 0; i < MPJ_MPI_RING; i++)
    mpj_free(m->ring[i]);
  mpj_free(m->sends);
  mpj_free(m);
}

static void mpi_close(struct mpj_carrier *c)
{
  struct mpj_mpi *m = (struct mpj_mpi *)c;
  mpi_flush(c, close_s);
  mpj_lifelines_close(m->lines);
  mpj_mpi_drop_moves(m);
  for (unsigned i = 0; i < MPJ_MPI_RING; i++)
    if (m->receives[i] && m->messages->cancel(m->messages->ctx, m->receives[i]) != 0)
      m->ring[i] = NULL; /* it may still be written */
  free_memory(m);
}

static const struct mpj_carrier_ops mpi_ops = {.name = "mpi",
                                               .connects_all = true,
                                               .address = mpi_address,
                                               .connect = mpi_connect,
                                               .post = mpi_post,
                                               .give = mpj_mpi_give,
                                               .take = mpj_mpi_take,
                                               .release = mpi_release,
                                               .poll = mpi_poll,
                                               .flush = mpi_flush,
                                               .sleep = mpi_sleep,
                                               .close = mpi_close};

static bool have_memory(struct mpj_mpi *m)
{
  m->message_bytes = MPJ_MPI_FIXED + (size_t)mpj_config()->eager_bytes;
  m->sends = mpj_alloc_array((size_t)m->size, sizeof *m->sends);
  if (!m->sends) return false;
  for (unsigned i = 0; i < MPJ_MPI_RING; i++)
    if (!(m->ring[i] = mpj_alloc(m->message_bytes))) return false;
  return true;
}

int mpj_mpi_open(const struct MPJ_Messages *messages, int rank, int size,
                 struct mpj_carrier **carrier)
{
  if (!messages)
    return mpj_error(
        MPJ_ERR_UNSUPPORTED,
        "messages were to go by MPI, but no MPI has introduced the ranks to each other");
  if (mpj_config()->progress == PROGRESS_THREAD && !messages->any_thread)
    return mpj_error(MPJ_ERR_UNSUPPORTED,
                     "messages go by MPI, and with MPJ_PROGRESS=thread one more thread would call "
                     "it: the program must begin it with MPI_THREAD_MULTIPLE");
  const int code = messages->begin(messages->ctx);
  if (code != 0)
    return mpj_error(MPJ_ERR_PEER, "the messages of rank %d's MPI do not begin (%d)", rank, code);
  struct mpj_mpi *m = mpj_alloc_array(1, sizeof *m);
  if (m) {
    m->head.ops = &mpi_ops;
    m->head.one_thread = !messages->any_thread;
    m->messages = messages;
    m->rank = m->address.rank = rank;
    m->size = size;
    m->lines = mpj_lifelines_open(rank, size);
    if (m->lines) m->address.card = *mpj_lifelines_card(m->lines);
  }
  if (!m || !have_memory(m)) {
    if (m) mpj_lifelines_close(m->lines);
    if (m) free_memory(m);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's messages", rank);
  }
  for (unsigned i = 0; i < MPJ_MPI_RING; i++)
    expect(m, i);
  if (m->failed) {
    mpi_close(&m->head);
    return mpj_error(MPJ_ERR_PEER, "rank %d's MPI receives nothing", rank);
  }
  *carrier = &m->head;
  return MPJ_SUCCESS;
}
