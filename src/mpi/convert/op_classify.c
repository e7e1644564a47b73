/* This file says which of MPI's predefined operations on which named types are MPJ's own. */
#include <pthread.h>

#include "mpi/convert/op.h"

/* Groups of types, as MPI 4.1, 6.9.2 has them. */
enum group { OTHER, INTEGER, FORTRAN_INTEGER, MULTI_LANGUAGE, REAL, COMPLEX, LOGICAL, BYTES, PAIR };

static const struct row {
  MPI_Op mpi;
  const char *name;
  MPJ_Op ours;
  unsigned groups; /* a bit each */
} rows[] = {
#define OF(group) (1u << (group))
#define INTEGERS (OF(INTEGER) | OF(FORTRAN_INTEGER) | OF(MULTI_LANGUAGE))
#define NUMBERS (INTEGERS | OF(REAL))
    {MPI_SUM, "MPI_SUM", MPJ_SUM, NUMBERS | OF(COMPLEX)},
    {MPI_PROD, "MPI_PROD", MPJ_PROD, NUMBERS | OF(COMPLEX)},
    {MPI_MIN, "MPI_MIN", MPJ_MIN, NUMBERS},
    {MPI_MAX, "MPI_MAX", MPJ_MAX, NUMBERS},
    {MPI_LAND, "MPI_LAND", MPJ_LAND, OF(INTEGER) | OF(LOGICAL)},
    {MPI_LOR, "MPI_LOR", MPJ_LOR, OF(INTEGER) | OF(LOGICAL)},
    {MPI_LXOR, "MPI_LXOR", MPJ_LXOR, OF(INTEGER) | OF(LOGICAL)},
    {MPI_BAND, "MPI_BAND", MPJ_BAND, INTEGERS | OF(BYTES)},
    {MPI_BOR, "MPI_BOR", MPJ_BOR, INTEGERS | OF(BYTES)},
    {MPI_BXOR, "MPI_BXOR", MPJ_BXOR, INTEGERS | OF(BYTES)},
    {MPI_MINLOC, "MPI_MINLOC", MPJ_MINLOC, OF(PAIR)},
    {MPI_MAXLOC, "MPI_MAXLOC", MPJ_MAXLOC, OF(PAIR)},
    {MPI_REPLACE, "MPI_REPLACE", MPJ_OP_NULL, 0},
    {MPI_NO_OP, "MPI_NO_OP", MPJ_OP_NULL, 0},
};

static const struct {
  MPJ_Datatype type;
  enum group group;
} groups[] = {
    {MPJ_SIGNED_CHAR, INTEGER},
    {MPJ_UNSIGNED_CHAR, INTEGER},
    {MPJ_SHORT, INTEGER},
    {MPJ_UNSIGNED_SHORT, INTEGER},
    {MPJ_INT, INTEGER},
    {MPJ_UNSIGNED, INTEGER},
    {MPJ_LONG, INTEGER},
    {MPJ_UNSIGNED_LONG, INTEGER},
    {MPJ_LONG_LONG, INTEGER},
    {MPJ_UNSIGNED_LONG_LONG, INTEGER},
    {MPJ_INT8, INTEGER},
    {MPJ_INT16, INTEGER},
    {MPJ_INT32, INTEGER},
    {MPJ_INT64, INTEGER},
    {MPJ_UINT8, INTEGER},
    {MPJ_UINT16, INTEGER},
    {MPJ_UINT32, INTEGER},
    {MPJ_UINT64, INTEGER},
    {MPJ_AINT, INTEGER},
    {MPJ_COUNT, INTEGER},
    {MPJ_FLOAT, REAL},
    {MPJ_DOUBLE, REAL},
    {MPJ_LONG_DOUBLE, REAL},
    {MPJ_C_FLOAT_COMPLEX, COMPLEX},
    {MPJ_C_DOUBLE_COMPLEX, COMPLEX},
    {MPJ_C_LONG_DOUBLE_COMPLEX, COMPLEX},
    {MPJ_C_BOOL, LOGICAL},
    {MPJ_BYTE, BYTES},
    {MPJ_FLOAT_INT, PAIR},
    {MPJ_2INT, PAIR},
};

