/* This file describes a distributed matrix by two datatypes. */
#include "rank.h"

#include <stdio.h>

int rank_say(const struct rank *r, const char *what, const char *why)
{
  fprintf(stderr, "matrix_gather: rank %d: %s: %s\n", r->number, what, why);
  return -1;
}

int rank_check(const struct rank *r, const char *what, int rc)
{
  return rc == MPJ_SUCCESS ? 0 : rank_say(r, what, MPJ_Error_detail());
}

/* p parts with nothing in them: a distribution has no dimension of size 0. */
static int create_empty_types(int p, MPJ_Datatype element, MPJ_Datatype *whole, MPJ_Datatype *mine)
{
  int rc = MPJ_Type_contiguous(0, element, mine);
  return rc == MPJ_SUCCESS ? MPJ_Type_contiguous(p, *mine, whole) : rc;
}

static int create_distributed_types(const struct rank *r, MPJ_Datatype element, MPJ_Datatype *whole,
                                    MPJ_Datatype *mine)
{
  const int64_t edge = r->options->cyclic;
  const int how = edge ? MPJ_DISTRIBUTE_CYCLIC : MPJ_DISTRIBUTE_BLOCK;
  const MPJ_Count tile = edge ? edge : MPJ_DISTRIBUTE_DFLT_DARG;
  const MPJ_Count shape[2] = {r->job.rows, r->job.cols}, tiles[2] = {tile, tile};
  const int distribs[2] = {how, how};
  const int order = r->job.fortran ? MPJ_ORDER_FORTRAN : MPJ_ORDER_C;
  int rc = MPJ_Type_create_distribution(2, shape, distribs, tiles, r->grid, order, element, whole);
  return rc == MPJ_SUCCESS ? MPJ_Type_create_local(*whole, r->number, mine) : rc;
}

int rank_create_types(const struct rank *r, MPJ_Datatype element, MPJ_Datatype *whole,
                      MPJ_Datatype *mine)
{
  const bool empty = r->job.rows == 0 || r->job.cols == 0;
  int rc = empty ? create_empty_types(r->size, element, whole, mine)
                 : create_distributed_types(r, element, whole, mine);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_commit(whole);
  if (rc == MPJ_SUCCESS) rc = MPJ_Type_commit(mine);
  return rc;
}

void rank_free_type(MPJ_Datatype *type)
{
  if (*type != MPJ_DATATYPE_NULL) MPJ_Type_free(type);
}
