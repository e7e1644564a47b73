/* This file knows the named types of MPI: which basic types they are. */
#include <pthread.h>
#include <stdint.h>

#include "mpi/convert/interop.h"

struct row {
  MPI_Datatype mpi;
  MPJ_Datatype type;
};

/* Where several rows have one basic type, the first is what it becomes. */
static const struct row rows[] = {
    {MPI_BYTE, MPJ_BYTE},
    {MPI_CHAR, MPJ_CHAR},
    {MPI_SIGNED_CHAR, MPJ_SIGNED_CHAR},
    {MPI_UNSIGNED_CHAR, MPJ_UNSIGNED_CHAR},
    {MPI_SHORT, MPJ_SHORT},
    {MPI_UNSIGNED_SHORT, MPJ_UNSIGNED_SHORT},
    {MPI_INT, MPJ_INT},
    {MPI_UNSIGNED, MPJ_UNSIGNED},
    {MPI_LONG, MPJ_LONG},
    {MPI_UNSIGNED_LONG, MPJ_UNSIGNED_LONG},
    {MPI_LONG_LONG, MPJ_LONG_LONG},
    {MPI_UNSIGNED_LONG_LONG, MPJ_UNSIGNED_LONG_LONG},
    {MPI_INT8_T, MPJ_INT8},
    {MPI_INT16_T, MPJ_INT16},
    {MPI_INT32_T, MPJ_INT32},
    {MPI_INT64_T, MPJ_INT64},
    {MPI_UINT8_T, MPJ_UINT8},
    {MPI_UINT16_T, MPJ_UINT16},
    {MPI_UINT32_T, MPJ_UINT32},
    {MPI_UINT64_T, MPJ_UINT64},
    {MPI_FLOAT, MPJ_FLOAT},
    {MPI_DOUBLE, MPJ_DOUBLE},
    {MPI_LONG_DOUBLE, MPJ_LONG_DOUBLE},
    {MPI_C_BOOL, MPJ_C_BOOL},
    {MPI_C_FLOAT_COMPLEX, MPJ_C_FLOAT_COMPLEX},
    {MPI_C_DOUBLE_COMPLEX, MPJ_C_DOUBLE_COMPLEX},
    {MPI_C_LONG_DOUBLE_COMPLEX, MPJ_C_LONG_DOUBLE_COMPLEX},
    {MPI_WCHAR, MPJ_WCHAR},
    {MPI_AINT, MPJ_AINT},
    {MPI_COUNT, MPJ_COUNT},
    {MPI_OFFSET, MPJ_INT64},
    {MPI_PACKED, MPJ_PACKED},
    {MPI_FLOAT_INT, MPJ_FLOAT_INT},
    {MPI_2INT, MPJ_2INT},
    {MPI_CXX_BOOL, MPJ_C_BOOL},
    {MPI_CXX_FLOAT_COMPLEX, MPJ_C_FLOAT_COMPLEX},
    {MPI_CXX_DOUBLE_COMPLEX, MPJ_C_DOUBLE_COMPLEX},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, MPJ_C_LONG_DOUBLE_COMPLEX},
    {MPI_CHARACTER, MPJ_CHAR},
    {MPI_INTEGER, MPJ_INT32},
    {MPI_INTEGER1, MPJ_INT8},
    {MPI_INTEGER2, MPJ_INT16},
    {MPI_INTEGER4, MPJ_INT32},
    {MPI_INTEGER8, MPJ_INT64},
    {MPI_LOGICAL, MPJ_INT32},
    {MPI_REAL, MPJ_FLOAT},
    {MPI_REAL4, MPJ_FLOAT},
    {MPI_REAL8, MPJ_DOUBLE},
    {MPI_DOUBLE_PRECISION, MPJ_DOUBLE},
    {MPI_COMPLEX, MPJ_C_FLOAT_COMPLEX},
    {MPI_COMPLEX8, MPJ_C_FLOAT_COMPLEX},
    {MPI_COMPLEX16, MPJ_C_DOUBLE_COMPLEX},
    {MPI_DOUBLE_COMPLEX, MPJ_C_DOUBLE_COMPLEX},
    {MPI_2INTEGER, MPJ_2INT},
};

/* Named types that are several elements. The pairs' padding is not transferred. */
static const struct pair {
  MPI_Datatype mpi;
  MPJ_Datatype first, second;
  MPJ_Aint second_at, extent;
} pairs[] = {
#define WITH_INT(name, c_type, basic)                                                              \
  {                                                                                                \
    name, basic, MPJ_INT,                                                                          \
        offsetof(                                                                                  \
            struct {                                                                               \
              c_type value;                                                                        \
              int index;                                                                           \
            },                                                                                     \
            index),                                                                                \
        sizeof(struct {                                                                            \
          c_type value;                                                                            \
          int index;                                                                               \
        })                                                                                         \
  }
    WITH_INT(MPI_DOUBLE_INT, double, MPJ_DOUBLE),
    WITH_INT(MPI_LONG_DOUBLE_INT, long double, MPJ_LONG_DOUBLE),
    WITH_INT(MPI_LONG_INT, long, MPJ_LONG),
    WITH_INT(MPI_SHORT_INT, short, MPJ_SHORT),
#undef WITH_INT
    {MPI_2REAL, MPJ_FLOAT, MPJ_FLOAT, 4, 8},
    {MPI_2DOUBLE_PRECISION, MPJ_DOUBLE, MPJ_DOUBLE, 8, 16},
};

