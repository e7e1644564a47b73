/* This file is mpjrun's event loop. */
#include <math.h>
#include <poll.h>

#include <mpj/base.h>

#include "base/memory.h"
#include "mpjrun/job.h"

#define TERMINAL_S 0.25 /* between looks at whom the terminal belongs to */
#define SWEEP_S 0.005   /* between looks at dying processes */

/* Signals come first: whatever a child wrote before it exited is then seen in
 * the same round as its exit, and is taken in before it. */
enum { SIGNALS, START, OUT, ERR, TERMINAL, PIPE, STREAMS };

static struct pollfd entry(int fd, short events)
{
  return (struct pollfd){.fd = fd, .events = events};
}

static struct pollfd sink_entry(const struct sink *sink)
{
  return entry(sink_empty(sink) ? -1 : sink->fd, POLLOUT);
}

static struct pollfd stream_entry(const struct stream *stream)
{
  return entry(stream_wants_input(stream) ? stream->fd : -1, POLLIN);
}

/* Seconds that poll may wait. */
static double patience(const struct job *job, bool tick)
{
  double until = fmin(job->deadline, job->watch_at);
  if (job->phase < PHASE_TERM) until = fmin(until, job->timeout_at);
  double seconds = fmax(until - MPJ_Wtime(), 0);
  if (job->phase == PHASE_SWEEP) return fmin(seconds, SWEEP_S);
  return tick ? fmin(seconds, TERMINAL_S) : seconds;
}

/* Fill in what to wait for; returns how long, in ms, -1 for ever. */
static int prepare(struct job *job, struct pollfd entries[])
{
  entries[SIGNALS] = entry(job->signal_fd, POLLIN);
  entries[START] = entry(job->start_fd, POLLIN);
  entries[OUT] = sink_entry(job->out);
  entries[ERR] = job->err == job->out ? entry(-1, 0) : sink_entry(job->err);
  bool tick = relay_poll(&job->relay, &entries[TERMINAL], &entries[PIPE]);
  for (int rank = 0; rank < job->options.nranks; rank++) {
    entries[STREAMS + 2 * rank] = stream_entry(&job->ranks[rank].out);
    entries[STREAMS + 2 * rank + 1] = stream_entry(&job->ranks[rank].err);
  }
  double seconds = patience(job, tick);
  return seconds > 1e6 ? -1 : (int)ceil(seconds * 1e3);
}

static void move_output(struct job *job, const struct pollfd entries[])
{
  if (entries[OUT].revents) sink_write(job->out);
  if (entries[ERR].revents) sink_write(job->err);
  for (int i = 0; i < 2 * job->options.nranks; i++) {
    struct rank *rank = &job->ranks[i / 2];
    struct stream *stream = i % 2 ? &rank->err : &rank->out;
    stream_resume(stream);
    if (entries[STREAMS + i].revents && stream_wants_input(stream)) stream_read(stream);
  }
}

bool job_open_loop(struct job *job)
{
  job->entries =
      mpj_alloc_array((size_t)STREAMS + 2 * (size_t)job->options.nranks, sizeof *job->entries);
  return job->entries;
}

void job_loop(struct job *job)
{
  struct pollfd *entries = job->entries;
  while (job->phase != PHASE_END) {
    int timeout_ms = prepare(job, entries);
    if (poll(entries, STREAMS + 2 * (nfds_t)job->options.nranks, timeout_ms) < 0) continue;
    if (entries[START].revents) job_read_start(job);
    relay_move(&job->relay, &entries[TERMINAL], &entries[PIPE]);
    move_output(job, entries);
    if (entries[SIGNALS].revents) job_read_signals(job);
    job_watch(job);
    job_check_deadlines(job);
    job_check_progress(job);
  }
}
