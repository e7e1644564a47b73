/* This file forwards what one rank writes, line by line. */
#include "mpjrun/stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LABEL_BYTES = 16, RESERVE = 16 * 1024 }; /* the reserve is for mpjrun's own messages */

void stream_open(struct stream *stream, int fd, int label, struct sink *sink)
{
  stream->fd = fd;
  stream->label = label;
  stream->sink = sink;
  stream->blocked = false;
  stream->scanned = stream->fill = 0;
}

/* Unless the piece goes on with the line that the sink ends in: start a new
 * line with a label. */
static void put_label(struct stream *stream)
{
  struct sink *sink = stream->sink;
  if (sink->mid_line && sink->writer == stream) return;
  char label[LABEL_BYTES];
  int n = snprintf(label, sizeof label, "%s[%d] ", sink->mid_line ? "\n" : "", stream->label);
  sink_put(sink, stream, label, (size_t)n);
}

/* Put a piece into the sink; false if it has no room now. */
static bool put_piece(struct stream *stream, const char *piece, size_t count)
{
  struct sink *sink = stream->sink;
  if (sink_room(sink) < count + LABEL_BYTES + RESERVE) return false;
  if (stream->label >= 0) put_label(stream);
  sink_put(sink, stream, piece, count);
  return true;
}

/* Length of the piece at `from` that is due to be forwarded, or 0. */
static size_t next_piece(struct stream *stream, size_t from)
{
  size_t begin = stream->scanned > from ? stream->scanned : from;
  const char *newline = memchr(stream->bytes + begin, '\n', stream->fill - begin);
  if (newline) return (size_t)(newline - (stream->bytes + from)) + 1;
  stream->scanned = stream->fill;
  bool full = from == 0 && stream->fill == STREAM_BYTES;
  return full || stream->fd < 0 ? stream->fill - from : 0;
}

static void forward(struct stream *stream)
{
  size_t from = 0;
  stream->blocked = false;
  for (size_t count; (count = next_piece(stream, from)) > 0; from += count) {
    if (!put_piece(stream, stream->bytes + from, count)) {
      stream->blocked = true;
      break;
    }
  }
  memmove(stream->bytes, stream->bytes + from, stream->fill - from);
  stream->fill -= from;
  stream->scanned = stream->scanned < from ? 0 : stream->scanned - from;
}

/* The input has ended, all of it is in the sink: end the line if it is ours. */
static void finish(struct stream *stream)
{
  struct sink *sink = stream->sink;
  if (stream->label >= 0 && sink->mid_line && sink->writer == stream)
    sink_put(sink, stream, "\n", 1);
}

void stream_read(struct stream *stream)
{
  ssize_t n = read(stream->fd, stream->bytes + stream->fill, STREAM_BYTES - stream->fill);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    stream_cut(stream);
    return;
  }
  stream->fill += (size_t)n;
  forward(stream);
}

void stream_resume(struct stream *stream)
{
  if (!stream->blocked) return;
  forward(stream);
  if (stream_done(stream)) finish(stream);
}

void stream_cut(struct stream *stream)
{
  if (stream->fd < 0) return;
  close(stream->fd);
  stream->fd = -1;
  forward(stream);
  if (stream_done(stream)) finish(stream);
}
