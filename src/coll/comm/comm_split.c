/* This file is the public calls that make communicators, and the one that frees
 * them. */
#include "base/entry.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/comm_attributes.h"
#include "coll/comm/comm_make.h"
#include "coll/comm/context.h"
#include "coll/run/comm_records.h"
#include "coll/run/engine.h"
#include "coll/threads/hold.h"

/* The rest of every call: agree, once the arguments have been looked at. */
static int make(struct mpj_comm *parent, enum mpj_part_of part_of, struct mpj_wish *wish,
                MPJ_Comm *newcomm)
{
  if (wish->status == MPJ_SUCCESS && !newcomm)
    wish->status = mpj_error(MPJ_ERR_ARG, "newcomm is NULL");
  struct mpj_comm_exchange exchange = mpj_comm_exchange_of_comm(parent, part_of);
  return mpj_comm_make(&exchange, wish, newcomm);
}

int MPJ_Comm_dup(MPJ_Comm handle, MPJ_Comm *newcomm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_wish wish = {.member = true, .is_all = true, .n = -1, .is_dup = true};
  return make(comm, MPJ_PART_OF_COMM_DUP, &wish, newcomm);
}

int MPJ_Comm_split(MPJ_Comm handle, int color, int key, MPJ_Comm *newcomm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_wish wish = {
      .member = color != MPJ_UNDEFINED, .group = (uint64_t)color, .key = key, .n = -1};
  if (color < 0 && color != MPJ_UNDEFINED)
    wish.status = mpj_error(MPJ_ERR_ARG, "color is %d, must be at least 0 or MPJ_UNDEFINED", color);
  return make(comm, MPJ_PART_OF_COMM_SPLIT, &wish, newcomm);
}

int MPJ_Comm_split_node(MPJ_Comm handle, int key, MPJ_Comm *newcomm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  const struct mpj_net *net = comm->context->net;
  struct mpj_wish wish = {
      .member = true, .group = net ? (uint64_t)net->node : 0, .key = key, .n = -1};
  return make(comm, MPJ_PART_OF_COMM_SPLIT_NODE, &wish, newcomm);
}

static int check_ranks(const struct mpj_comm *comm, int n, const int ranks[])
{
  if (n < 0 || n > comm->size)
    return mpj_error(MPJ_ERR_ARG, "n is %d, must be 0 to %d, the size of comm", n, comm->size);
  if (n > 0 && !ranks) return mpj_error(MPJ_ERR_ARG, "ranks is NULL");
  return mpj_comm_check_ranks(n, ranks, comm->size, "ranks", "comm");
}

/* A list's ranks are one group: named by all of them, in their order (FNV-1a). */
static uint64_t name_list(int n, const int ranks[])
{
  uint64_t name = UINT64_C(0xcbf29ce484222325);
  for (int i = 0; i < n; i++)
    name = (name ^ (uint64_t)ranks[i]) * UINT64_C(0x100000001b3);
  return name;
}

int MPJ_Comm_create(MPJ_Comm handle, int n, const int ranks[], MPJ_Comm *newcomm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  const int status = mpj_comm_resolve(handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_wish wish = {.n = n, .ranks = ranks};
  wish.status = check_ranks(comm, n, ranks);
  if (wish.status == MPJ_SUCCESS) wish.group = name_list(n, ranks);
  for (int i = 0; i < n && wish.status == MPJ_SUCCESS; i++) {
    if (ranks[i] != comm->rank) continue;
    wish.member = true;
    wish.key = i;
  }
  return make(comm, MPJ_PART_OF_COMM_CREATE, &wish, newcomm);
}

int MPJ_Comm_free(MPJ_Comm *handle)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *comm = NULL;
  if (!handle) return mpj_error(MPJ_ERR_ARG, "comm is NULL");
  int status = mpj_comm_resolve_any(*handle, &comm);
  if (status != MPJ_SUCCESS) return status;
  if (comm->serial == 0)
    return mpj_error(MPJ_ERR_COMM, "comm is %s, which is nobody's to free",
                     comm->id == MPJ_WORLD_ID ? "MPJ_COMM_WORLD" : "MPJ_COMM_SELF");
  status = mpj_comm_clear_attributes(comm);
  if (status != MPJ_SUCCESS) return status;
  *handle = MPJ_COMM_NULL;
  comm->freed = true;
  if (!comm->busy) mpj_comm_list(comm); /* progress leaves it when nothing is under way */
  mpj_engine_progress(comm->context);
  return MPJ_SUCCESS;
}
