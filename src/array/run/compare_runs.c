/* This file compares how ranks run a schedule, in checking mode. */
#include "array/run/compare_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/check/said_op.h"

struct mpj_run_record {
  char call[48];
  int64_t serial;
  struct mpj_said_op op;
};

int mpj_run_records_new(const struct mpj_schedule_run *run, struct mpj_run_record **records)
{
  const struct mpj_op *op = NULL;
  int status = run->direction == MPJ_FORWARD ? MPJ_SUCCESS : mpj_op_resolve(run->op, &op);
  if (status) return status;
  struct mpj_run_record *all = mpj_alloc_array(1 + (size_t)run->schedule->size, sizeof *all);
  if (!all) return mpj_error(MPJ_ERR_NO_MEM, "no memory to compare %d ranks", run->schedule->size);
  snprintf(all->call, sizeof all->call, "%s", mpj_entered.name ? mpj_entered.name : "");
  all->serial = run->schedule->serial;
  if (op) mpj_said_op_fill(&all->op, op);
  *records = all;
  return MPJ_SUCCESS;
}

int mpj_run_records_types(int size, MPJ_Datatype types[2])
{
  int status = MPJ_Type_contiguous(sizeof(struct mpj_run_record), MPJ_BYTE, &types[0]);
  if (!status) status = MPJ_Type_commit(&types[0]);
  if (!status) status = MPJ_Type_contiguous(size, types[0], &types[1]);
  if (!status) status = MPJ_Type_commit(&types[1]);
  return status;
}

void mpj_run_records_fill(struct mpj_run_record *records, const MPJ_Datatype types[2],
                          struct mpj_arguments *a)
{
  a->sendbuf = records;
  a->sendtype = types[0];
  a->recvbuf = records + 1;
  a->recvtype = types[1];
}

static int compare(const struct mpj_run_record *first, const struct mpj_run_record *its, int rank)
{
  const struct mpj_said_op *const ops[] = {&first->op, &its->op};
  if (strncmp(first->call, its->call, sizeof its->call - 1) != 0)
    return mpj_error(MPJ_ERR_ARG, "rank %d has called %.47s, rank 0 %.47s", rank, its->call,
                     first->call);
  if (first->serial != its->serial)
    return mpj_error(MPJ_ERR_ARG,
                     "the serial number of schedule is %" PRId64 " on rank %d, %" PRId64
                     " on rank 0",
                     its->serial, rank, first->serial);
  const char *difference = mpj_said_op_difference(ops[0], ops[1]);
  if (!difference) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_OP, "op is %s%s on rank %d, %s on rank 0",
                   mpj_op_name(its->op.reduce - 1), difference, rank,
                   mpj_op_name(first->op.reduce - 1));
}

int mpj_run_records_compare(const struct mpj_run_record *records, int size)
{
  int status = MPJ_SUCCESS;
  for (int i = 1; i < size && !status; i++)
    status = compare(&records[1], &records[1 + i], i);
  return status;
}

int mpj_run_agree(const struct mpj_schedule_run *run, int status)
{
  const int size = run->schedule->size;
  struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLGATHER, .root = -1, .comm = run->schedule->comm};
  MPJ_Datatype types[2] = {MPJ_DATATYPE_NULL, MPJ_DATATYPE_NULL};
  struct mpj_run_record *records = NULL;
  if (!mpj_config()->check || size == 1) return status;
  status = mpj_array_agree(run->schedule->comm, status, 0, NULL);
  if (status) return status;
  status = mpj_run_records_new(run, &records);
  if (!status) status = mpj_run_records_types(size, types);
  if (!status) mpj_run_records_fill(records, types, &a);
  a.refused = status;
  status = mpj_call_blocking(&a);
  if (!status) status = mpj_run_records_compare(records, size);
  for (int i = 0; i < 2; i++)
    if (types[i]) MPJ_Type_free(&types[i]);
  mpj_free(records);
  return status;
}