/* Basic types whose named type is a pair of the second table. */
static const struct row padded[] = {
    {MPI_DOUBLE_INT, MPJ_DOUBLE_INT},
    {MPI_LONG_DOUBLE_INT, MPJ_LONG_DOUBLE_INT},
    {MPI_LONG_INT, MPJ_LONG_INT},
    {MPI_SHORT_INT, MPJ_SHORT_INT},
};

enum { SLOTS = 256, ROWS = sizeof rows / sizeof rows[0], PAIRS = sizeof pairs / sizeof pairs[0] };

/* Open addressing; an empty slot's type is null. Written once, then read only. */
static struct row table[SLOTS];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool filled; /* as once says, for a look without a call */

static unsigned slot_of(MPI_Datatype mpi)
{
  const uint64_t key = (uint64_t)(uintptr_t)mpi;
  return (unsigned)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void insert(MPI_Datatype mpi, MPJ_Datatype type)
{
  if (mpi == MPI_DATATYPE_NULL) return; /* a kind that this MPI does not have */
  unsigned i = slot_of(mpi);
  while (table[i].type && table[i].mpi != mpi)
    i = (i + 1) % SLOTS;
  if (!table[i].type) table[i] = (struct row){mpi, type};
}

/* Struct of the two, with the extent of the C struct. */
static void insert_pair(const struct pair *p)
{
  MPJ_Datatype both, type;
  if (MPJ_Type_create_struct(2, (MPJ_Count[]){1, 1}, (MPJ_Aint[]){0, p->second_at},
                             (MPJ_Datatype[]){p->first, p->second}, &both))
    return;
  if (MPJ_Type_create_resized(both, 0, p->extent, &type) == MPJ_SUCCESS) {
    if (MPJ_Type_commit(&type) == MPJ_SUCCESS)
      insert(p->mpi, type);
    else
      MPJ_Type_free(&type);
  }
  MPJ_Type_free(&both);
}

static void fill(void)
{
  for (int i = 0; i < ROWS; i++)
    insert(rows[i].mpi, rows[i].type);
  for (int i = 0; i < PAIRS; i++)
    insert_pair(&pairs[i]);
  __atomic_store_n(&filled, true, __ATOMIC_RELEASE);
}

MPJ_Datatype mpi_named_find(MPI_Datatype mpi)
{
  if (!__atomic_load_n(&filled, __ATOMIC_ACQUIRE)) pthread_once(&once, fill);
  unsigned i = slot_of(mpi);
  while (table[i].type && table[i].mpi != mpi)
    i = (i + 1) % SLOTS;
  return table[i].type;
}

int mpi_named_bytes(MPI_Datatype mpi, MPJ_Datatype *type)
{
  MPJ_Count size;
  const int status = mpi_size(mpi, &size);
  return status ? status : MPJ_Type_contiguous(size, MPJ_BYTE, type);
}

MPI_Datatype mpi_named_of_basic(MPJ_Datatype basic)
{
  for (int i = 0; i < ROWS; i++)
    if (rows[i].type == basic) return rows[i].mpi;
  for (size_t i = 0; i < sizeof padded / sizeof padded[0]; i++)
    if (padded[i].type == basic) return padded[i].mpi;
  return MPI_DATATYPE_NULL;
}

bool mpi_is_named(MPI_Datatype mpi)
{
  int nints, naddresses, ntypes, combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4 /* the other query refuses types made with large counts */
  MPI_Count ni, na, nl, nt;
  if (PMPI_Type_get_envelope_c(mpi, &ni, &na, &nl, &nt, &combiner)) return true;
  (void)nints, (void)naddresses, (void)ntypes;
#else
  if (PMPI_Type_get_envelope(mpi, &nints, &naddresses, &ntypes, &combiner)) return true;
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

void mpi_drop(MPI_Datatype *mpi)
{
  if (*mpi != MPI_DATATYPE_NULL && !mpi_is_named(*mpi)) PMPI_Type_free(mpi);
  *mpi = MPI_DATATYPE_NULL;
}

int mpi_size(MPI_Datatype mpi, MPJ_Count *bytes)
{
  MPI_Count size;
  const int status = mpi_check(PMPI_Type_size_x(mpi, &size), "MPI_Type_size_x");
  if (status == MPJ_SUCCESS) *bytes = size;
  return status;
}
