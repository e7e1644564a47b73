/* This file keeps what an MPI datatype was converted to, as an attribute of it, so that
 * it is gone with the type: handles are used again. Each thread remembers a few handles, which mean
 * the same until a converted type is freed. */
#include <pthread.h>

#include "mpi/convert/interop.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of converting and the key */
static int key = MPI_KEYVAL_INVALID;
static unsigned long generation = 2; /* atomic */

unsigned long mpi_generation(void)
{
  return __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

/* MPI calls it when the type is freed. */
static int forget(MPI_Datatype mpi, int keyval, void *value, void *extra_state)
{
  MPJ_Datatype type = value;
  (void)mpi, (void)keyval, (void)extra_state;
  __atomic_fetch_add(&generation, 1, __ATOMIC_ACQ_REL);
  mpi_release(&type);
  return MPI_SUCCESS;
}

static int make_key(void)
{
  if (key != MPI_KEYVAL_INVALID) return MPJ_SUCCESS;
  int made;
  const int status = mpi_check(PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, forget, &made, NULL),
                               "MPI_Type_create_keyval");
  if (status == MPJ_SUCCESS) __atomic_store_n(&key, made, __ATOMIC_RELEASE);
  return status;
}

/* The type that hangs on it, or null. */
static MPJ_Datatype look(MPI_Datatype mpi)
{
  const int keyval = __atomic_load_n(&key, __ATOMIC_ACQUIRE);
  void *value;
  int found = 0;
  if (keyval == MPI_KEYVAL_INVALID) return MPJ_DATATYPE_NULL;
  if (PMPI_Type_get_attr(mpi, keyval, &value, &found) || !found) return MPJ_DATATYPE_NULL;
  return value;
}

/* Convert and keep. Basic types (of Fortran kinds) are constants and need no keeping. */
static int convert_and_keep(MPI_Datatype mpi, MPJ_Datatype *type)
{
  int status = mpi_convert(mpi, type);
  if (status) return status;
  status = MPJ_Type_commit(type);
  if (!status) status = make_key();
  if (!status) status = mpi_check(PMPI_Type_set_attr(mpi, key, *type), "MPI_Type_set_attr");
  if (status) forget(mpi, key, *type, NULL);
  return status;
}

/* Convert under the lock: another thread may have been first. */
static int first_time(MPI_Datatype mpi, MPJ_Datatype *type)
{
  if (mpi == MPI_DATATYPE_NULL) return mpi_report(MPJ_ERR_TYPE, "mpi is MPI_DATATYPE_NULL");
  const int status = mpi_usable();
  if (status) return status;
  *type = look(mpi);
  return *type ? MPJ_SUCCESS : convert_and_keep(mpi, type);
}

int mpi_seen(MPI_Datatype mpi, MPJ_Datatype *type)
{
  *type = mpi_named_find(mpi);
  if (*type) return MPJ_SUCCESS;
  return first_time(mpi, type);
}

enum { LATELY = 8 };

static _Thread_local struct {
  MPI_Datatype mpi;
  unsigned long generation; /* 0: empty */
  MPJ_Datatype type;        /* borrowed from the MPI type */
} lately[LATELY];

int MPJ_Type_from_mpi(MPI_Datatype mpi, MPJ_Datatype *type)
{
  if (!type) return mpi_report(MPJ_ERR_ARG, "type is NULL");
  const unsigned long now = mpi_generation();
  const uint64_t h = (uint64_t)(uintptr_t)mpi * UINT64_C(0x9e3779b97f4a7c15);
  const unsigned i = (unsigned)(h >> 61);
  if (lately[i].generation == now && lately[i].mpi == mpi)
    return MPJ_Type_share(lately[i].type, type);
  MPJ_Datatype kept = mpi_named_find(mpi);
  if (!kept && mpi != MPI_DATATYPE_NULL) kept = look(mpi);
  int status = MPJ_SUCCESS;
  if (!kept) {
    pthread_mutex_lock(&lock);
    status = first_time(mpi, &kept);
    pthread_mutex_unlock(&lock);
  }
  if (status) return status;
  lately[i].mpi = mpi;
  lately[i].generation = now;
  lately[i].type = kept;
  return MPJ_Type_share(kept, type);
}
