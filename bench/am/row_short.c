/* This file times messages that fit a cell, and the bare cell under them. */
#include "am.h"

#include <string.h>

struct play {
  struct am_rank *r;
  unsigned came, sent;
  unsigned wanted; /* of what comes, before it goes on */
};

/* A rank that has what it waits for leaves the rest for later, as the collectives do. */
static enum mpj_am_verdict note(void *ctx, const struct mpj_am_arrival *arrival,
                                struct mpj_am_dest *dest)
{
  struct play *p = ctx;
  (void)dest;
  (void)arrival;
  p->r->net->enough = ++p->came == p->wanted;
  return MPJ_AM_DONE;
}

static void send8(struct play *p, int peer)
{
  const uint64_t value = p->sent;
  while (mpj_net_short(p->r->net, peer, AM_HANDLER, &value, sizeof value) == MPJ_AM_AGAIN)
    mpj_net_poll(p->r->net);
}

/* There and back. */
static void round_trip(void *arg)
{
  struct play *p = arg;
  p->sent++;
  if (p->r->rank == 0) send8(p, 1);
  p->wanted = p->sent;
  am_poll_until(p->r->net, &p->came, p->wanted);
  if (p->r->rank == 1) send8(p, 0);
}

void am_short(struct am_rank *r, long param)
{
  struct play p = {.r = r};
  char row[48];
  (void)param;
  mpj_net_register(r->net, AM_HANDLER, note, &p);
  const double ns = am_time(r, 2, round_trip, &p);
  snprintf(row, sizeof row, "short_8_rings_%d", r->size);
  if (r->rank == 0) am_report(row, "mpj", ns / 2000);
}

/* A stream of messages from rank 0, and one back when all have come. */
enum { STREAMS = 1024 };
struct burst {
  struct play play;
  long length;
  double sending[STREAMS]; /* ns that rank 0 was busy with sending, in the last ones */
};

static void stream(void *arg)
{
  struct burst *b = arg;
  struct play *p = &b->play;
  p->sent++;
  if (p->r->rank != 0) {
    p->wanted += (unsigned)b->length;
    am_poll_until(p->r->net, &p->came, p->wanted);
    send8(p, 0);
    return;
  }
  const double begun = am_now();
  for (long i = 0; i < b->length; i++)
    send8(p, 1);
  b->sending[(p->sent - 1) % STREAMS] = am_now() - begun;
  am_poll_until(p->r->net, &p->came, p->wanted = p->sent);
}

void am_burst(struct am_rank *r, long length)
{
  struct burst b = {.play = {.r = r}, .length = length};
  char row[48];
  mpj_net_register(r->net, AM_HANDLER, note, &b.play);
  const double ns = am_time(r, 2, stream, &b);
  if (r->rank != 0) return;
  snprintf(row, sizeof row, "burst_8_%ld", length);
  am_report(row, "mpj", ns / (double)length / 1000);
  snprintf(row, sizeof row, "sending_8_%ld", length);
  const int streams = b.play.sent < STREAMS ? (int)b.play.sent : STREAMS;
  am_report(row, "mpj", am_of_values(r, b.sending, streams) / (double)length / 1000);
}

void am_network_short(struct am_rank *r, long param)
{
  struct play p = {.r = r};
  (void)param;
  if (!am_over_network(r)) return;
  mpj_net_register(r->net, AM_HANDLER, note, &p);
  const double ns = am_time(r, 2, round_trip, &p);
  if (r->rank == 0) am_report("network_8", "mpj", ns / 2000);
}

/* A cell by hand: number and data in one line, one line each way. */
struct bare {
  struct am_rank *r;
  unsigned round;
};

static void bare_wait(_Atomic uint32_t *turn, uint32_t until)
{
  while (atomic_load_explicit(turn, memory_order_acquire) != until)
    __builtin_ia32_pause();
}

static void bare_send(unsigned char *line, uint32_t turn)
{
  memcpy(line + 8, &turn, sizeof turn);
  atomic_store_explicit((_Atomic uint32_t *)(void *)line, turn, memory_order_release);
}

static void bare_trip(void *arg)
{
  struct bare *b = arg;
  const unsigned at = 64 * (b->round % 64);
  unsigned char *out = b->r->common->slot[b->r->rank] + at;
  unsigned char *in = b->r->common->slot[1 - b->r->rank] + at;
  b->round++;
  if (b->r->rank == 0) bare_send(out, b->round);
  bare_wait((_Atomic uint32_t *)(void *)in, b->round);
  if (b->r->rank == 1) bare_send(out, b->round);
}

void am_raw_cell(struct am_rank *r, long param)
{
  struct bare b = {.r = r};
  (void)param;
  const double ns = am_time(r, 2, bare_trip, &b);
  if (r->rank == 0) am_report("short_8_rings_2", "bare", ns / 2000);
}

/* Everybody to everybody. */
static void exchange(void *arg)
{
  struct play *p = arg;
  unsigned idle = 0;
  const int n = p->r->size;
  p->sent++;
  for (int k = 1; k < n; k++)
    send8(p, (p->r->rank + k) % n);
  p->wanted = p->sent * (unsigned)(n - 1);
  while ((int)(p->came - p->wanted) < 0) {
    if (mpj_net_poll(p->r->net))
      idle = 0;
    else
      mpj_net_idle(p->r->net, &idle);
  }
  p->r->net->enough = false;
}

void am_all_pairs(struct am_rank *r, long param)
{
  struct play p = {.r = r};
  char row[48];
  (void)param;
  mpj_net_register(r->net, AM_HANDLER, note, &p);
  const double ns = am_time(r, r->size, exchange, &p);
  snprintf(row, sizeof row, "all_pairs_8_p%d", r->size);
  if (r->rank == 0) am_report(row, "mpj", ns / 1000);
}
