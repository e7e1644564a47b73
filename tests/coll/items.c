/* This file makes items, and knows what each rank must have after one. */
#include "coll/items.h"

#include <stdio.h>
#include <stdlib.h>

int item_failed(const struct run *run, const struct item *item, const char *what)
{
  char name[ITEM_NAME];
  fprintf(stderr, "rank %d of %d: item %d, %s, with %lld elements: %s (%s)\n", run->rank, run->size,
          item->number, item_name(item, name), (long long)item->n, what, MPJ_Error_detail());
  return 1;
}

static int datum(int rank, MPJ_Count k, int number)
{
  return rank + (int)k + number;
}

static int call(struct item *i, MPJ_Datatype one, MPJ_Datatype parts)
{
  const MPJ_Comm comm = i->place.comm;
  switch (i->kind) {
  case ITEM_BARRIER:
    return MPJ_Barrier(comm);
  case ITEM_BCAST:
    return MPJ_Bcast(i->out, one, i->root, comm);
  case ITEM_GATHER:
    return MPJ_Gather(i->in, one, i->out, parts, i->root, comm);
  case ITEM_SCATTER:
    return MPJ_Scatter(i->in, parts, i->out, one, i->root, comm);
  case ITEM_ALLGATHER:
    return MPJ_Allgather(i->in, one, i->out, parts, comm);
  case ITEM_ALLTOALL:
    return MPJ_Alltoall(i->in, parts, i->out, parts, comm);
  case ITEM_REDUCE:
    return MPJ_Reduce(i->in, one, i->out, one, MPJ_SUM, i->root, comm);
  case ITEM_ALLREDUCE:
    return MPJ_Allreduce(i->in, one, i->out, one, MPJ_SUM, comm);
  case ITEM_REDUCE_SCATTER:
    return MPJ_Reduce_scatter(i->in, parts, i->out, one, MPJ_SUM, comm);
  case ITEM_SCAN:
    return MPJ_Scan(i->in, one, i->out, one, MPJ_SUM, comm);
  default:
    return MPJ_Exscan(i->in, one, i->out, one, MPJ_SUM, comm);
  }
}

static int start(struct item *i, MPJ_Datatype one, MPJ_Datatype parts, bool persistent)
{
  const MPJ_Comm comm = i->place.comm;
  MPJ_Request *q = &i->request;
  switch (i->kind) {
  case ITEM_BARRIER:
    return persistent ? MPJ_Barrier_init(comm, q) : MPJ_Ibarrier(comm, q);
  case ITEM_BCAST:
    return persistent ? MPJ_Bcast_init(i->out, one, i->root, comm, q)
                      : MPJ_Ibcast(i->out, one, i->root, comm, q);
  case ITEM_GATHER:
    return persistent ? MPJ_Gather_init(i->in, one, i->out, parts, i->root, comm, q)
                      : MPJ_Igather(i->in, one, i->out, parts, i->root, comm, q);
  case ITEM_SCATTER:
    return persistent ? MPJ_Scatter_init(i->in, parts, i->out, one, i->root, comm, q)
                      : MPJ_Iscatter(i->in, parts, i->out, one, i->root, comm, q);
  case ITEM_ALLGATHER:
    return persistent ? MPJ_Allgather_init(i->in, one, i->out, parts, comm, q)
                      : MPJ_Iallgather(i->in, one, i->out, parts, comm, q);
  case ITEM_ALLTOALL:
    return persistent ? MPJ_Alltoall_init(i->in, parts, i->out, parts, comm, q)
                      : MPJ_Ialltoall(i->in, parts, i->out, parts, comm, q);
  case ITEM_REDUCE:
    return persistent ? MPJ_Reduce_init(i->in, one, i->out, one, MPJ_SUM, i->root, comm, q)
                      : MPJ_Ireduce(i->in, one, i->out, one, MPJ_SUM, i->root, comm, q);
  case ITEM_ALLREDUCE:
    return persistent ? MPJ_Allreduce_init(i->in, one, i->out, one, MPJ_SUM, comm, q)
                      : MPJ_Iallreduce(i->in, one, i->out, one, MPJ_SUM, comm, q);
  case ITEM_REDUCE_SCATTER:
    return persistent ? MPJ_Reduce_scatter_init(i->in, parts, i->out, one, MPJ_SUM, comm, q)
                      : MPJ_Ireduce_scatter(i->in, parts, i->out, one, MPJ_SUM, comm, q);
  case ITEM_SCAN:
    return persistent ? MPJ_Scan_init(i->in, one, i->out, one, MPJ_SUM, comm, q)
                      : MPJ_Iscan(i->in, one, i->out, one, MPJ_SUM, comm, q);
  default:
    return persistent ? MPJ_Exscan_init(i->in, one, i->out, one, MPJ_SUM, comm, q)
                      : MPJ_Iexscan(i->in, one, i->out, one, MPJ_SUM, comm, q);
  }
}

