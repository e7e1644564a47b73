/* This file is a whole program on an installed MPJ: every rank contributes its
 * number, root gathers them. */
#include <mpj/mpj.h>
#include <stdio.h>

enum { MOST = 64 };

static int gather_ranks(void *arg)
{
  (void)arg;
  int rank = -1, size = 0, ranks[MOST];
  MPJ_Datatype all = MPJ_DATATYPE_NULL;
  int status = MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  if (!status) status = MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (!status && size > MOST) status = MPJ_ERR_ARG;
  if (!status) status = MPJ_Type_contiguous(size, MPJ_INT, &all);
  if (!status) status = MPJ_Type_commit(&all);
  if (!status) status = MPJ_Gather(&rank, MPJ_INT, ranks, all, 0, MPJ_COMM_WORLD);
  for (int i = 0; !status && rank == 0 && i < size; i++)
    if (ranks[i] != i) status = MPJ_ERR_INTERNAL;
  if (status) fprintf(stderr, "%s: %s\n", MPJ_Error_string(status), MPJ_Error_detail());
  if (all != MPJ_DATATYPE_NULL) MPJ_Type_free(&all);
  return status;
}

static int as_process(int *argc, char ***argv)
{
  if (MPJ_Init(argc, argv) != MPJ_SUCCESS) return 1;
  int status = gather_ranks(NULL);
  return MPJ_Finalize() || status;
}

/* With an argument the ranks are processes, otherwise threads. */
int main(int argc, char **argv)
{
  if (argc > 1) return as_process(&argc, &argv);
  return MPJ_Run_threads(4, gather_ranks, NULL) != MPJ_SUCCESS;
}
