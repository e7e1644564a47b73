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

MPJ_Datatype mpi_kept(MPI_Datatype mpi)
{
  const MPJ_Datatype named = mpi_named_find(mpi);
  return named || mpi == MPI_DATATYPE_NULL ? named : look(mpi);
}

/* Types inside one another, the outermost first: each is one of those that the one before was
 * made of. On the heap, as they nest deeper than a small stack goes. */
struct level {
  MPI_Datatype mpi;
  struct mpi_made made; /* owned */
  MPJ_Count next;       /* those that it was made of, before this one, are kept */
};

struct nest {
  MPJ_Count n, room;
  struct level *levels; /* [n of room], owned */
};

static int enter(struct nest *nest, MPI_Datatype mpi)
{
  if (mpi == MPI_DATATYPE_NULL) return mpi_report(MPJ_ERR_TYPE, "mpi is MPI_DATATYPE_NULL");
  if (nest->n == nest->room) {
    const MPJ_Count room = 2 * nest->room + 4;
    struct level *grown = realloc(nest->levels, (size_t)room * sizeof *grown);
    if (!grown)
      return mpi_report(MPJ_ERR_NO_MEM, "no memory for a type %lld deep", (long long)room);
    nest->levels = grown;
    nest->room = room;
  }
  struct level *l = &nest->levels[nest->n];
  const int status = mpi_made_read(mpi, &l->made);
  if (status) return status;
  l->mpi = mpi;
  l->next = 0;
  nest->n++;
  return MPJ_SUCCESS;
}

/* Convert and keep, as all that it was made of has been. */
static int convert_and_keep(const struct level *l)
{
  MPJ_Datatype type;
  MPJ_Datatype *olds = mpi_array(l->made.ntypes, sizeof *olds);
  int status = olds ? MPJ_SUCCESS : MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; !status && i < l->made.ntypes; i++)
    olds[i] = mpi_kept(l->made.types[i]);
  if (!status) status = mpi_convert(l->mpi, &l->made, olds, &type);
  free(olds);
  if (status) return status;
  status = MPJ_Type_commit(&type);
  if (!status) status = make_key();
  if (!status) status = mpi_check(PMPI_Type_set_attr(l->mpi, key, type), "MPI_Type_set_attr");
  if (status) forget(l->mpi, key, type, NULL);
  return status;
}

/* Convert the innermost one, or enter the first that it was made of and that is not kept. */
static int step(struct nest *nest)
{
  struct level *l = &nest->levels[nest->n - 1];
  while (l->next < l->made.ntypes && mpi_kept(l->made.types[l->next]))
    l->next++;
  if (l->next < l->made.ntypes) return enter(nest, l->made.types[l->next]);
  const int status = convert_and_keep(l);
  if (status) return status;
  mpi_made_free(&l->made);
  nest->n--;
  return MPJ_SUCCESS;
}

/* Convert under the lock: another thread may have been first. */
static int first_time(MPI_Datatype mpi, MPJ_Datatype *type)
{
  struct nest nest = {0};
  int status = mpi_usable();
  if (mpi == MPI_DATATYPE_NULL) status = mpi_report(MPJ_ERR_TYPE, "mpi is MPI_DATATYPE_NULL");
  if (status) return status;
  if (!mpi_kept(mpi)) status = enter(&nest, mpi);
  while (!status && nest.n > 0)
    status = step(&nest);
  while (nest.n > 0)
    mpi_made_free(&nest.levels[--nest.n].made);
  free(nest.levels);
  if (!status) *type = mpi_kept(mpi);
  return status;
}

enum { LATELY = 8 };

static _Thread_local struct {
  MPI_Datatype mpi;
  unsigned long generation; /* 0: empty */
  MPJ_Datatype type;        /* borrowed from the MPI type */
} lately[LATELY];

int MPJ_Type_from_mpi(MPI_Datatype mpi, MPJ_Datatype *type)
{
  MPJ_ENTRY;
  if (!type) return mpi_report(MPJ_ERR_ARG, "type is NULL");
  const unsigned long now = mpi_generation();
  const uint64_t h = (uint64_t)(uintptr_t)mpi * UINT64_C(0x9e3779b97f4a7c15);
  const unsigned i = (unsigned)(h >> 61);
  if (lately[i].generation == now && lately[i].mpi == mpi)
    return MPJ_Type_share(lately[i].type, type);
  MPJ_Datatype kept = mpi_kept(mpi);
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
