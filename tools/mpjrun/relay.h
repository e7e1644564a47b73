/* This header declares the relay: how rank 0 reads a terminal. Ranks have
 * process groups of their own, and a terminal stops whoever reads it from
 * another group than the one in front; so mpjrun reads it and passes it on. */
#ifndef MPJ_TOOLS_MPJRUN_RELAY_H
#define MPJ_TOOLS_MPJRUN_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum { RELAY_BYTES = 4096 };

/* Invariant: bytes[start, end) were read and not yet passed on. */
struct relay {
  int to;        /* write end of rank 0's standard input; -1: nothing to relay */
  int rank_side; /* its read end, until rank 0 has it; else -1 */
  size_t start, end;
  char bytes[RELAY_BYTES];
};

/* Open a relay if standard input is a terminal. False, with errno set, if that
 * fails. */
bool relay_open(struct relay *relay);

/* Close rank 0's side here, once it has been started. */
void relay_started(struct relay *relay);

/* What to poll for: fill in the terminal's entry and the pipe's. Returns true
 * while the terminal belongs to another process group, which is worth looking
 * at again now and then. */
bool relay_poll(const struct relay *relay, struct pollfd *terminal, struct pollfd *pipe);

/* Move what can be moved. */
void relay_move(struct relay *relay, const struct pollfd *terminal, const struct pollfd *pipe);

void relay_close(struct relay *relay);

#endif
