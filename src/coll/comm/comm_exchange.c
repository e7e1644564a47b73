/* This file lets ranks that agree on a communicator hear each other. */
#include "coll/comm/comm_exchange.h"

#include "base/memory.h"
#include "base/status.h"
#include "coll/check/check.h"
#include "coll/comm/agree.h"
#include "coll/comm/context.h"
#include "coll/threads/rank_lock_pass.h"

/* Some 32 sqrt(ranks): up to 1024 are one block, and more are at most sqrt(ranks) / 32 + 1. */
static int block_of(int ranks)
{
  int64_t block = 256;
  while (block * block < INT64_C(1024) * ranks)
    block += 32;
  return (int)block;
}

struct mpj_comm_exchange mpj_comm_exchange_of_comm(struct mpj_comm *parent,
                                                   enum mpj_part_of part_of)
{
  return (struct mpj_comm_exchange){.context = parent->context,
                                    .rank = parent->rank,
                                    .size = parent->size,
                                    .block = block_of(parent->size),
                                    .parent = parent,
                                    .part_of = part_of};
}

struct mpj_comm_exchange mpj_comm_exchange_of_peers(struct mpj_context *context,
                                                    const struct MPJ_Peers *peers)
{
  return (struct mpj_comm_exchange){
      .context = context, .rank = peers->rank, .size = peers->size, .peers = peers};
}

/* By somebody else's exchange */

/* What others have sent must not wait for whoever waits in the exchange. */
static int exchange(const struct mpj_comm_exchange *f, const void *mine, void *all, size_t bytes)
{
  const unsigned kept = mpj_rank_lock_step_out(f->context);
  const int code = f->peers->allgather(f->peers->ctx, mine, all, (MPJ_Count)bytes);
  mpj_rank_lock_step_in(f->context, kept);
  if (code == 0) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_PEER, "allgather of rank %d of %d returned %d", f->rank, f->size, code);
}

/* A number of each. Who has no memory for more says so by one: few fit on the stack. */
static int exchange_numbers(const struct mpj_comm_exchange *f, int64_t mine, int64_t *highest,
                            int *whose)
{
  enum { FEW = 256 };
  int64_t few[FEW];
  int64_t *all = f->size > FEW ? mpj_alloc_array((size_t)f->size, sizeof *all) : few;
  if (!all) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a number of each of %d peers", f->size);
  const int status = exchange(f, &mine, all, sizeof mine);
  *highest = mine;
  *whose = f->rank;
  for (int i = 0; i < f->size && status == MPJ_SUCCESS; i++)
    if (all[i] > *highest) {
      *highest = all[i];
      *whose = i;
    }
  if (all != few) mpj_free(all);
  return status;
}

static int hear_of_failures(const struct mpj_comm_exchange *f, int failed, const char *why)
{
  int64_t highest;
  int whose;
  const int status = exchange_numbers(f, failed, &highest, &whose);
  if (status != MPJ_SUCCESS) return status;
  if (failed != MPJ_SUCCESS) return mpj_error(failed, "%s", why);
  if (highest == MPJ_SUCCESS) return MPJ_SUCCESS;
  return mpj_error((int)highest, "rank %d failed: %s", whose, mpj_error_name((int)highest));
}

int mpj_comm_exchange_gather(const struct mpj_comm_exchange *f, const void *mine, void *all,
                             size_t bytes, int failed, const char *why)
{
  const int status = hear_of_failures(f, all ? MPJ_SUCCESS : failed, why);
  return status == MPJ_SUCCESS ? exchange(f, mine, all, bytes) : status;
}

bool mpj_comm_exchange_refused(const struct mpj_comm_exchange *f)
{
  return f->parent && mpj_check_refused(f->parent->checker);
}

int mpj_comm_exchange_highest(const struct mpj_comm_exchange *f, int64_t mine, int64_t *highest)
{
  int whose;
  if (!f->parent) return exchange_numbers(f, mine, highest, &whose);
  return mpj_agree_on_highest(f->parent, f->part_of, mine, highest);
}
