/* This file begins and ends a process's part in a job. */
#include <stdlib.h>
#include <unistd.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/calls/request.h"
#include "coll/comm/comm_attributes.h"
#include "coll/comm/context_create.h"
#include "coll/comm/leave.h"
#include "coll/threads/hold.h"
#include "net/boot/boot.h"
#include "net/boot/peers.h"
#include "net/chaos/chaos.h"

static int init_thread_rank(struct mpj_context *context, int required)
{
  if (context->init_called || context->state == MPJ_CONTEXT_FINALIZED)
    return mpj_error(MPJ_ERR_INTERNAL,
                     "MPJ_Init was called twice by rank %d, or after MPJ_Finalize", context->rank);
  context->init_called = true;
  return mpj_context_set_threads(context, required);
}

/* Become the rank at this endpoint (moved), or one alone (NULL). */
static int begin(struct mpj_net *net, int required)
{
  struct mpj_context *context;
  int status = mpj_context_create(net, &context);
  if (status != MPJ_SUCCESS) {
    if (net) mpj_net_close(net, MPJ_RANK_DEAD, 0);
    return status;
  }
  struct mpj_am *am;
  status = mpj_context_am(context, &am);
  if (status == MPJ_SUCCESS) status = mpj_context_set_threads(context, required);
  if (status == MPJ_SUCCESS && mpj_context_claim_process(context)) return MPJ_SUCCESS;
  mpj_context_finalize(context, MPJ_RANK_DEAD, 0);
  mpj_context_free(context);
  return status != MPJ_SUCCESS
             ? status
             : mpj_error(MPJ_ERR_INTERNAL, "MPJ_Init was called by two threads at once");
}

/* MPJ_SUCCESS, or the error of a call in a child of a rank. */
static int check_forked(const char *call)
{
  if (!mpj_context_forked()) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_INTERNAL, "%s was called, but %s", call, mpj_context_forked());
}

static int init(int required)
{
  struct mpj_context *context = mpj_context_current();
  struct mpj_net *net;
  if (context && context->thread_rank) return init_thread_rank(context, required);
  if (!context && check_forked("MPJ_Init") != MPJ_SUCCESS) return MPJ_ERR_INTERNAL;
  if (context)
    return mpj_error(MPJ_ERR_INTERNAL, "MPJ_Init was called twice, or after MPJ_Finalize");
  const int status = mpj_boot_open(&net);
  return status == MPJ_SUCCESS ? begin(net, required) : status;
}

static int init_peers(const struct MPJ_Peers *peers, int required)
{
  struct mpj_net *net;
  if (mpj_context_current())
    return mpj_error(MPJ_ERR_INTERNAL,
                     "MPJ_Init_peers was called after MPJ_Init, or by a rank that is a thread");
  int status = check_forked("MPJ_Init_peers");
  if (status == MPJ_SUCCESS) status = mpj_peers_check(peers);
  if (status == MPJ_SUCCESS) status = mpj_boot_peers(peers, &net);
  if (status != MPJ_SUCCESS) return status;
  status = mpj_chaos_join(&net, true);
  if (status == MPJ_SUCCESS) return begin(net, required);
  if (net) mpj_net_close(net, MPJ_RANK_DEAD, 0);
  return status;
}

static int check_level(int required, const int *provided)
{
  if (required < MPJ_THREAD_SINGLE || required > MPJ_THREAD_MULTIPLE)
    return mpj_error(MPJ_ERR_ARG, "required is %d, must be %d to %d", required, MPJ_THREAD_SINGLE,
                     MPJ_THREAD_MULTIPLE);
  return provided ? MPJ_SUCCESS : mpj_error(MPJ_ERR_ARG, "provided is NULL");
}

int MPJ_Init(int *argc, char ***argv)
{
  MPJ_ENTRY;
  (void)argc;
  (void)argv;
  return init(MPJ_THREAD_SINGLE);
}

int MPJ_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  MPJ_ENTRY;
  (void)argc;
  (void)argv;
  int status = check_level(required, provided);
  if (status == MPJ_SUCCESS) status = init(required);
  if (status == MPJ_SUCCESS) *provided = required;
  return status;
}

int MPJ_Init_peers(const struct MPJ_Peers *peers)
{
  MPJ_ENTRY;
  return init_peers(peers, MPJ_THREAD_SINGLE);
}

int MPJ_Init_peers_thread(const struct MPJ_Peers *peers, int required, int *provided)
{
  MPJ_ENTRY;
  int status = check_level(required, provided);
  if (status == MPJ_SUCCESS) status = init_peers(peers, required);
  if (status == MPJ_SUCCESS) *provided = required;
  return status;
}

/* Whether the rank may leave now. */
static int check_leaving(struct mpj_context *context)
{
  MPJ_HELD held = mpj_hold(context);
  const uint64_t open = mpj_context_open(held, false);
  if (open > 0)
    return mpj_error(MPJ_ERR_REQUEST, "MPJ_Finalize was called with %llu operations under way",
                     (unsigned long long)open);
  struct mpj_comm *self = mpj_context_comm(held, MPJ_SELF_ID);
  return self ? mpj_comm_clear_attributes(self) : MPJ_SUCCESS;
}

int MPJ_Finalize(void)
{
  MPJ_ENTRY;
  struct mpj_context *context = mpj_context_current();
  if (!context && check_forked("MPJ_Finalize") != MPJ_SUCCESS) return MPJ_ERR_INTERNAL;
  if (!context || context->state == MPJ_CONTEXT_FINALIZED)
    return mpj_error(MPJ_ERR_INTERNAL, "MPJ_Finalize was called %s",
                     context ? "twice" : "before MPJ_Init");
  const int status = check_leaving(context);
  if (status != MPJ_SUCCESS) return status;
  return mpj_context_leave(context, true);
}

int MPJ_Initialized(int *flag)
{
  MPJ_ENTRY;
  if (!flag) return mpj_error(MPJ_ERR_ARG, "flag is NULL");
  *flag = mpj_context_current() != NULL || mpj_context_forked();
  return MPJ_SUCCESS;
}

int MPJ_Finalized(int *flag)
{
  MPJ_ENTRY;
  const struct mpj_context *context = mpj_context_current();
  if (!flag) return mpj_error(MPJ_ERR_ARG, "flag is NULL");
  *flag = context ? context->state == MPJ_CONTEXT_FINALIZED : mpj_context_forked() != NULL;
  return MPJ_SUCCESS;
}

int MPJ_Abort(MPJ_Comm handle, int code)
{
  MPJ_ENTRY;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve_any(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  const int exit_code = code >= 1 && code <= 255 ? code : 1;
  fflush(NULL);
  mpj_warn("rank %d called MPJ_Abort with code %d", comm->rank, code);
  _exit(exit_code);
}
