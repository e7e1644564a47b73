/* This header declares sinks: bounded queues of bytes on their way to a
 * descriptor that may be slow or go away. A sink never blocks its caller. */
#ifndef MPJ_TOOLS_MPJRUN_SINK_H
#define MPJ_TOOLS_MPJRUN_SINK_H

#include <stdbool.h>
#include <stddef.h>

enum { SINK_BYTES = 256 * 1024 };

/* Invariant: start <= end <= SINK_BYTES; bytes[start, end) wait to be written. */
struct sink {
  int fd;
  size_t step;        /* bytes that one write may take without blocking */
  int error;          /* errno of the write that failed, else 0: bytes are dropped from then on */
  bool mid_line;      /* the last byte put was not a newline */
  const void *writer; /* who put it */
  size_t start, end;
  char bytes[SINK_BYTES];
};

void sink_open(struct sink *sink, int fd);

/* Bytes that sink_put takes now. */
size_t sink_room(const struct sink *sink);

/* Queue `count` <= sink_room bytes on behalf of `writer`. */
void sink_put(struct sink *sink, const void *writer, const char *bytes, size_t count);

static inline bool sink_empty(const struct sink *sink)
{
  return sink->start == sink->end;
}

/* Write once, up to the end of a line where there is one. To be called when
 * poll finds the descriptor writable. */
void sink_write(struct sink *sink);

/* Drop what waits and all that comes: the descriptor failed with `error`. */
void sink_fail(struct sink *sink, int error);

#endif
