/* This file finds the MPJ types of a call's arguments: those used lately in a small
 * cache of each thread, as programs repeat their calls. */
#include <pthread.h>

#include "mpi/interpose/types.h"

/* Valid while no derived type was freed, as handles are used again. */
struct entry {
  unsigned long generation; /* FOR_GOOD: of a named type; 0: empty */
  MPI_Datatype mpi;
  MPI_Count count;
  int parts; /* 0: one part */
  MPJ_Datatype type;
};

enum { ENTRIES = 64, FOR_GOOD = 1 };

static _Thread_local struct entry cache[ENTRIES];

static unsigned slot_of(MPI_Datatype mpi, MPI_Count count, int parts)
{
  uint64_t h = (uint64_t)(uintptr_t)mpi * UINT64_C(0x9e3779b97f4a7c15);
  h ^= ((uint64_t)count + (uint64_t)parts * 31) * UINT64_C(0xff51afd7ed558ccd);
  return (unsigned)(h >> 58);
}

/* --- the end of a thread --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_exit;
static bool have_at_exit;

static void release_all(void *entries)
{
  struct entry *e = entries;
  for (int i = 0; i < ENTRIES; i++) {
    if (e[i].generation) mpi_release(&e[i].type);
    e[i].generation = 0;
  }
}

static void make_at_exit(void)
{
  have_at_exit = pthread_key_create(&at_exit, release_all) == 0;
}

static void see_to_release(void)
{
  pthread_once(&once, make_at_exit);
  if (have_at_exit && !pthread_getspecific(at_exit)) pthread_setspecific(at_exit, cache);
}

static int build(MPI_Count count, int parts, MPI_Datatype mpi, MPJ_Datatype *made)
{
  MPJ_Datatype old, part = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_from_mpi(mpi, &old);
  if (status) return status;
  if (parts == 0 && count == 1) {
    *made = old;
    return MPJ_SUCCESS;
  }
  if (parts == 0)
    status = MPJ_Type_contiguous(count, old, made);
  else {
    status = MPJ_Type_contiguous(count, old, &part);
    if (!status) status = MPJ_Type_contiguous(parts, part, made);
    mpi_release(&part);
  }
  mpi_release(&old);
  return status ? status : MPJ_Type_commit(made);
}

/* Build the type and keep it in the place of what was there. */
static bool fill(struct entry *e, MPI_Count count, int parts, MPI_Datatype mpi)
{
  MPJ_Datatype type;
  const unsigned long now = mpi_generation();
  if (count < 0 || mpi == MPI_DATATYPE_NULL || build(count, parts, mpi, &type)) return false;
  if (e->generation) mpi_release(&e->type);
  const bool named = mpi_named_find(mpi) != MPJ_DATATYPE_NULL;
  *e = (struct entry){named ? FOR_GOOD : now, mpi, count, parts, type};
  see_to_release();
  return true;
}

static bool cached(MPI_Count count, int parts, MPI_Datatype mpi, MPJ_Datatype *made)
{
  struct entry *e = &cache[slot_of(mpi, count, parts)];
  const bool valid = e->generation == FOR_GOOD || e->generation == mpi_generation();
  if (!valid || e->mpi != mpi || e->count != count || e->parts != parts)
    if (!fill(e, count, parts, mpi)) return false;
  return MPJ_Type_share(e->type, made) == MPJ_SUCCESS;
}

bool type_of(MPI_Count count, MPI_Datatype type, MPJ_Datatype *made)
{
  return cached(count, 0, type, made);
}

bool type_of_parts(int size, MPI_Count count, MPI_Datatype type, MPJ_Datatype *made)
{
  return cached(count, size, type, made);
}

static bool counts_are_right(int size, const struct lists *l)
{
  if (!l->counts && !l->large_counts) return false;
  for (int i = 0; i < size; i++)
    if ((l->counts ? l->counts[i] : l->large_counts[i]) < 0) return false;
  return true;
}

bool type_of_lists(int size, const struct lists *l, MPI_Datatype type, MPJ_Datatype *made)
{
  if (!counts_are_right(size, l) || type == MPI_DATATYPE_NULL) return false;
  const int status =
      l->counts ? MPJ_Type_from_mpi_parts(size, l->counts, l->displs, type, made)
                : MPJ_Type_from_mpi_parts_c(size, l->large_counts, l->large_displs, type, made);
  return status == MPJ_SUCCESS;
}

bool type_of_w_lists(int size, const struct lists *l, const MPI_Datatype types[],
                     MPJ_Datatype *made)
{
  if (!counts_are_right(size, l) || !types) return false;
  if (l->counts ? !l->displs : !l->large_displs) return false;
  const int status =
      l->counts ? MPJ_Type_from_mpi_parts_w(size, l->counts, l->displs, types, made)
                : MPJ_Type_from_mpi_parts_w_c(size, l->large_counts, l->large_displs, types, made);
  return status == MPJ_SUCCESS;
}
