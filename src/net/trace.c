/* This file keeps and writes a rank's trace. */
#include "net/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"

struct event {
  int64_t begun, ended;            /* ns */
  int64_t number;                  /* bytes; of a span its own; of an arrow its name */
  const char *name, *detail, *key; /* of a span */
  int32_t peer;                    /* -1: none */
  uint8_t what, handler, track;
};
enum { SLEEP = MPJ_WATCH_WHATS, SPAN, ARROW_OUT, ARROW_IN };
static const char *const names[] = {"short", "eager", "pull", "handler", "sleep"};

struct mpj_trace {
  int rank;
  unsigned n;
  unsigned long long lost;
  int64_t slept; /* when the last sleep ended */
  struct event events[MPJ_TRACE_EVENTS];
};

struct mpj_trace *mpj_trace_begin(const char *file, int rank)
{
  struct mpj_trace *t = mpj_alloc(sizeof *t);
  if (!t) {
    mpj_warn("no memory for the trace of rank %d", rank);
    return NULL;
  }
  t->rank = rank;
  t->n = 0;
  t->lost = 0;
  t->slept = 0;
  if (rank == 0) {
    const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd >= 0) close(fd);
  }
  return t;
}

static void add(struct mpj_trace *t, const struct event *e)
{
  if (t->n < MPJ_TRACE_EVENTS)
    t->events[t->n++] = *e;
  else
    t->lost++;
}

void mpj_trace_add(struct mpj_trace *t, enum mpj_watch_what what, int peer, unsigned handler,
                   MPJ_Count bytes, int64_t begun)
{
  const struct event e = {.begun = begun,
                          .ended = mpj_clock_ns(),
                          .number = bytes,
                          .peer = peer,
                          .what = (uint8_t)what,
                          .handler = (uint8_t)handler,
                          .track = MPJ_TRACE_MESSAGES};
  add(t, &e);
}

void mpj_trace_add_sleep(struct mpj_trace *t, int64_t begun)
{
  const struct event e = {.begun = begun > t->slept ? begun : t->slept,
                          .ended = mpj_clock_ns(),
                          .peer = -1,
                          .what = SLEEP,
                          .track = MPJ_TRACE_SLEEPS};
  t->slept = e.ended;
  add(t, &e);
}

void mpj_trace_add_span(struct mpj_trace *t, unsigned track, const char *name, const char *detail,
                        const char *key, int64_t number, int64_t begun)
{
  const struct event e = {.begun = begun,
                          .ended = mpj_clock_ns(),
                          .number = number,
                          .name = name,
                          .detail = detail,
                          .key = key,
                          .what = SPAN,
                          .track = (uint8_t)track};
  add(t, &e);
}

void mpj_trace_add_arrow(struct mpj_trace *t, unsigned track, uint64_t name, bool out, int64_t at)
{
  const struct event e = {.begun = at,
                          .number = (int64_t)name,
                          .what = out ? ARROW_OUT : ARROW_IN,
                          .track = (uint8_t)track};
  add(t, &e);
}

static int number_of(const struct mpj_trace *t, unsigned track)
{
  return (int)track * MPJ_TRACE_RANKS + t->rank;
}

static void write_arrow(FILE *f, const struct mpj_trace *t, const struct event *e)
{
  fprintf(f,
          ",\n{\"ph\":\"%s\",\"name\":\"message\",\"cat\":\"collective\",\"id\":\"%llx\",\"pid\":0,"
          "\"tid\":%d,\"ts\":%.3f%s}",
          e->what == ARROW_OUT ? "s" : "f", (unsigned long long)e->number, number_of(t, e->track),
          (double)e->begun / 1000, e->what == ARROW_OUT ? "" : ",\"bp\":\"e\"");
}

static void write_span_arguments(FILE *f, const struct event *e)
{
  fprintf(f, ",\"args\":{\"%s\":%lld", e->key, (long long)e->number);
  if (e->detail) fprintf(f, ",\"algorithm\":\"%s\"", e->detail);
  fputc('}', f);
}

static void write_event(FILE *f, const struct mpj_trace *t, const struct event *e)
{
  fprintf(f, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f",
          e->what == SPAN ? e->name : names[e->what], number_of(t, e->track),
          (double)e->begun / 1000, (double)(e->ended - e->begun) / 1000);
  if (e->what == SPAN)
    write_span_arguments(f, e);
  else if (e->peer >= 0)
    fprintf(f, ",\"args\":{\"peer\":%d,\"bytes\":%lld,\"handler\":%d}", (int)e->peer,
            (long long)e->number, e->handler == MPJ_WATCH_NO_HANDLER ? -1 : e->handler);
  fputc('}', f);
}

/* As they begin, and of those that begin together the longest first, arrows last: so a viewer knows
 * what an event, or an arrow, is inside when it comes to it. */
static int compare_events(const void *a, const void *b)
{
  const struct event *x = a, *y = b;
  if (x->begun != y->begun) return x->begun < y->begun ? -1 : 1;
  return (x->ended < y->ended) - (x->ended > y->ended); /* an arrow has no end: 0 */
}

static void write_track_name(FILE *f, const struct mpj_trace *t, unsigned track)
{
  fprintf(f,
          "%s{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":\"rank "
          "%d%s\",\"events_lost\":%llu}}",
          track ? ",\n" : "", number_of(t, track), t->rank,
          track == MPJ_TRACE_MESSAGES ? ": messages"
          : track == MPJ_TRACE_SLEEPS ? ": sleeps"
          : track                     ? ": meanwhile"
                                      : "",
          t->lost);
}

static void write_events(FILE *f, struct mpj_trace *t)
{
  bool used[MPJ_TRACE_TRACKS] = {true};
  for (unsigned i = 0; i < t->n; i++)
    used[t->events[i].track] = true;
  for (unsigned track = 0; track < MPJ_TRACE_TRACKS; track++)
    if (used[track]) write_track_name(f, t, track);
  qsort(t->events, t->n, sizeof *t->events, compare_events);
  for (unsigned i = 0; i < t->n; i++)
    if (t->events[i].what >= ARROW_OUT)
      write_arrow(f, t, &t->events[i]);
    else
      write_event(f, t, &t->events[i]);
  fputs("\n]\n", f);
}

/* Where to go on writing: over the end of the array, or from the beginning. */
static bool find_end(FILE *f)
{
  enum { TAIL = 3 }; /* "\n]\n" */
  char tail[TAIL];
  if (fseek(f, 0, SEEK_END) != 0) return false;
  if (ftell(f) == 0) return fputs("[\n", f) >= 0;
  if (fseek(f, -TAIL, SEEK_END) != 0 || fread(tail, 1, TAIL, f) != TAIL) return false;
  if (memcmp(tail, "\n]\n", TAIL) != 0) return false;
  return fseek(f, -TAIL, SEEK_END) == 0 && fputs(",\n", f) >= 0;
}

void mpj_trace_end(struct mpj_trace *t, const char *file)
{
  const int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  FILE *f = fd >= 0 ? fdopen(fd, "r+") : NULL;
  bool good = f && flock(fd, LOCK_EX) == 0 && find_end(f);
  if (good) {
    write_events(f, t);
    good = fflush(f) == 0;
  }
  if (!good)
    mpj_warn("rank %d could not write its trace to %s: %s", t->rank, file, strerror(errno));
  if (f)
    fclose(f);
  else if (fd >= 0)
    close(fd);
  mpj_free(t);
}
