/* This file words mpjrun's own messages. */
#include <stdarg.h>
#include <stdio.h>

#include "mpjrun/job.h"

void job_say(struct job *job, const char *format, ...)
{
  char line[1024] = "mpjrun: ";
  const size_t prefix = sizeof "mpjrun: " - 1;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line + prefix, sizeof line - prefix - 1, format, args);
  va_end(args);
  size_t length = prefix + (n < 0 ? 0 : (size_t)n);
  if (length > sizeof line - 2) length = sizeof line - 2; /* it was cut there */
  line[length++] = '\n';
  struct sink *sink = job->err;
  if (sink_room(sink) < length + 1) return;
  if (sink->mid_line) sink_put(sink, job, "\n", 1);
  sink_put(sink, job, line, length);
}

const char *job_running_text(const struct job *job, char *text, size_t size)
{
  size_t at = (size_t)snprintf(text, size, job->running == 1 ? "rank" : "ranks");
  int seen = 0;
  for (int i = 0; i < job->options.nranks && at < size; i++) {
    if (!job->ranks[i].running) continue;
    const char *before = seen == 0 ? " " : seen == job->running - 1 ? " and " : ", ";
    at += (size_t)snprintf(text + at, size - at, "%s%d", before, i);
    seen++;
  }
  return text;
}
