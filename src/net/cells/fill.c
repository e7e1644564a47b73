/* This file writes slots: into this core's caches, or past them where that is sooner. It depends on
 * the caches that the two cores share, on a virtual machine from one second to the next: it is
 * timed. */
#include "net/cells/fill.h"

#include "base/config/config.h"
#include "base/wtime.h"

/* mpj-bench coll, p = 2, Zen 4, Bcast, dependent, us, cached and past. Cores that share no cache:
 * 1 KiB .72 and .59, 2 KiB 1.3 and .76, 4 KiB 2.4 and .91, 8 KiB 4.7 and 1.4; cores that do: 1 KiB
 * .23 and .49, 8 KiB 1.3 and 1.4. Writing alone took 12 to 50 ns a line that the reader's cache
 * had, and at most 4 past the caches. */
enum { LEAST = 2048, SLOW_NS_A_LINE = 8, LINE = 64 };
/* Slots that are written without timing: while the caches are fast, and while they are slow. */
enum { UNTIMED = 15, PAST_UNTIMED = 63 };

int64_t mpj_slot_past_least(const struct mpj_cells *c)
{
  const long pieces = mpj_config()->pieces;
  if (pieces == MPJ_PIECES_ALL_PAST) return 0;
  return pieces == MPJ_PIECES_AUTO && c->nranks <= c->segment->config.cores ? LEAST : INT64_MAX;
}

static void fill_timed(struct mpj_cells_peer *p, struct mpj_cursor *payload, void *slot,
                       MPJ_Count bytes)
{
  const int64_t start = mpj_clock_ns();
  mpj_cursor_pack(payload, slot, bytes);
  const bool slow = mpj_clock_ns() - start > bytes / LINE * SLOW_NS_A_LINE;
  p->past = slow ? PAST_UNTIMED : 0;
  p->untimed = slow ? 0 : UNTIMED;
}

void mpj_slot_fill(const struct mpj_cells *c, struct mpj_cells_peer *p, struct mpj_cursor *payload,
                   void *slot, MPJ_Count bytes)
{
  if (bytes < c->past_least) {
    mpj_cursor_pack(payload, slot, bytes);
  } else if (p->past > 0 || c->past_least == 0) {
    if (p->past > 0) p->past--;
    mpj_cursor_pack_past(payload, slot, bytes);
  } else if (p->untimed > 0) {
    p->untimed--;
    mpj_cursor_pack(payload, slot, bytes);
  } else {
    fill_timed(p, payload, slot, bytes);
  }
}
