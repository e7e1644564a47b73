/* This file is the users' side of active messages: what they pass is checked, and
 * waited for. */
#include <mpj/am.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/rpc/am.h"
#include "coll/run/engine.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/hold.h"
#include "coll/threads/rank_lock_pass.h"
#include "net/am/am_begin.h"

static int current(struct mpj_am **am)
{
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  return status == MPJ_SUCCESS ? mpj_context_am(context, am) : status;
}

int mpj_am_outside(struct mpj_am **am)
{
  const int status = current(am);
  if (status != MPJ_SUCCESS || !(*am)->in_handler) return status;
  return mpj_error(MPJ_ERR_REQUEST, "rank %d may not do this in a handler", (*am)->rank);
}

int mpj_am_check_handler(int handler)
{
  if (handler >= 0 && handler < MPJ_AM_HANDLERS_MAX) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_ARG, "handler is %d, must be 0 to %d", handler, MPJ_AM_HANDLERS_MAX - 1);
}

int mpj_am_check_dest(const struct mpj_am *am, const char *argument, int dest)
{
  if (dest < 0 || dest >= am->size)
    return mpj_error(MPJ_ERR_ARG, "%s is %d, there are ranks 0 to %d", argument, dest,
                     am->size - 1);
  char how[MPJ_AM_HOW];
  if (!am->peers[dest].gone || !mpj_am_how_gone(am, dest, how)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_PEER, "%s is rank %d, which %s", argument, dest, how);
}

static int check_header(const void *header, int header_bytes)
{
  if (header_bytes < 0 || header_bytes > MPJ_AM_HEADER_MAX)
    return mpj_error(MPJ_ERR_ARG, "header_bytes is %d, must be 0 to %d", header_bytes,
                     MPJ_AM_HEADER_MAX);
  return header || header_bytes == 0 ? MPJ_SUCCESS : mpj_error(MPJ_ERR_ARG, "header is NULL");
}

/* Poll once. */
static bool poll_once(struct mpj_am *am)
{
  const bool moved = am->net ? mpj_net_poll(am->net) : mpj_am_advance(am);
  if (moved) mpj_context_current()->lock.news = true;
  return moved;
}

void mpj_am_forget_function(struct mpj_context *context, int handler)
{
  if (!context->functions || !context->functions[handler]) return;
  context->functions[handler]->free(context->functions[handler]);
  context->functions[handler] = NULL;
}

void mpj_am_forget_functions(struct mpj_context *context)
{
  for (int i = 0; context->functions && i < MPJ_AM_HANDLERS_MAX; i++)
    mpj_am_forget_function(context, i);
  mpj_free(context->functions);
  context->functions = NULL;
}

int MPJ_Am_register(int handler, MPJ_Am_header_function *on_header,
                    MPJ_Am_completion_function *on_complete, void *ctx)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS) status = mpj_am_check_handler(handler);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_am_handler h = {.on_header = on_header, .on_complete = on_complete, .ctx = ctx};
  mpj_am_forget_function(mpj_context_current(), handler);
  mpj_am_set_handler(am, handler, &h);
  return MPJ_SUCCESS;
}

void mpj_am_note_end(void *arg, int status)
{
  struct mpj_am_ending *ending = arg;
  ending->over = true;
  ending->status = status;
  mpj_error_keep(ending->why, sizeof ending->why);
}

int mpj_am_await(const struct mpj_am_ending *ending)
{
  struct mpj_pause pause = {0};
  while (!ending->over)
    mpj_wait_step(mpj_context_current(), &pause);
  return ending->status == MPJ_SUCCESS ? MPJ_SUCCESS : mpj_error(ending->status, "%s", ending->why);
}

/* Post a request, waiting for room. */
int mpj_am_post_request(struct mpj_am *am, const struct mpj_am_wanted *w)
{
  struct mpj_pause pause = {0};
  for (;;) {
    int status = mpj_am_check_dest(am, "dest", w->dest);
    if (status == MPJ_SUCCESS)
      status = mpj_am_request(am, w->dest, w->handler, w->header, w->header_bytes, &w->data,
                              w->digest, w->sent, w->arg, w->outcome);
    if (status != MPJ_AM_AGAIN) return status;
    mpj_wait_step(mpj_context_current(), &pause);
  }
}

int MPJ_Am_send(int dest, int handler, const void *header, int header_bytes, const void *buf,
                MPJ_Datatype type, MPJ_Am_sent_function *sent, void *arg)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_ending left = {.over = false};
  struct mpj_am_wanted w = {.dest = dest,
                            .handler = handler,
                            .header = header,
                            .header_bytes = header_bytes,
                            .sent = sent ? sent : mpj_am_note_end,
                            .arg = sent ? arg : &left};
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS) status = mpj_am_check_handler(handler);
  if (status == MPJ_SUCCESS) status = mpj_am_check_dest(am, "dest", dest);
  if (status == MPJ_SUCCESS) status = check_header(header, header_bytes);
  if (status == MPJ_SUCCESS) status = mpj_am_data_of(buf, type, &w.data, &w.digest);
  if (status == MPJ_SUCCESS) status = mpj_am_post_request(am, &w);
  return status != MPJ_SUCCESS || sent ? status : mpj_am_await(&left);
}