/* The sum of ranks 0 .. last's datum k. */
static int sum_to(int last, MPJ_Count k, int number)
{
  int sum = 0;
  for (int rank = 0; rank <= last; rank++)
    sum += datum(rank, k, number);
  return sum;
}

/* What element k of block `block` of out must be; -1 where it stays untouched. */
static int wanted(const struct item *i, int block, MPJ_Count k)
{
  const int me = i->place.rank, p = i->place.size, at_root = me == i->root;
  switch (i->kind) {
  case ITEM_BCAST:
    return block == 0 ? datum(i->root, k, i->number) : -1;
  case ITEM_GATHER:
    return at_root ? datum(block, k, i->number) : -1;
  case ITEM_SCATTER:
    return block == 0 ? datum(i->root, me * i->n + k, i->number) : -1;
  case ITEM_ALLGATHER:
    return datum(block, k, i->number);
  case ITEM_ALLTOALL:
    return datum(block, me * i->n + k, i->number);
  case ITEM_REDUCE:
    return block == 0 && at_root ? sum_to(p - 1, k, i->number) : -1;
  case ITEM_ALLREDUCE:
    return block == 0 ? sum_to(p - 1, k, i->number) : -1;
  case ITEM_REDUCE_SCATTER:
    return block == 0 ? sum_to(p - 1, me * i->n + k, i->number) : -1;
  case ITEM_SCAN:
    return block == 0 ? sum_to(me, k, i->number) : -1;
  case ITEM_EXSCAN:
    return block == 0 && me > 0 ? sum_to(me - 1, k, i->number) : -1;
  default:
    return -1;
  }
}

int item_check(const struct run *run, const struct item *i)
{
  for (int block = 0; block < i->place.size; block++)
    for (MPJ_Count k = 0; k < i->n; k++)
      if (i->out[block * i->n + k] != wanted(i, block, k)) return item_failed(run, i, "wrong data");
  return 0;
}

void item_refill(struct item *i)
{
  const int me = i->place.rank;
  const MPJ_Count all = i->n * i->place.size;
  for (MPJ_Count k = 0; k < all; k++) {
    i->in[k] = datum(me, k, i->number);
    i->out[k] = -1;
  }
  for (MPJ_Count k = 0; i->kind == ITEM_BCAST && me == i->root && k < i->n; k++)
    i->out[k] = datum(me, k, i->number);
}

void item_choose(struct item *i, struct mpj_random *shared, MPJ_Count longest)
{
  const int size = i->place.size;
  i->kind = (enum item_kind)mpj_random_in(shared, 0, ITEM_KINDS - 1);
  i->root = (int)mpj_random_in(shared, 0, size - 1);
  i->n = mpj_random_in(shared, 0, 19) == 0 ? longest / size : mpj_random_in(shared, 0, 700);
  i->in = malloc((size_t)(i->n * size + 1) * sizeof(int));
  i->out = malloc((size_t)(i->n * size + 1) * sizeof(int));
  item_refill(i);
}

void item_free(struct item *i)
{
  free(i->in);
  free(i->out);
}

int item_try(struct item *i, enum item_form form)
{
  MPJ_Datatype one = MPJ_DATATYPE_NULL, parts = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_contiguous(i->n, MPJ_INT, &one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_contiguous(i->place.size, one, &parts);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&one);
  if (status == MPJ_SUCCESS) status = MPJ_Type_commit(&parts);
  if (status == MPJ_SUCCESS && form == ITEM_BLOCKING)
    status = call(i, one, parts);
  else if (status == MPJ_SUCCESS)
    status = start(i, one, parts, form == ITEM_PERSISTENT);
  MPJ_Type_free(&one);
  MPJ_Type_free(&parts);
  return status;
}

int item_call(const struct run *run, struct item *i, enum item_form form)
{
  return item_try(i, form) == MPJ_SUCCESS ? 0 : item_failed(run, i, "could not be called");
}

const char *item_name(const struct item *i, char name[ITEM_NAME])
{
  static const char *const names[ITEM_KINDS] = {"Barrier",        "Bcast",    "Gather", "Scatter",
                                                "Allgather",      "Alltoall", "Reduce", "Allreduce",
                                                "Reduce_scatter", "Scan",     "Exscan"};
  const bool rooted = i->kind == ITEM_BCAST || i->kind == ITEM_GATHER || i->kind == ITEM_SCATTER ||
                      i->kind == ITEM_REDUCE;
  if (rooted)
    snprintf(name, ITEM_NAME, "MPJ_%s (root %d)", names[i->kind], i->root);
  else
    snprintf(name, ITEM_NAME, "MPJ_%s", names[i->kind]);
  return name;
}
