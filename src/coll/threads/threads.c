/* This file says what threads a rank has, and binds threads to ranks. */
#include "base/entry.h"
#include "base/status.h"
#include "coll/comm/context.h"

int MPJ_Query_thread(int *provided)
{
  MPJ_ENTRY;
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!provided) return mpj_error(MPJ_ERR_ARG, "provided is NULL");
  *provided = context->thread_level;
  return MPJ_SUCCESS;
}

int MPJ_Is_thread_main(int *flag)
{
  MPJ_ENTRY;
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!flag) return mpj_error(MPJ_ERR_ARG, "flag is NULL");
  *flag = pthread_equal(context->main_thread, pthread_self()) != 0;
  return MPJ_SUCCESS;
}

int MPJ_Context_get(MPJ_Context *handle)
{
  MPJ_ENTRY;
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  if (status != MPJ_SUCCESS) return status;
  if (!handle) return mpj_error(MPJ_ERR_ARG, "context is NULL");
  *handle = context;
  return MPJ_SUCCESS;
}

int MPJ_Context_adopt(MPJ_Context context)
{
  MPJ_ENTRY;
  if (context && !mpj_context_is_known(context))
    return mpj_error(MPJ_ERR_ARG, "context %p is no context of this process, or its rank has ended",
                     (void *)context);
  if (context && context->state != MPJ_CONTEXT_LIVE)
    return mpj_error(MPJ_ERR_INTERNAL, "context's rank has called MPJ_Finalize");
  mpj_context_bind_thread(context);
  return MPJ_SUCCESS;
}
