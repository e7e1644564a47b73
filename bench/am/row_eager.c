/* This file times messages with a payload that the receiver reads, and the bare
 * slot copy under them. */
#include "am.h"

#include <stdlib.h>
#include <string.h>

#include "types/type.h"

struct play {
  struct am_rank *r;
  long bytes;
  unsigned came, sent;
  uint64_t sum;
  void *data;
  struct mpj_cursor src;
};

/* Where sums go, so that the reading is not left out. */
static volatile uint64_t read_bytes;

static enum mpj_am_verdict take(void *ctx, const struct mpj_am_arrival *arrival,
                                struct mpj_am_dest *dest)
{
  (void)dest;
  struct play *p = ctx;
  p->sum += am_sum(arrival->kept.payload, (long)arrival->kept.bytes);
  p->came++;
  return MPJ_AM_DONE;
}

static void send(struct play *p)
{
  *(unsigned *)p->data = p->sent;
  mpj_cursor_seek(&p->src, 0);
  while (mpj_net_eager(p->r->net, 1 - p->r->rank, AM_HANDLER, &p->sent, sizeof p->sent, &p->src,
                       p->bytes, NULL, NULL) == MPJ_AM_AGAIN)
    mpj_net_poll(p->r->net);
}

static void round_trip(void *arg)
{
  struct play *p = arg;
  p->sent++;
  if (p->r->rank == 0) send(p);
  am_poll_until(p->r->net, &p->came, p->sent);
  if (p->r->rank == 1) send(p);
}

void am_eager(struct am_rank *r, long bytes)
{
  struct play p = {.r = r, .bytes = bytes, .data = calloc(1, (size_t)bytes)};
  MPJ_Datatype type;
  struct mpj_type *object;
  char row[48];
  MPJ_Type_contiguous(bytes, MPJ_BYTE, &type);
  mpj_type_resolve(type, "type", &object);
  const struct mpj_view view = mpj_type_view(object);
  mpj_cursor_begin(&p.src, &view, p.data);
  mpj_net_register(r->net, AM_HANDLER, take, &p);
  const double ns = am_time(r, 2, round_trip, &p);
  snprintf(row, sizeof row, "eager_%ld", bytes);
  if (r->rank == 0) am_report(row, "mpj", ns / 2000);
  read_bytes = p.sum;
  MPJ_Type_free(&type);
  free(p.data);
}

/* The same bytes through a slot, with nothing but a number to say that they came;
 * slots in turn, as tokens go. */
static void bare_send(struct play *p)
{
  unsigned char *slot =
      p->r->common->slot[p->r->rank] + p->sent % (65536 / (unsigned)p->bytes) * (unsigned)p->bytes;
  *(unsigned *)p->data = p->sent;
  memcpy(slot, p->data, (size_t)p->bytes);
  atomic_store_explicit(&p->r->common->flag[p->r->rank], p->sent, memory_order_release);
}

static void bare_trip(void *arg)
{
  struct play *p = arg;
  const int peer = 1 - p->r->rank;
  p->sent++;
  if (p->r->rank == 0) bare_send(p);
  while (atomic_load_explicit(&p->r->common->flag[peer], memory_order_acquire) != p->sent)
    __builtin_ia32_pause();
  p->sum +=
      am_sum(p->r->common->slot[peer] + p->sent % (65536 / (unsigned)p->bytes) * (unsigned)p->bytes,
             p->bytes);
  if (p->r->rank == 1) bare_send(p);
}

void am_raw_slot(struct am_rank *r, long bytes)
{
  struct play p = {.r = r, .bytes = bytes, .data = calloc(1, (size_t)bytes)};
  char row[48];
  const double ns = am_time(r, 2, bare_trip, &p);
  snprintf(row, sizeof row, "eager_%ld", bytes);
  if (r->rank == 0) am_report(row, "bare", ns / 2000);
  read_bytes = p.sum;
  free(p.data);
}
