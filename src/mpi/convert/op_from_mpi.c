/* This file makes operations that MPI applies. */
#include <limits.h>
#include <pthread.h>

#include "mpi/convert/op.h"

/* Kept until the process ends: an operation does not say when it was last used. There are
 * few: one for each MPI operation and type map. */
struct applied {
  struct applied *next;
  MPI_Op mpi;
  MPI_Datatype mpi_type; /* a duplicate, or a named type */
  MPJ_Datatype type;
  int commutative;
  MPJ_Op op;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct applied *all;

static void apply(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  const struct applied *a = ctx;
  MPJ_Aint lb, extent;
  MPJ_Type_get_extent(a->type, &lb, &extent);
  while (n > 0) {
    const int some = n < INT_MAX ? (int)n : INT_MAX;
    PMPI_Reduce_local(in, inout, some, a->mpi_type, a->mpi);
    in = (const char *)in + some * extent;
    inout = (char *)inout + some * extent;
    n -= some;
  }
}

static bool same_map(MPJ_Datatype a, MPJ_Datatype b)
{
  int same = 0;
  return MPJ_Type_match(a, b, NULL, &same) == MPJ_SUCCESS && same;
}

/* The lock is held. */
static struct applied *find(MPI_Op mpi, int commutative, MPI_Datatype named, MPJ_Datatype type)
{
  struct applied *a = all;
  while (a && (a->mpi != mpi || a->commutative != commutative ||
               (a->mpi_type != named && !same_map(a->type, type))))
    a = a->next;
  return a;
}

static int fill(struct applied *a, MPI_Datatype elemtype)
{
  int status = mpi_is_named(elemtype)
                   ? MPJ_SUCCESS
                   : mpi_check(PMPI_Type_dup(elemtype, &a->mpi_type), "MPI_Type_dup");
  if (status) return status;
  if (a->mpi_type == MPI_DATATYPE_NULL) a->mpi_type = elemtype;
  status = MPJ_Op_create(apply, a, a->type, a->commutative, &a->op);
  if (status) mpi_drop(&a->mpi_type);
  return status;
}

/* Takes the type over. The lock is held. */
static int add(MPI_Op mpi, int commutative, MPI_Datatype elemtype, MPJ_Datatype type,
               struct applied **made)
{
  struct applied *a = calloc(1, sizeof *a);
  if (!a) return mpi_report(MPJ_ERR_NO_MEM, "no memory for an operation");
  *a = (struct applied){.next = all,
                        .mpi = mpi,
                        .mpi_type = MPI_DATATYPE_NULL,
                        .type = type,
                        .commutative = commutative};
  const int status = fill(a, elemtype);
  if (status) {
    free(a);
    return status;
  }
  all = *made = a;
  return MPJ_SUCCESS;
}

int mpi_op_applied(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *op)
{
  MPJ_Datatype type;
  struct applied *a;
  int commutative = 0;
  int status = mpi_check(PMPI_Op_commutative(mpi, &commutative), "MPI_Op_commutative");
  if (!status) status = MPJ_Type_from_mpi(elemtype, &type);
  if (status) return status;
  const MPI_Datatype named = mpi_is_named(elemtype) ? elemtype : MPI_DATATYPE_NULL;
  pthread_mutex_lock(&lock);
  a = find(mpi, commutative, named, type);
  if (a)
    mpi_release(&type);
  else
    status = add(mpi, commutative, elemtype, type, &a);
  pthread_mutex_unlock(&lock);
  if (status)
    mpi_release(&type);
  else
    *op = a->op;
  return status;
}

void mpi_ops_end(void)
{
  pthread_mutex_lock(&lock);
  struct applied *a = all;
  all = NULL;
  pthread_mutex_unlock(&lock);
  while (a) {
    struct applied *next = a->next;
    MPJ_Op_free(&a->op);
    mpi_release(&a->type);
    mpi_drop(&a->mpi_type);
    free(a);
    a = next;
  }
}

static int not_defined(MPI_Op mpi, MPI_Datatype elemtype)
{
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length;
  if (mpi_is_named(elemtype)) PMPI_Type_get_name(elemtype, name, &length);
  return mpi_report(MPJ_ERR_OP, "mpi is %s, which MPI does not define for elemtype %s",
                    mpi_op_name(mpi), name[0] ? name : "(a derived datatype)");
}

int MPJ_Op_from_mpi(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *op)
{
  MPJ_ENTRY;
  if (!op) return mpi_report(MPJ_ERR_ARG, "op is NULL");
  if (mpi == MPI_OP_NULL) return mpi_report(MPJ_ERR_OP, "mpi is MPI_OP_NULL");
  if (elemtype == MPI_DATATYPE_NULL)
    return mpi_report(MPJ_ERR_TYPE, "elemtype is MPI_DATATYPE_NULL");
  const int status = mpi_usable();
  if (status) return status;
  switch (mpi_op_classify(mpi, elemtype, op)) {
  case MPI_OP_OURS:
    return MPJ_SUCCESS;
  case MPI_OP_WRONG:
    return not_defined(mpi, elemtype);
  case MPI_OP_APPLIED:
    break;
  }
  return mpi_op_applied(mpi, elemtype, op);
}
