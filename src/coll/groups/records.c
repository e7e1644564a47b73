/* This file exchanges numbers and records of ranks.
 *
 * Few ranks: an Allgather of both. More: an Allreduce of the highest of the numbers and of the
 * records of a block of ranks; each of these gives its own, and all others give the lowest numbers
 * there are. So all see the block, keep who is in their group, and forget the rest.
 *
 * Cost: of a block an Allreduce of 16 bytes for each of its ranks, and as much memory. */
#include "coll/groups/records.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/collective.h"
#include "coll/comm/agree.h"

enum { FEW = 64 };
enum { GROUP, PLACE, NUMBERS }; /* of a record */

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

static int no_memory(int n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for the records of %d ranks", n);
}

/* all[size of the exchange][n] := mine[n] of all ranks. status: of this rank, with the thread's
 * detail. */
static int gather(const struct mpj_comm_exchange *f, int status, int n, const int64_t mine[],
                  int64_t all[])
{
  MPJ_Datatype one = MPJ_DATATYPE_NULL, each = MPJ_DATATYPE_NULL;
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(n, MPJ_INT64, &one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(f->size, one, &each);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&each);
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_ALLGATHER,
                                  .root = f->part_of,
                                  .sendbuf = mine,
                                  .sendtype = one,
                                  .recvbuf = all,
                                  .recvtype = each,
                                  .comm = mpj_comm_handle(f->parent),
                                  .refused = status};
  status = mpj_call_blocking(&a);
  if (one != MPJ_DATATYPE_NULL) MPJ_Type_free(&one);
  if (each != MPJ_DATATYPE_NULL) MPJ_Type_free(&each);
  return status;
}

static int hear(struct mpj_group *group, int rank, const int64_t numbers[NUMBERS])
{
  const struct mpj_record record = take(numbers);
  return mpj_group_hear(group, rank, &record);
}

static int exchange_few(const struct mpj_comm_exchange *f, int nhead, int64_t head[],
                        struct mpj_group *group)
{
  const int n = NUMBERS + nhead;
  int64_t *all = mpj_alloc_array((size_t)(f->size + 1) * (size_t)n, sizeof *all);
  int64_t *mine = all ? all + f->size * n : NULL;
  int status = all ? MPJ_SUCCESS : no_memory(f->size);
  if (all) {
    give(&group->mine, mine);
    if (nhead > 0) memcpy(mine + NUMBERS, head, (size_t)nhead * sizeof *head);
  }
  status = gather(f, status, n, mine, all);
  const bool heard = status == MPJ_SUCCESS;
  for (int i = 0; i < f->size && heard; i++) {
    const int64_t *numbers = all + i * n;
    if (status == MPJ_SUCCESS) status = hear(group, i, numbers);
    for (int k = 0; k < nhead; k++)
      if (numbers[NUMBERS + k] > head[k]) head[k] = numbers[NUMBERS + k];
  }
  mpj_free(all);
  return status;
}

/* This rank's numbers, and its record if it is one of the block's n ranks from `first` on. */
static void fill(const struct mpj_comm_exchange *f, int nhead, const int64_t head[], int first,
                 int n, const struct mpj_record *mine, int64_t numbers[])
{
  int64_t *records = numbers + nhead;
  if (nhead > 0) memcpy(numbers, head, (size_t)nhead * sizeof *head);
  for (int i = 0; i < NUMBERS * n; i++)
    records[i] = INT64_MIN;
  if (f->rank >= first && f->rank < first + n) give(mine, &records[NUMBERS * (f->rank - first)]);
}

static int exchange_block(const struct mpj_comm_exchange *f, int nhead, int64_t head[], int first,
                          int n, struct mpj_group *group)
{
  const int total = nhead + NUMBERS * n;
  int64_t *numbers = mpj_alloc_array((size_t)total, sizeof *numbers);
  int status = numbers ? MPJ_SUCCESS : no_memory(n);
  if (numbers) fill(f, nhead, head, first, n, &group->mine, numbers);
  status = mpj_agree_on_highest_each(f->parent, f->part_of, status, total, MPJ_IN_PLACE, numbers);
  if (status == MPJ_SUCCESS && nhead > 0) memcpy(head, numbers, (size_t)nhead * sizeof *head);
  for (int i = 0; i < n && status == MPJ_SUCCESS; i++)
    status = hear(group, first + i, &numbers[nhead + NUMBERS * i]);
  mpj_free(numbers);
  return status;
}

int mpj_records_exchange(const struct mpj_comm_exchange *f, int nhead, int64_t head[], int *next,
                         struct mpj_group *group)
{
  const int first = *next, left = f->size - first;
  const int n = left < f->block ? left : f->block;
  *next += n;
  if (n > 0 && f->size <= FEW) return exchange_few(f, nhead, head, group);
  if (n > 0) return exchange_block(f, nhead, head, first, n, group);
  int64_t mine[MPJ_RECORDS_NUMBERS];
  memcpy(mine, head, (size_t)nhead * sizeof *head);
  return mpj_agree_on_highest_each(f->parent, f->part_of, MPJ_SUCCESS, nhead, mine, head);
}