static enum group group_of(MPJ_Datatype type)
{
  for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
    if (groups[i].type == type) return groups[i].group;
  return OTHER;
}

/* Named types whose group is not that of what they become. */
static const struct {
  MPI_Datatype mpi;
  enum group group;
} own_groups[] = {
    {MPI_INTEGER, FORTRAN_INTEGER},
    {MPI_INTEGER1, FORTRAN_INTEGER},
    {MPI_INTEGER2, FORTRAN_INTEGER},
    {MPI_INTEGER4, FORTRAN_INTEGER},
    {MPI_INTEGER8, FORTRAN_INTEGER},
    {MPI_AINT, MULTI_LANGUAGE},
    {MPI_OFFSET, MULTI_LANGUAGE},
    {MPI_COUNT, MULTI_LANGUAGE},
    {MPI_LOGICAL, LOGICAL},
    {MPI_DOUBLE_INT, PAIR},
    {MPI_LONG_DOUBLE_INT, PAIR},
    {MPI_LONG_INT, PAIR},
    {MPI_SHORT_INT, PAIR},
    {MPI_2REAL, PAIR},
    {MPI_2DOUBLE_PRECISION, PAIR},
#ifdef MPI_INTEGER16
    {MPI_INTEGER16, FORTRAN_INTEGER},
#endif
#ifdef MPI_REAL2
    {MPI_REAL2, REAL},
#endif
#ifdef MPI_REAL16
    {MPI_REAL16, REAL},
#endif
#ifdef MPI_COMPLEX4
    {MPI_COMPLEX4, COMPLEX},
#endif
#ifdef MPI_COMPLEX32
    {MPI_COMPLEX32, COMPLEX},
#endif
#ifdef MPIX_C_FLOAT16
    {MPIX_C_FLOAT16, REAL},
#endif
};

static enum group mpi_group_of(MPI_Datatype elemtype, MPJ_Datatype type)
{
  for (size_t i = 0; i < sizeof own_groups / sizeof own_groups[0]; i++)
    if (own_groups[i].mpi == elemtype) return own_groups[i].group;
  return group_of(type);
}

/* Named types on which MPJ has no operations: Fortran's logical, pairs with padding and of reals,
 * 16-byte numbers. */
static bool is_left_to_mpi(MPI_Datatype elemtype, MPJ_Datatype type)
{
  return elemtype == MPI_LOGICAL || !type || group_of(type) == OTHER;
}

/* Whether this MPI library has the operation, which MPI may define, on the type: it looks at both
 * even where there is nothing to combine. It may have more than MPI defines. */
static bool is_allowed_by_mpi(MPI_Op mpi, MPI_Datatype elemtype)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  char in = 0, out = 0;
  const MPI_Comm quiet = mpi_quiet();
  if (quiet == MPI_COMM_NULL) return false;
  pthread_mutex_lock(&lock);
  const int code = PMPI_Allreduce(&in, &out, 0, elemtype, mpi, quiet);
  pthread_mutex_unlock(&lock);
  return code == MPI_SUCCESS;
}

static const struct row *row_of(MPI_Op mpi)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].mpi == mpi) return &rows[i];
  return NULL;
}

enum mpi_op_kind mpi_op_classify(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *ours)
{
  const struct row *row = row_of(mpi);
  if (!row) return MPI_OP_APPLIED;
  if (row->groups == 0 || !mpi_is_named(elemtype)) return MPI_OP_WRONG;
  const MPJ_Datatype type = mpi_named_find(elemtype);
  if (!(row->groups & OF(mpi_group_of(elemtype, type)))) return MPI_OP_WRONG;
  if (!is_allowed_by_mpi(mpi, elemtype)) return MPI_OP_WRONG;
  if (is_left_to_mpi(elemtype, type)) return MPI_OP_APPLIED;
  *ours = row->ours;
  return MPI_OP_OURS;
}

const char *mpi_op_name(MPI_Op mpi)
{
  const struct row *row = row_of(mpi);
  return row ? row->name : "a user's operation";
}

MPI_Op mpi_op_of_predefined(MPJ_Op ours)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].groups != 0 && rows[i].ours == ours) return rows[i].mpi;
  return ours == MPJ_REPLACE ? MPI_REPLACE : MPI_OP_NULL;
}
