/* This file is the users' side of regions: arguments are checked, ends waited for. */
#include <mpj/am.h>

#include "base/entry.h"
#include "base/status.h"
#include "coll/rpc/am.h"
#include "coll/run/wait_turn.h"
#include "coll/threads/hold.h"
#include "net/am/region.h"

int MPJ_Am_expose(void *buf, MPJ_Datatype type, MPJ_Am_region *region)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_data data;
  uint64_t digest;
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS && !region) status = mpj_error(MPJ_ERR_ARG, "region is NULL");
  if (status == MPJ_SUCCESS) status = mpj_am_data_of(buf, type, &data, &digest);
  if (status == MPJ_SUCCESS && !data.view.layout)
    status = mpj_error(MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL");
  return status == MPJ_SUCCESS ? mpj_am_open_region(am, &data, digest, region) : status;
}

int MPJ_Am_withdraw(const MPJ_Am_region *region)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_exposed *exposed = NULL;
  struct mpj_pause pause = {0};
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS && !region) status = mpj_error(MPJ_ERR_ARG, "region is NULL");
  if (status == MPJ_SUCCESS) status = mpj_am_close_region(am, region, &exposed);
  while (status == MPJ_SUCCESS && !mpj_am_free_region(exposed))
    mpj_wait_step(mpj_context_current(), &pause);
  return status;
}

typedef int request_fn(struct mpj_am *am, const MPJ_Am_region *region,
                       const struct mpj_am_data *data, uint64_t digest, MPJ_Am_sent_function *end,
                       void *arg);

/* Post a put or a get, waiting for room. */
static int post(request_fn *request, struct mpj_am *am, const void *buf, MPJ_Datatype type,
                const MPJ_Am_region *region, MPJ_Am_sent_function *end, void *arg)
{
  struct mpj_am_data data;
  uint64_t digest;
  struct mpj_pause pause = {0};
  int status = mpj_am_data_of(buf, type, &data, &digest);
  if (status == MPJ_SUCCESS && !data.view.layout)
    status = mpj_error(MPJ_ERR_TYPE, "type is MPJ_DATATYPE_NULL");
  while (status == MPJ_SUCCESS) {
    status = mpj_am_check_dest(am, "region->rank", region->rank);
    if (status == MPJ_SUCCESS) status = request(am, region, &data, digest, end, arg);
    if (status != MPJ_AM_AGAIN) break;
    mpj_wait_step(mpj_context_current(), &pause);
    status = MPJ_SUCCESS;
  }
  return status;
}

/* The same, with the wait for its end where nobody is to be told of it. */
static int access_region(request_fn *request, const void *buf, MPJ_Datatype type,
                         const MPJ_Am_region *region, MPJ_Am_sent_function *told, void *arg)
{
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_am *am;
  struct mpj_am_ending end = {.over = false};
  int status = mpj_am_outside(&am);
  if (status == MPJ_SUCCESS && !region) status = mpj_error(MPJ_ERR_ARG, "region is NULL");
  if (status == MPJ_SUCCESS)
    status = post(request, am, buf, type, region, told ? told : mpj_am_note_end, told ? arg : &end);
  return status != MPJ_SUCCESS || told ? status : mpj_am_await(&end);
}

int MPJ_Am_put(const void *buf, MPJ_Datatype type, const MPJ_Am_region *region,
               MPJ_Am_sent_function *sent, void *arg)
{
  MPJ_ENTRY;
  return access_region(mpj_am_request_put, buf, type, region, sent, arg);
}

int MPJ_Am_get(void *buf, MPJ_Datatype type, const MPJ_Am_region *region,
               MPJ_Am_sent_function *done, void *arg)
{
  MPJ_ENTRY;
  return access_region(mpj_am_request_get, buf, type, region, done, arg);
}
