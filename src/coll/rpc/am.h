/* This header declares what the users' side of active messages shares: the calling
 * rank's runtime, the checks of arguments, and functions that are called. */
#ifndef MPJ_SRC_COLL_RPC_AM_H
#define MPJ_SRC_COLL_RPC_AM_H

#include "coll/comm/context.h"
#include "net/am/requests.h"

/* The calling rank's runtime; MPJ_ERR_REQUEST in a handler. */
int mpj_am_outside(struct mpj_am **am);

int mpj_am_check_handler(int handler);
int mpj_am_check_dest(const struct mpj_am *am, const char *argument, int dest);

/* A request that is to be posted: the arguments of mpj_am_request. */
struct mpj_am_wanted {
  int dest, handler, header_bytes;
  const void *header;
  struct mpj_am_data data;
  uint64_t digest;
  MPJ_Am_sent_function *sent;
  void *arg;
  struct mpj_am_outcome *outcome;
};
int mpj_am_post_request(struct mpj_am *am, const struct mpj_am_wanted *w);

/* The end of something that the caller waits for: mpj_am_note_end, a sent function,
 * sets it; then its status, with the detail of then. */
struct mpj_am_ending {
  bool over;
  int status;
  char why[200];
};
void mpj_am_note_end(void *ending, int status);
int mpj_am_await(const struct mpj_am_ending *ending);

/* What begins a registered function (am_call.c): how it is freed. */
struct mpj_am_function {
  void (*free)(struct mpj_am_function *function);
};
/* Forget the function registered for `handler`; all of them. */
void mpj_am_forget_function(struct mpj_context *context, int handler);
void mpj_am_forget_functions(struct mpj_context *context);

#endif
