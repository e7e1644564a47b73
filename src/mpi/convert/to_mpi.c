/* This file makes an MPI datatype of a datatype. */
#include <limits.h>

#include "mpi/convert/array.h"
#include "mpi/convert/blocks.h"

static bool fits(MPJ_Count n)
{
  return n >= INT_MIN && n <= INT_MAX;
}

/* Strides and displacements in extents stay so where they fit, as MPI's queries show them. */
static int make_vector(const MPJ_Count c[], MPI_Datatype old, MPI_Datatype *made)
{
  MPJ_Aint lb, extent;
  if (fits(c[0]) && fits(c[1]) && fits(c[2]))
    return mpi_check(PMPI_Type_vector((int)c[0], (int)c[1], (int)c[2], old, made),
                     "MPI_Type_vector");
  const int status = mpi_bounds(old, &lb, &extent);
  return status ? status : mpi_wide_hvector(c[0], c[1], c[2] * extent, old, made);
}

/* Any list of blocks of one type, or of several. */
static int make_blocks(const struct mpi_blocks *b, const MPI_Datatype olds[], MPI_Datatype *made)
{
  if (!b->child) return mpi_wide_hindexed(b->n, b->lengths, b->displs, olds[0], made);
  MPI_Datatype *types = mpi_array(b->n, sizeof *types);
  if (!types) return MPJ_ERR_NO_MEM;
  for (MPJ_Count i = 0; i < b->n; i++)
    types[i] = olds[b->child[i]];
  const int status = mpi_wide_struct(b->n, b->lengths, b->displs, types, made);
  free(types);
  return status;
}

static int make_of_blocks(const struct mpi_call *call, const MPI_Datatype olds[],
                          MPI_Datatype *made)
{
  struct mpi_blocks blocks;
  int status = mpi_blocks_of(call, &blocks);
  if (!status) status = make_blocks(&blocks, olds, made);
  mpi_blocks_free(&blocks);
  return status;
}

static int make_derived(const struct mpi_call *call, const MPI_Datatype olds[], MPI_Datatype *made)
{
  const MPJ_Count *c = call->counts;
  switch (call->combiner) {
  case MPJ_COMBINER_RESIZED:
    return mpi_check(
        PMPI_Type_create_resized(olds[0], call->addresses[0], call->addresses[1], made),
        "MPI_Type_create_resized");
  case MPJ_COMBINER_CONTIGUOUS:
    return mpi_wide_contiguous(c[0], olds[0], made);
  case MPJ_COMBINER_VECTOR:
    return make_vector(c, olds[0], made);
  case MPJ_COMBINER_HVECTOR:
    return mpi_wide_hvector(c[0], c[1], call->addresses[0], olds[0], made);
  case MPJ_COMBINER_SUBARRAY:
    return mpi_make_subarray(c, olds[0], made);
  case MPJ_COMBINER_DARRAY:
    return mpi_make_darray(c, olds[0], made);
  default:
    return make_of_blocks(call, olds, made);
  }
}

/* A basic type without a named one of its own is its bytes. */
static int make_basic(MPJ_Datatype type, MPI_Datatype *made)
{
  MPJ_Count bytes;
  *made = mpi_named_of_basic(type);
  if (*made != MPI_DATATYPE_NULL) return MPJ_SUCCESS;
  const int status = MPJ_Type_size(type, &bytes);
  return status ? status : mpi_wide_contiguous(bytes, MPI_BYTE, made);
}

/* Types inside one another, the outermost first. On the heap, as they nest deeper than a small
 * stack goes. */
struct level {
  MPJ_Datatype type;
  MPJ_Count elements;
  MPJ_Aint lb, extent;
  struct mpi_call call; /* owned */
  MPI_Datatype *olds;   /* [nolds], owned, of which `done` have been made of the call's types */
  MPJ_Count nolds, done;
};

struct nest {
  MPJ_Count n, room;
  struct level *levels; /* [n of room], owned */
};

