/* This file says what threads a rank has, and binds threads to ranks. */
#include "base/status.h"
#include "coll/context.h"

static int live_context(struct mpj_context **context)
{
  *context = mpj_context_current();
  if (*context && (*context)->state == MPJ_CONTEXT_LIVE) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_INTERNAL, "MPJ_Init has not been called, or MPJ_Finalize has");
}

int MPJ_Query_thread(int *provided)
{
  struct mpj_context *context;
  const int status = live_context(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!provided) return mpj_error(MPJ_ERR_ARG, "provided is NULL");
  *provided = context->thread_level;
  return MPJ_SUCCESS;
}

int MPJ_Is_thread_main(int *flag)
{
  struct mpj_context *context;
  const int status = live_context(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!flag) return mpj_error(MPJ_ERR_ARG, "flag is NULL");
  *flag = pthread_equal(context->main_thread, pthread_self()) != 0;
  return MPJ_SUCCESS;
}

int MPJ_Context_get(MPJ_Context *handle)
{
  struct mpj_context *context;
  const int status = live_context(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!handle) return mpj_error(MPJ_ERR_ARG, "context is NULL");
  *handle = context;
  return MPJ_SUCCESS;
}

int MPJ_Context_adopt(MPJ_Context context)
{
  if (context && context->state != MPJ_CONTEXT_LIVE)
    return mpj_error(MPJ_ERR_INTERNAL, "context's rank has called MPJ_Finalize");
  mpj_context_bind_thread(context);
  return MPJ_SUCCESS;
}
