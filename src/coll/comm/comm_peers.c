/* This file makes communicators of ranks that have an exchange of their own. */
#include "base/entry.h"
#include "base/status.h"
#include "coll/comm/comm_make.h"
#include "coll/comm/context.h"
#include "coll/threads/hold.h"
#include "net/boot/peers.h"

static int check_ranks(const struct mpj_context *context, const struct MPJ_Peers *peers,
                       const int ranks[])
{
  return ranks ? mpj_comm_check_ranks(peers->size, ranks, context->size, "world_ranks",
                                      "MPJ_COMM_WORLD")
               : MPJ_SUCCESS;
}

int MPJ_Comm_create_peers(const struct MPJ_Peers *peers, const int world_ranks[], MPJ_Comm *comm)
{
  MPJ_ENTRY;
  MPJ_HELD held = mpj_hold(mpj_context_current());
  (void)held;
  struct mpj_comm *world = NULL;
  int status = mpj_peers_check(peers);
  if (status == MPJ_SUCCESS) status = mpj_comm_resolve_outside(MPJ_COMM_WORLD, &world);
  if (status != MPJ_SUCCESS) return status;
  struct mpj_wish wish = {.member = true, .is_all = true, .n = -1, .world_ranks = world_ranks};
  wish.status = check_ranks(world->context, peers, world_ranks);
  if (wish.status == MPJ_SUCCESS && !comm) wish.status = mpj_error(MPJ_ERR_ARG, "comm is NULL");
  struct mpj_comm_exchange exchange = mpj_comm_exchange_of_peers(world->context, peers);
  return mpj_comm_make(&exchange, &wish, comm);
}