static int grow(struct nest *nest)
{
  const MPJ_Count room = 2 * nest->room + 4;
  struct level *grown = realloc(nest->levels, (size_t)room * sizeof *grown);
  if (!grown) return mpi_report(MPJ_ERR_NO_MEM, "no memory for a type %lld deep", (long long)room);
  nest->levels = grown;
  nest->room = room;
  return MPJ_SUCCESS;
}

/* How many MPI types are made first. */
static MPJ_Count inner_types(const struct level *l)
{
  if (l->elements == 0) return 0;
  switch (l->call.combiner) {
  case MPJ_COMBINER_NAMED:
  case MPJ_COMBINER_SLICE:
  case MPJ_COMBINER_DISTRIBUTION:
    return 0;
  default:
    return l->call.ntypes;
  }
}

static int enter(struct nest *nest, MPJ_Datatype type)
{
  int status = nest->n == nest->room ? grow(nest) : MPJ_SUCCESS;
  if (status) return status;
  struct level *l = &nest->levels[nest->n];
  *l = (struct level){.type = type};
  status = MPJ_Type_get_extent(type, &l->lb, &l->extent);
  if (!status) status = MPJ_Type_get_element_count(type, &l->elements);
  if (!status) status = mpi_call_read(type, &l->call);
  if (status) return status;
  l->nolds = inner_types(l);
  l->olds = mpi_array(l->nolds, sizeof *l->olds);
  if (l->olds) {
    nest->n++;
    return MPJ_SUCCESS;
  }
  mpi_call_free(&l->call);
  return MPJ_ERR_NO_MEM;
}

static void leave(struct nest *nest)
{
  struct level *l = &nest->levels[--nest->n];
  while (l->done > 0)
    mpi_drop(&l->olds[--l->done]);
  free(l->olds);
  mpi_call_free(&l->call);
}

/* The data, with any bounds, once all inside it has been made. */
static int make_data(struct level *l, MPI_Datatype *made)
{
  if (l->elements == 0) return mpi_wide_contiguous(0, MPI_BYTE, made);
  switch (l->call.combiner) {
  case MPJ_COMBINER_NAMED:
    return make_basic(l->type, made);
  case MPJ_COMBINER_DUP: /* MPICH 4.0 packs nothing of a byte's dup's dup */
    *made = l->olds[--l->done];
    return MPJ_SUCCESS;
  case MPJ_COMBINER_SLICE:
    return mpi_slice(l->call.types[0], l->call.counts[0], l->call.counts[1], mpi_make, made);
  case MPJ_COMBINER_DISTRIBUTION:
    return mpi_slice(l->type, 0, l->elements, mpi_make, made);
  default:
    return make_derived(&l->call, l->olds, made);
  }
}

/* Make the innermost one, or enter the first inside it that has not been made. */
static int step(struct nest *nest, MPI_Datatype *made)
{
  struct level *l = &nest->levels[nest->n - 1];
  if (l->done < l->nolds) return enter(nest, l->call.types[l->done]);
  int status = make_data(l, made);
  if (status) return status;
  status = mpi_rebound(made, l->lb, l->extent);
  if (status) {
    mpi_drop(made);
    return status;
  }
  leave(nest);
  if (nest->n == 0) return MPJ_SUCCESS;
  struct level *over = &nest->levels[nest->n - 1];
  over->olds[over->done++] = *made;
  return MPJ_SUCCESS;
}

int mpi_make(MPJ_Datatype type, MPI_Datatype *made)
{
  struct nest nest = {0};
  int status = enter(&nest, type);
  while (!status && nest.n > 0)
    status = step(&nest, made);
  while (nest.n > 0)
    leave(&nest);
  free(nest.levels);
  return status;
}

int MPJ_Type_to_mpi(MPJ_Datatype type, MPI_Datatype *mpi)
{
  MPJ_ENTRY;
  MPI_Datatype made;
  if (!mpi) return mpi_report(MPJ_ERR_ARG, "mpi is NULL");
  int status = mpi_usable();
  if (!status) status = mpi_make(type, &made);
  if (status) return status;
  status = mpi_check(PMPI_Type_commit(&made), "MPI_Type_commit");
  if (status)
    mpi_drop(&made);
  else
    *mpi = made;
  return status;
}
