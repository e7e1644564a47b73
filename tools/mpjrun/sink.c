/* This file queues bytes for a descriptor and writes them when it is ready. */
#include "mpjrun/sink.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sink_open(struct sink *sink, int fd)
{
  struct stat st;
  bool is_file = !fstat(fd, &st) && S_ISREG(st.st_mode);
  sink->fd = fd;
  sink->step = is_file ? SINK_BYTES : PIPE_BUF; /* a writable pipe takes that much */
  sink->error = 0;
  sink->mid_line = false;
  sink->writer = NULL;
  sink->start = sink->end = 0;
}

size_t sink_room(const struct sink *sink)
{
  return SINK_BYTES - (sink->end - sink->start);
}

void sink_put(struct sink *sink, const void *writer, const char *bytes, size_t count)
{
  if (sink->error || !count) return;
  assert(count <= sink_room(sink));
  if (count > SINK_BYTES - sink->end) {
    memmove(sink->bytes, sink->bytes + sink->start, sink->end - sink->start);
    sink->end -= sink->start;
    sink->start = 0;
  }
  memcpy(sink->bytes + sink->end, bytes, count);
  sink->end += count;
  sink->mid_line = bytes[count - 1] != '\n';
  sink->writer = writer;
}

void sink_write(struct sink *sink)
{
  const char *first = sink->bytes + sink->start;
  size_t count = sink->end - sink->start;
  if (count > sink->step) {
    count = sink->step;
    const char *newline = memrchr(first, '\n', count);
    if (newline) count = (size_t)(newline - first) + 1;
  }
  ssize_t written = write(sink->fd, first, count);
  if (written >= 0)
    sink->start += (size_t)written;
  else if (errno != EAGAIN && errno != EINTR)
    sink_fail(sink, errno);
  if (sink_empty(sink)) sink->start = sink->end = 0;
}

void sink_fail(struct sink *sink, int error)
{
  sink->error = error;
  sink->start = sink->end = 0;
}
