/* This file makes random reductions, served and by the MPI library. */
#include <string.h>

#include "mpi/interposed.h"

enum { ELEMENTS = 40 };

/* x -> a x + b modulo 2^32, composed: associative, not commutative. */
static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
  const unsigned *f = in;
  unsigned *g = inout;
  (void)type;
  for (int i = 0; i < *n; i++, f += 2, g += 2) {
    g[1] = g[0] * f[1] + g[1];
    g[0] = g[0] * f[0];
  }
}

static void choose(struct trial *t)
{
  static const struct {
    MPI_Op op;
    MPI_Datatype type;
  } all[] = {{MPI_SUM, MPI_INT},     {MPI_MAX, MPI_LONG},  {MPI_BAND, MPI_UNSIGNED},
             {MPI_MINLOC, MPI_2INT}, {MPI_SUM, MPI_INT},   {MPI_PROD, MPI_UNSIGNED_LONG},
             {MPI_LXOR, MPI_INT},    {MPI_BXOR, MPI_BYTE}, {MPI_MIN, MPI_SHORT}};
  const int i = stream_in(t->all, 0, (int)(sizeof all / sizeof all[0]) + 1);
  if (i < (int)(sizeof all / sizeof all[0])) {
    t->op = all[i].op;
    PMPI_Type_dup(all[i].type, &t->type);
    t->elemtype = all[i].type;
    return;
  }
  MPI_Op_create(compose, 0, &t->op);
  PMPI_Type_contiguous(2, MPI_UNSIGNED, &t->type);
  PMPI_Type_commit(&t->type);
  t->elemtype = t->type;
}

static void reduce(struct trial *t, int n, int placed)
{
  const int is_root = t->rank == t->root;
  placed = placed && is_root;
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], is_root ? t->recv[i] : NULL, n, t->elemtype, t->op, t->root, \
      t->comm
  TRIAL_CALL(t, Reduce, Ireduce, Reduce_init, A);
#undef A
}

#define A(i) placed ? MPI_IN_PLACE : t->send[i], t->recv[i], n, t->elemtype, t->op, t->comm
static void allreduce(struct trial *t, int n, int placed)
{
  TRIAL_CALL(t, Allreduce, Iallreduce, Allreduce_init, A);
}

static void scan(struct trial *t, int n, int placed)
{
  TRIAL_CALL(t, Scan, Iscan, Scan_init, A);
}

/* Rank 0 has no result, and to Open MPI need not have a place for one. */
static void exscan(struct trial *t, int n, int placed)
{
#ifdef OMPI_MAJOR_VERSION
  const int nowhere = t->rank == 0 && !placed && n % 2 == 1;
#else
  const int nowhere = 0;
#endif
  void *in[2] = {nowhere ? NULL : t->recv[0], t->recv[1]};
#define INTO(i) placed ? MPI_IN_PLACE : t->send[i], in[i], n, t->elemtype, t->op, t->comm
  TRIAL_CALL(t, Exscan, Iexscan, Exscan_init, INTO);
#undef INTO
  if (t->rank == 0) memcpy(t->recv[0], t->recv[1], BUFFER - MIDDLE);
}

/* In place, only the block of the result is said to be anything. */
static void keep_block(struct trial *t, int n)
{
  int size;
  PMPI_Type_size(t->elemtype, &size);
  memcpy(t->recv[0] + n * size, t->recv[1] + n * size, (size_t)(BUFFER - MIDDLE - n * size));
}

static void reduce_scatter_block(struct trial *t, int n, int placed)
{
  TRIAL_CALL(t, Reduce_scatter_block, Ireduce_scatter_block, Reduce_scatter_block_init, A);
  if (placed) keep_block(t, n);
}
#undef A

static void reduce_scatter(struct trial *t, int placed)
{
  int counts[RANKS_MAX];
  for (int i = 0; i < t->size; i++)
    counts[i] = stream_in(t->all, 0, ELEMENTS / 4);
#define A(i) placed ? MPI_IN_PLACE : t->send[i], t->recv[i], counts, t->elemtype, t->op, t->comm
  TRIAL_CALL(t, Reduce_scatter, Ireduce_scatter, Reduce_scatter_init, A);
#undef A
  if (placed) keep_block(t, counts[t->rank]);
}

void trial_reduce(struct trial *t)
{
  const int n = stream_in(t->all, 0, ELEMENTS);
  /* Started twice, what is in place is combined twice: MPI allows that. */
  const int placed = stream_in(t->all, 0, 2) == 0;
  choose(t);
  switch (stream_in(t->all, 0, 5)) {
  case 0:
    reduce(t, n, placed);
    break;
  case 1:
    allreduce(t, n, placed);
    break;
  case 2:
    scan(t, n, placed);
    break;
  case 3:
    exscan(t, n, placed);
    break;
  case 4:
    reduce_scatter_block(t, n / 4, placed && t->form != PERSISTENT);
    break;
  default:
    reduce_scatter(t, placed && t->form != PERSISTENT);
  }
  if (t->elemtype == t->type) MPI_Op_free(&t->op);
  MPI_Type_free(&t->type);
}
