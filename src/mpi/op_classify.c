/* This file says which of MPI's predefined operations on which named types are MPJ's own. */
#include "mpi/op.h"

/* Groups of types, as MPI 4.1, 6.9.2 has them. */
enum group { OTHER, INTEGER, REAL, COMPLEX, LOGICAL, BYTES, PAIR };

static const struct row {
  MPI_Op mpi;
  MPJ_Op ours;
  unsigned groups; /* a bit each */
} rows[] = {
#define OF(group) (1u << (group))
#define NUMBERS (OF(INTEGER) | OF(REAL))
    {MPI_SUM, MPJ_SUM, NUMBERS | OF(COMPLEX)},
    {MPI_PROD, MPJ_PROD, NUMBERS | OF(COMPLEX)},
    {MPI_MIN, MPJ_MIN, NUMBERS},
    {MPI_MAX, MPJ_MAX, NUMBERS},
    {MPI_LAND, MPJ_LAND, OF(INTEGER) | OF(LOGICAL)},
    {MPI_LOR, MPJ_LOR, OF(INTEGER) | OF(LOGICAL)},
    {MPI_LXOR, MPJ_LXOR, OF(INTEGER) | OF(LOGICAL)},
    {MPI_BAND, MPJ_BAND, OF(INTEGER) | OF(BYTES)},
    {MPI_BOR, MPJ_BOR, OF(INTEGER) | OF(BYTES)},
    {MPI_BXOR, MPJ_BXOR, OF(INTEGER) | OF(BYTES)},
    {MPI_MINLOC, MPJ_MINLOC, OF(PAIR)},
    {MPI_MAXLOC, MPJ_MAXLOC, OF(PAIR)},
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

/* Named types of which MPJ has no group, but MPI may have an operation: Fortran's logical,
 * pairs with padding and of reals, 16-byte numbers. Characters have none. */
static bool is_left_to_mpi(MPI_Datatype elemtype, MPJ_Datatype type)
{
  return elemtype == MPI_LOGICAL ||
         (group_of(type) == OTHER && type != MPJ_CHAR && type != MPJ_WCHAR && type != MPJ_PACKED);
}

enum mpi_op_kind mpi_op_classify(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *ours)
{
  const struct row *row = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].mpi == mpi) row = &rows[i];
  if (!row) return mpi == MPI_REPLACE || mpi == MPI_NO_OP ? MPI_OP_WRONG : MPI_OP_APPLIED;
  const MPJ_Datatype type = mpi_named_find(elemtype);
  if (!type) return mpi_is_named(elemtype) ? MPI_OP_APPLIED : MPI_OP_WRONG;
  if (is_left_to_mpi(elemtype, type)) return MPI_OP_APPLIED;
  if (!(row->groups & OF(group_of(type)))) return MPI_OP_WRONG;
  *ours = row->ours;
  return MPI_OP_OURS;
}

MPI_Op mpi_op_of_predefined(MPJ_Op ours)
{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].ours == ours) return rows[i].mpi;
  return ours == MPJ_REPLACE ? MPI_REPLACE : MPI_OP_NULL;
}
