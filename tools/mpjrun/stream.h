/* This header declares streams: what one rank writes to its standard output or
 * standard error, forwarded to a sink by whole lines.
 *
 * Bytes are forwarded as they are. A line longer than STREAM_BYTES goes in
 * pieces, between which another rank's line may come. With labels each line
 * begins with "[rank] "; a line that had to be interrupted, or that ends
 * without a newline, then gets a newline, and a label where it goes on. */
#ifndef MPJ_TOOLS_MPJRUN_STREAM_H
#define MPJ_TOOLS_MPJRUN_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "mpjrun/sink.h"

enum { STREAM_BYTES = 64 * 1024 };

/* Invariant: scanned <= fill <= STREAM_BYTES; bytes[0, scanned) hold no newline. */
struct stream {
  int fd;    /* owned; -1 after its end */
  int label; /* the rank, or -1: no labels */
  struct sink *sink;
  bool blocked; /* a piece waits for room in the sink */
  size_t scanned, fill;
  char bytes[STREAM_BYTES];
};

/* Forward from fd (moved) to sink (borrowed). */
void stream_open(struct stream *stream, int fd, int label, struct sink *sink);

/* Whether to wait for input; to read it when poll finds some. */
static inline bool stream_wants_input(const struct stream *stream)
{
  return stream->fd >= 0 && !stream->blocked;
}
void stream_read(struct stream *stream);

/* Forward what waited for room. */
void stream_resume(struct stream *stream);

/* Treat the input as ended here. */
void stream_cut(struct stream *stream);

/* Whether the input has ended and all of it is in the sink. */
static inline bool stream_done(const struct stream *stream)
{
  return stream->fd < 0 && stream->fill == 0;
}

#endif
