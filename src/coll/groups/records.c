/* This file exchanges records of ranks, a block of ranks at a time. Each rank of a block gives its
 * record to an Allreduce of the highest, and all others the lowest numbers there are; so all see
 * the block, keep who is in their group, and forget the rest.
 *
 * A block is a power of two, at least 8 sqrt(p) ranks, so p ranks take at most sqrt(p) / 8
 * Allreduces and 16 bytes for each rank of a block; up to 64 ranks are one block. Cost: p / block
 * (log p alpha + 32 block beta). */
#include "coll/groups/records.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/comm/agree.h"

enum { GROUP, PLACE, NUMBERS }; /* of a record */

static int block_of(int ranks)
{
  int64_t block = 64;
  while (block * block < INT64_C(64) * ranks)
    block *= 2;
  return (int)block;
}

static void give(const struct mpj_record *record, int64_t numbers[NUMBERS])
{
  const uint64_t place = (uint64_t)(uint32_t)record->key << 32 | record->control;
  numbers[GROUP] = (int64_t)record->group;
  numbers[PLACE] = (int64_t)place;
}

static struct mpj_record take(const int64_t numbers[NUMBERS])
{
  const uint64_t place = (uint64_t)numbers[PLACE];
  return (struct mpj_record){.group = (uint64_t)numbers[GROUP],
                             .key = (int32_t)(uint32_t)(place >> 32),
                             .control = (uint32_t)place};
}

/* numbers[] of a block of n ranks from `first` on, before they are combined. */
static void fill(const struct mpj_forum *f, int first, int n, const struct mpj_record *mine,
                 int64_t numbers[])
{
  for (int i = 0; i < NUMBERS * n; i++)
    numbers[i] = INT64_MIN;
  if (f->rank >= first && f->rank < first + n) give(mine, &numbers[NUMBERS * (f->rank - first)]);
}

int mpj_records_exchange(const struct mpj_forum *f, int nhead, int64_t head[], int *next,
                         struct mpj_group *group)
{
  const int first = *next, left = f->size - first, block = block_of(f->size);
  const int n = left < block ? left : block, total = nhead + NUMBERS * n;
  const size_t head_bytes = (size_t)nhead * sizeof *head;
  int64_t *all = mpj_alloc_array((size_t)total, sizeof *all);
  int status = MPJ_SUCCESS;
  *next += n;
  if (all) {
    if (nhead > 0) memcpy(all, head, head_bytes);
    fill(f, first, n, &group->mine, all + nhead);
  } else {
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %d ranks", n);
  }
  status = mpj_agree_on_highest_each(f->parent, f->part_of, status, total, all);
  if (status == MPJ_SUCCESS && nhead > 0) memcpy(head, all, head_bytes);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++) {
    const struct mpj_record record = take(&all[nhead + NUMBERS * i]);
    status = mpj_group_hear(group, first + i, &record);
  }
  mpj_free(all);
  return status;
}
