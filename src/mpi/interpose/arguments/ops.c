/* This file finds the MPJ operations of a call's arguments: those used lately in a small cache of
 * each thread. */
#include "mpi/interpose/arguments/ops.h"
#include "mpi/interpose/requests.h"

/* Valid while neither an operation nor a derived type was freed, as handles are used again. */
struct entry {
  unsigned long types, ops; /* generations; types FOR_GOOD: of a named one; ops 0: empty */
  MPI_Op mpi;
  MPI_Datatype elemtype;
  MPJ_Op op;
};

enum { ENTRIES = 16, FOR_GOOD = 1 };

static _Thread_local struct entry cache[ENTRIES];
static unsigned long generation = 1; /* of operations; atomic */

static struct entry *slot_of(MPI_Op mpi, MPI_Datatype type)
{
  uint64_t h = (uint64_t)(uintptr_t)mpi * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ (uint64_t)(uintptr_t)type) * UINT64_C(0xff51afd7ed558ccd);
  return &cache[h >> 60];
}

bool op_of(MPI_Op mpi, MPI_Datatype type, MPJ_Op *made)
{
  struct entry *e = slot_of(mpi, type);
  const unsigned long types = mpi_generation();
  const unsigned long ops = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
  const bool valid = e->ops == ops && (e->types == FOR_GOOD || e->types == types);
  if (!valid || e->mpi != mpi || e->elemtype != type) {
    MPJ_Op op;
    if (mpi == MPI_OP_NULL || type == MPI_DATATYPE_NULL) return false;
    if (MPJ_Op_from_mpi(mpi, type, &op) != MPJ_SUCCESS) return false;
    const bool named = mpi_named_find(type) != MPJ_DATATYPE_NULL;
    *e = (struct entry){named ? FOR_GOOD : types, ops, mpi, type, op};
  }
  *made = e->op;
  return true;
}

int MPI_Op_free(MPI_Op *op)
{
  __atomic_fetch_add(&generation, 1, __ATOMIC_ACQ_REL);
  if (!op || *op == MPI_OP_NULL || !requests_need_ops()) return PMPI_Op_free(op);
  return ops_free_later(op);
}
