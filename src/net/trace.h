/* This header declares a rank's trace: its events in memory, and the file that all
 * ranks of a job write, one after the other, in the format of Chrome's trace events
 * (a JSON array, which Perfetto opens): a few tracks a rank, times in microseconds of
 * the machine's monotone clock.
 *
 * Two events of one track are apart, or one is inside the other: viewers drop what overlaps
 * otherwise. So whoever adds spans says on which track they are. */
#ifndef MPJ_SRC_NET_TRACE_H
#define MPJ_SRC_NET_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpj/base.h>

/* What a rank did with a peer. */
enum mpj_watch_what {
  MPJ_WATCH_SHORT,   /* sent; a retry where there was no room */
  MPJ_WATCH_EAGER,   /* sent; a stall where there was no token or room */
  MPJ_WATCH_PULL,    /* begun or done at once; a retry where too many are under way */
  MPJ_WATCH_RECEIVE, /* a handler has run */
  MPJ_WATCH_WHATS
};

enum { MPJ_WATCH_NO_HANDLER = 255 };

enum { MPJ_TRACE_EVENTS = 65536 }; /* that a rank keeps; what comes later is counted */

/* A rank's tracks: for what layers above do, then of messages (which are sent and dealt with while
 * a step lasts, and maybe longer), then of sleeps (of several threads). */
enum {
  MPJ_TRACE_MESSAGES = 62,
  MPJ_TRACE_SLEEPS,
  MPJ_TRACE_TRACKS,
  MPJ_TRACE_RANKS = 1 << 20 /* the number of track t of rank r in the file is t times this + r */
};

struct mpj_trace;

/* Begin; rank 0 empties the file. NULL if there is no memory (with a warning). */
struct mpj_trace *mpj_trace_begin(const char *file, int rank);

/* Note an event that began at `begun` and ends now. Of sleeps that overlap the later one is cut. */
void mpj_trace_add(struct mpj_trace *t, enum mpj_watch_what what, int peer, unsigned handler,
                   MPJ_Count bytes, int64_t begun);
void mpj_trace_add_span(struct mpj_trace *t, unsigned track, const char *name, const char *detail,
                        const char *key, int64_t number, int64_t begun);
void mpj_trace_add_arrow(struct mpj_trace *t, unsigned track, uint64_t name, bool out, int64_t at);
void mpj_trace_add_sleep(struct mpj_trace *t, int64_t begun);

/* Add this rank's events to the file, which is whole before and after, and forget
 * them. A file that cannot be written is a warning. */
void mpj_trace_end(struct mpj_trace *t, const char *file);

#endif
