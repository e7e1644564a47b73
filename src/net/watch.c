/* This file counts what a rank sends, receives and waits for, and keeps the events
 * of its trace until it ends. */
#include "net/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/transport.h"

struct counts {
  uint64_t messages[MPJ_WATCH_WHATS], again[MPJ_WATCH_WHATS];
  int64_t bytes[MPJ_WATCH_WHATS];
};

enum { MOVERS_MOST = 8 };

struct mpj_watch {
  int rank, size;
  uint64_t yields, sleeps;
  struct counts *of_peer;                    /* [size] */
  struct counts of_handler[MPJ_AM_HANDLERS]; /* what was sent and received by handler */
  struct {
    const char *name; /* NULL: none */
    uint64_t pulls;
    int64_t bytes;
  } movers[MOVERS_MOST];
  struct mpj_trace *trace; /* or NULL */
};

struct mpj_watch *mpj_watch_begin(int rank, int size)
{
  const struct mpj_config *c = mpj_config();
  if (!c->stats && c->trace[0] == 0) return NULL;
  struct mpj_watch *w = mpj_alloc_array(1, sizeof *w);
  if (w) w->of_peer = mpj_alloc_array((size_t)size, sizeof *w->of_peer);
  if (!w || !w->of_peer) {
    mpj_free(w);
    mpj_warn("no memory for the statistics of rank %d", rank);
    return NULL;
  }
  w->rank = rank;
  w->size = size;
  if (c->trace[0] != 0) w->trace = mpj_trace_begin(c->trace, rank);
  return w;
}

static void count(struct counts *c, enum mpj_watch_what what, MPJ_Count bytes, bool again)
{
  if (again) {
    c->again[what]++;
    return;
  }
  c->messages[what]++;
  c->bytes[what] += bytes;
}

void mpj_watch_note(struct mpj_watch *w, enum mpj_watch_what what, int peer, unsigned handler,
                    MPJ_Count bytes, int status, int64_t begun)
{
  const bool again = status == MPJ_AM_AGAIN;
  if (peer >= 0 && peer < w->size) count(&w->of_peer[peer], what, bytes, again);
  if (handler < MPJ_AM_HANDLERS) count(&w->of_handler[handler], what, bytes, again);
  if (w->trace && !again) mpj_trace_add(w->trace, what, peer, handler, bytes, begun);
}

void mpj_watch_span(struct mpj_watch *w, unsigned track, const char *name, const char *detail,
                    const char *key, int64_t number, int64_t begun)
{
  if (w->trace) mpj_trace_add_span(w->trace, track, name, detail, key, number, begun);
}

void mpj_watch_arrow(struct mpj_watch *w, unsigned track, uint64_t name, bool out, int64_t at)
{
  if (w->trace) mpj_trace_add_arrow(w->trace, track, name, out, at);
}

void mpj_watch_mover(struct mpj_watch *w, const char *mover, MPJ_Count bytes)
{
  unsigned i = 0;
  while (i < MOVERS_MOST - 1 && w->movers[i].name && w->movers[i].name != mover)
    i++;
  w->movers[i].name = mover;
  w->movers[i].pulls++;
  w->movers[i].bytes += bytes;
}

void mpj_watch_yield(struct mpj_watch *w)
{
  w->yields++;
}

void mpj_watch_sleep(struct mpj_watch *w, int64_t begun)
{
  w->sleeps++;
  if (w->trace) mpj_trace_add_sleep(w->trace, begun);
}

static bool is_empty(const struct counts *c)
{
  static const struct counts none;
  return memcmp(c, &none, sizeof none) == 0;
}

static void print_row(FILE *f, const char *what, int number, const struct counts *c)
{
  if (is_empty(c)) return;
  fprintf(f, "  %-7s %4d %10llu %10llu %14lld %8llu %8llu %10llu %14lld %10llu %14lld\n", what,
          number, (unsigned long long)c->messages[MPJ_WATCH_SHORT],
          (unsigned long long)c->messages[MPJ_WATCH_EAGER],
          (long long)(c->bytes[MPJ_WATCH_SHORT] + c->bytes[MPJ_WATCH_EAGER]),
          (unsigned long long)(c->again[MPJ_WATCH_SHORT] + c->again[MPJ_WATCH_PULL]),
          (unsigned long long)c->again[MPJ_WATCH_EAGER],
          (unsigned long long)c->messages[MPJ_WATCH_PULL], (long long)c->bytes[MPJ_WATCH_PULL],
          (unsigned long long)c->messages[MPJ_WATCH_RECEIVE],
          (long long)c->bytes[MPJ_WATCH_RECEIVE]);
}

/* The whole table in one write, so that those of several ranks do not mix. */
static void print(const struct mpj_watch *w, const char *ways)
{
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return;
  fprintf(f, "mpj: rank %d: %llu yields, %llu sleeps; messages by %s\n", w->rank,
          (unsigned long long)w->yields, (unsigned long long)w->sleeps, ways);
  fprintf(f, "  %-7s %4s %10s %10s %14s %8s %8s %10s %14s %10s %14s\n", "", "", "short", "eager",
          "bytes sent", "retries", "stalls", "pulls", "bytes pulled", "received", "bytes");
  for (int i = 0; i < w->size; i++)
    print_row(f, "peer", i, &w->of_peer[i]);
  for (int i = 0; i < MPJ_AM_HANDLERS; i++)
    print_row(f, "handler", i, &w->of_handler[i]);
  for (int i = 0; i < MOVERS_MOST && w->movers[i].name; i++)
    fprintf(f, "  pulled by %-12s %10llu times %14lld bytes\n", w->movers[i].name,
            (unsigned long long)w->movers[i].pulls, (long long)w->movers[i].bytes);
  if (fclose(f) == 0) fwrite(text, 1, size, stderr);
  free(text);
}

void mpj_watch_end(struct mpj_watch *w, const char *ways)
{
  if (mpj_config()->stats) print(w, ways);
  if (w->trace) mpj_trace_end(w->trace, mpj_config()->trace);
  mpj_free(w->of_peer);
  mpj_free(w);
}
