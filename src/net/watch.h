/* This header declares what is noted of a rank's messages when MPJ_STATS or
 * MPJ_TRACE asks for it: counts, and events with their times. Without either,
 * net->watch is NULL, and that is all that anybody looks at. */
#ifndef MPJ_SRC_NET_WATCH_H
#define MPJ_SRC_NET_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "net/trace.h"

struct mpj_watch;

/* Begin to watch the endpoint of a rank of `size`, as the settings say. NULL if they ask for
 * nothing, or there is no memory for it (then with a warning). */
struct mpj_watch *mpj_watch_begin(int rank, int size);

/* Print the counts, write the events, forget both. Before the endpoint closes.
 *   ways  by which messages went (mpj_net_ways) */
void mpj_watch_end(struct mpj_watch *w, const char *ways);

/* Note that `bytes` bytes went to or came from peer; status is what the call
 * returned; begun: when it was, by mpj_clock_ns. handler MPJ_WATCH_NO_HANDLER: none. */
void mpj_watch_note(struct mpj_watch *w, enum mpj_watch_what what, int peer, unsigned handler,
                    MPJ_Count bytes, int status, int64_t begun);

/* Add to the trace, if there is one, what a layer above has done: `name` from `begun` to now, with
 * `detail` (or NULL) and a number called `key`, on that track (trace.h). The texts are static.
 * An arrow from where its way out is noted to where its way in is, under the same name. */
void mpj_watch_span(struct mpj_watch *w, unsigned track, const char *name, const char *detail,
                    const char *key, int64_t number, int64_t begun);
void mpj_watch_arrow(struct mpj_watch *w, unsigned track, uint64_t name, bool out, int64_t at);

/* Count bytes that this rank has begun to pull by `mover` (static text). */
void mpj_watch_mover(struct mpj_watch *w, const char *mover, MPJ_Count bytes);

/* Note a yield, or a sleep. */
void mpj_watch_yield(struct mpj_watch *w);
void mpj_watch_sleep(struct mpj_watch *w, int64_t begun);

#endif
