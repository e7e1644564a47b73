/* This file hands out memory that the ranks of a machine share. */
#include <unistd.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/context.h"
#include "coll/threads/hold.h"

static int whole_pages(MPJ_Count bytes, size_t *rounded)
{
  const MPJ_Count page = sysconf(_SC_PAGESIZE);
  MPJ_Count up;
  if (bytes < 0) return mpj_error(MPJ_ERR_ARG, "bytes is %lld", (long long)bytes);
  if (__builtin_add_overflow(bytes == 0 ? 1 : bytes, page - 1, &up))
    return mpj_error(MPJ_ERR_NO_MEM, "bytes is %lld, more than there can be", (long long)bytes);
  *rounded = (size_t)(up / page * page);
  return MPJ_SUCCESS;
}

int MPJ_Alloc_mem(MPJ_Count bytes, void **base)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_context *context;
  size_t rounded = 0;
  int status = mpj_context_live(&context);
  if (status == MPJ_SUCCESS && !base) status = mpj_error(MPJ_ERR_ARG, "base is NULL");
  if (status == MPJ_SUCCESS) status = whole_pages(bytes, &rounded);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_allocation *a = mpj_alloc(sizeof *a);
  if (!a) return mpj_error(MPJ_ERR_NO_MEM, "no memory to note a block of %zu bytes", rounded);
  status = mpj_net_alloc(context->net, rounded, &a->block);
  if (status != MPJ_SUCCESS) {
    mpj_free(a);
    return status;
  }
  a->next = context->allocations;
  context->allocations = a;
  *base = a->block.base;
  return MPJ_SUCCESS;
}

/* Free the one that *link points to. */
static void free_one(struct mpj_context *context, struct mpj_allocation **link)
{
  struct mpj_allocation *a = *link;
  *link = a->next;
  mpj_net_free(context->net, &a->block);
  mpj_free(a);
}

int MPJ_Free_mem(void *base)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_context *context;
  const int status = mpj_context_live(&context);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_allocation **link = &context->allocations;
  while (*link && (*link)->block.base != base)
    link = &(*link)->next;
  if (!*link)
    return mpj_error(MPJ_ERR_ARG, "base is %p, which MPJ_Alloc_mem did not give to this rank",
                     base);
  free_one(context, link);
  return MPJ_SUCCESS;
}

void mpj_context_free_memory(struct mpj_context *context)
{
  while (context->allocations)
    free_one(context, &context->allocations);
}