static int check_message(const struct mpj_am *am, MPJ_Am_message message)
{
  if (!message) return mpj_error(MPJ_ERR_ARG, "message is NULL");
  if (mpj_am_has(am, message)) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_REQUEST, "message %p is no message of rank %d, or is over",
                   (void *)message, am->rank);
}

int MPJ_Am_reply(MPJ_Am_message message, int handler, const void *header, int header_bytes,
                 const void *buf, MPJ_Datatype type, MPJ_Am_sent_function *sent, void *arg)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_data data;
  uint64_t digest;
  int status = current(&am);
  if (status == MPJ_SUCCESS) status = mpj_am_check_handler(handler);
  if (status == MPJ_SUCCESS) status = check_header(header, header_bytes);
  if (status == MPJ_SUCCESS) status = check_message(am, message);
  if (status == MPJ_SUCCESS && (message->reply || message->replied))
    status = mpj_error(MPJ_ERR_REQUEST, "message is a reply, or has got one");
  if (status == MPJ_SUCCESS)
    status = mpj_am_check_dest(am, "source of message", message->info.source);
  if (status == MPJ_SUCCESS) status = mpj_am_data_of(buf, type, &data, &digest);
  if (status != MPJ_SUCCESS) return status;
  mpj_am_answer(message, handler, header, header_bytes, &data, digest, sent, arg);
  return MPJ_SUCCESS;
}

int MPJ_Am_accept(MPJ_Am_message message, void *buf, MPJ_Datatype type)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_data data;
  uint64_t digest;
  int status = current(&am);
  if (status == MPJ_SUCCESS) status = check_message(am, message);
  if (status == MPJ_SUCCESS && message->state != MPJ_AM_MESSAGE_LATER)
    status = mpj_error(MPJ_ERR_REQUEST, "message does not wait to be accepted");
  if (status == MPJ_SUCCESS) status = mpj_am_data_of(buf, type, &data, &digest);
  if (status == MPJ_SUCCESS && !data.view.layout && message->info.bytes > 0)
    status = mpj_error(MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL");
  if (status == MPJ_SUCCESS) mpj_am_take(message, &data, digest);
  return status;
}

int MPJ_Am_progress(int *moved)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  const int status = mpj_am_outside(&am);
  if (status != MPJ_SUCCESS) return status;
  bool any = poll_once(am);
  if (!any && am->net) mpj_net_notice(am->net);
  if (!any) any = mpj_am_notice(am);
  if (moved) *moved = any;
  return MPJ_SUCCESS;
}

/* Whether nobody is left who could change anything, or somebody died. */
static int look_for_hope(const struct mpj_am *am)
{
  char how[MPJ_AM_HOW];
  int left = 0;
  for (int i = 0; i < am->size; i++) {
    if (i == am->rank) continue;
    const enum mpj_rank_state state = mpj_net_peer_state(am->net, i, NULL);
    left += state == MPJ_RANK_FINALIZED || mpj_net_is_leaving(am->net, i);
    if (state == MPJ_RANK_DEAD)
      return mpj_error(MPJ_ERR_PEER, "rank %d %s while rank %d waited", i,
                       mpj_am_how_gone(am, i, how), am->rank);
  }
  if (left < am->size - 1) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_PEER, "all others have left while rank %d waited", am->rank);
}

int MPJ_Am_wait(const volatile int *count, int least)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_pause pause = {0};
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS && !count) status = mpj_error(MPJ_ERR_ARG, "count is NULL");
  struct mpj_context *context = mpj_context_current();
  while (status == MPJ_SUCCESS && *count < least) {
    mpj_wait_step(context, &pause);
    if (*count >= least) break;
    if (!am->net && !am->attention)
      return mpj_error(MPJ_ERR_PEER, "rank %d is alone, and nothing is left to run", am->rank);
    if (!am->net || am->changes == 0 || pause.idle == 0) continue;
    if (look_for_hope(am) != MPJ_SUCCESS && !mpj_engine_progress(context))
      status = look_for_hope(am); /* what was sent before has been taken in */
  }
  return status;
}

int MPJ_Am_flush(void)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_pause pause = {0};
  int status = mpj_am_outside(&am);
  if (status != MPJ_SUCCESS) return status;
  mpj_am_ask_for_acks(am, true);
  while (am->under_way > 0) {
    mpj_wait_step(mpj_context_current(), &pause);
    mpj_am_ask_for_acks(am, false);
  }
  if (am->error == MPJ_SUCCESS) return MPJ_SUCCESS;
  status = am->error;
  am->error = MPJ_SUCCESS;
  return mpj_error(status, "%s", am->why);
}
