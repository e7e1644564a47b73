/* This file passes a terminal's input on to rank 0. */
#include "mpjrun/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

bool relay_open(struct relay *relay)
{
  *relay = (struct relay){.to = -1, .rank_side = -1};
  if (!isatty(STDIN_FILENO)) return true;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return false;
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  relay->rank_side = ends[0];
  relay->to = ends[1];
  return true;
}

void relay_started(struct relay *relay)
{
  if (relay->rank_side >= 0) close(relay->rank_side);
  relay->rank_side = -1;
}

static bool in_front(void)
{
  return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

bool relay_poll(const struct relay *relay, struct pollfd *terminal, struct pollfd *pipe)
{
  *terminal = *pipe = (struct pollfd){.fd = -1};
  if (relay->to < 0) return false;
  *pipe = (struct pollfd){.fd = relay->to, .events = relay->start < relay->end ? POLLOUT : 0};
  if (relay->start < relay->end) return false;
  if (!in_front()) return true;
  *terminal = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
  return false;
}

static void read_terminal(struct relay *relay)
{
  ssize_t n = read(STDIN_FILENO, relay->bytes, sizeof relay->bytes);
  if (n < 0 && (errno == EINTR || errno == EAGAIN || (errno == EIO && !in_front()))) return;
  if (n <= 0) {
    relay_close(relay);
    return;
  }
  relay->start = 0;
  relay->end = (size_t)n;
}

static void write_pipe(struct relay *relay)
{
  ssize_t n = write(relay->to, relay->bytes + relay->start, relay->end - relay->start);
  if (n >= 0)
    relay->start += (size_t)n;
  else if (errno != EINTR && errno != EAGAIN)
    relay_close(relay);
}

void relay_move(struct relay *relay, const struct pollfd *terminal, const struct pollfd *pipe)
{
  if (pipe->revents & POLLERR)
    relay_close(relay); /* rank 0 reads no more */
  else if (pipe->revents & POLLOUT)
    write_pipe(relay);
  else if (terminal->revents)
    read_terminal(relay);
}

void relay_close(struct relay *relay)
{
  relay_started(relay);
  if (relay->to >= 0) close(relay->to);
  relay->to = -1;
  relay->start = relay->end = 0;
}
