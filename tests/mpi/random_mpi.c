/* This file makes random MPI datatypes. */
#include "mpi/random_mpi.h"

#include "mpi/convert/interop.h"

enum { BLOCKS = 5, MAX_BYTES = 4096, MAX_SPAN = 1 << 16 };

/* Open MPI 4.1 packs vectors that run backwards in adjacent blocks as if they ran forwards. */
#ifdef OMPI_MAJOR_VERSION
enum { LEAST_STRIDE = 0, LEAST_BYTES = 0 };
#else
enum { LEAST_STRIDE = -4, LEAST_BYTES = -99 };
#endif

static int in(struct mpj_random *rng, int low, int high)
{
  return (int)mpj_random_in(rng, low, high);
}

static MPI_Datatype named(struct mpj_random *rng)
{
  const MPI_Datatype all[] = {
      MPI_CHAR,          MPI_SHORT,      MPI_INT,       MPI_LONG,
      MPI_FLOAT,         MPI_DOUBLE,     MPI_BYTE,      MPI_PACKED,
      MPI_UNSIGNED_CHAR, MPI_INT16_T,    MPI_UINT64_T,  MPI_C_DOUBLE_COMPLEX,
      MPI_FLOAT_INT,     MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_LONG_INT,
      MPI_2INT,          MPI_INTEGER,    MPI_REAL,      MPI_DOUBLE_PRECISION,
      MPI_COMPLEX,       MPI_LOGICAL,    MPI_WCHAR,     MPI_2REAL,
      MPI_C_BOOL,        MPI_AINT};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  switch (in(rng, 0, 12)) {
  case 0:
    PMPI_Type_create_f90_real(in(rng, 3, 14), MPI_UNDEFINED, &type);
    break;
  case 1:
    PMPI_Type_create_f90_integer(in(rng, 1, 17), &type);
    break;
  case 2:
    PMPI_Type_create_f90_complex(in(rng, 3, 14), MPI_UNDEFINED, &type);
    break;
  default:
    break;
  }
  if (type != MPI_DATATYPE_NULL) return type;
  return all[in(rng, 0, (int)(sizeof all / sizeof all[0]) - 1)];
}

static void array_of(struct mpj_random *rng, MPI_Datatype old, MPI_Datatype *made)
{
  int ndims = in(rng, 1, 3), sizes[3], subsizes[3], starts[3];
  for (int d = 0; d < ndims; d++) {
    sizes[d] = in(rng, 1, 5);
    subsizes[d] = in(rng, 1, sizes[d]);
    starts[d] = in(rng, 0, sizes[d] - subsizes[d]);
  }
  PMPI_Type_create_subarray(ndims, sizes, subsizes, starts,
                            in(rng, 0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, made);
}

static void share_of(struct mpj_random *rng, MPI_Datatype old, MPI_Datatype *made)
{
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int ndims = in(rng, 1, 2), size = 1, gsizes[2], distribs[2], dargs[2], psizes[2];
  for (int d = 0; d < ndims; d++) {
    gsizes[d] = in(rng, 2, 7);
    distribs[d] = kinds[in(rng, 0, 2)];
    psizes[d] = distribs[d] == MPI_DISTRIBUTE_NONE ? 1 : in(rng, 1, 2);
    dargs[d] = distribs[d] == MPI_DISTRIBUTE_CYCLIC ? in(rng, 1, 3) : MPI_DISTRIBUTE_DFLT_DARG;
    size *= psizes[d];
  }
  PMPI_Type_create_darray(size, in(rng, 0, size - 1), ndims, gsizes, distribs, dargs, psizes,
                          in(rng, 0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old, made);
}

struct lists {
  int n, lengths[BLOCKS], displs[BLOCKS];
  MPI_Aint bytes[BLOCKS];
};

static struct lists random_lists(struct mpj_random *rng)
{
  struct lists l = {.n = in(rng, 0, BLOCKS)};
  for (int i = 0; i < l.n; i++) {
    l.lengths[i] = in(rng, 0, 3);
    l.displs[i] = in(rng, -6, 12);
    l.bytes[i] = in(rng, -300, 500);
  }
  return l;
}

static void struct_of(struct mpj_random *rng, int depth, MPI_Datatype old, MPI_Datatype *made)
{
  const struct lists l = random_lists(rng);
  MPI_Datatype types[BLOCKS];
  for (int i = 0; i < l.n; i++)
    types[i] = i == 0 ? old : random_mpi(rng, depth - 1);
  PMPI_Type_create_struct(l.n, l.lengths, l.bytes, types, made);
  for (int i = 1; i < l.n; i++)
    random_mpi_free(&types[i]);
}

#if MPI_VERSION >= 4
/* The same by the calls with large counts. */
static void large(struct mpj_random *rng, MPI_Datatype old, MPI_Datatype *made)
{
  const struct lists l = random_lists(rng);
  MPI_Count lengths[BLOCKS], displs[BLOCKS], bytes[BLOCKS];
  MPI_Datatype types[BLOCKS];
  for (int i = 0; i < l.n; i++) {
    lengths[i] = l.lengths[i];
    displs[i] = l.displs[i];
    bytes[i] = l.bytes[i];
    types[i] = old;
  }
  switch (in(rng, 0, 10)) {
  case 0:
    PMPI_Type_contiguous_c(in(rng, 0, 4), old, made);
    break;
  case 1:
    PMPI_Type_vector_c(in(rng, 0, 4), in(rng, 0, 3), in(rng, LEAST_STRIDE, 5), old, made);
    break;
  case 2:
    PMPI_Type_create_hvector_c(in(rng, 0, 4), in(rng, 0, 3), in(rng, LEAST_BYTES, 99), old, made);
    break;
  case 3:
    PMPI_Type_indexed_c(l.n, lengths, displs, old, made);
    break;
  case 4:
    PMPI_Type_create_hindexed_c(l.n, lengths, bytes, old, made);
    break;
  case 5:
    PMPI_Type_create_indexed_block_c(l.n, 2, displs, old, made);
    break;
  case 6:
    PMPI_Type_create_hindexed_block_c(l.n, 2, bytes, old, made);
    break;
  case 7:
    PMPI_Type_create_struct_c(l.n, lengths, bytes, types, made);
    break;
  case 8:
    PMPI_Type_create_subarray_c(2, (MPI_Count[]){4, 3}, (MPI_Count[]){2, 2}, (MPI_Count[]){1, 0},
                                MPI_ORDER_FORTRAN, old, made);
    break;
  case 9:
    PMPI_Type_create_darray_c(4, in(rng, 0, 3), 2, (MPI_Count[]){5, 4},
                              (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
                              (int[]){MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
                              (int[]){2, 2}, MPI_ORDER_C, old, made);
    break;
  default:
    PMPI_Type_create_resized_c(old, in(rng, -20, 20), in(rng, -50, 90), made);
    break;
  }
}
#else
static void large(struct mpj_random *rng, MPI_Datatype old, MPI_Datatype *made)
{
  PMPI_Type_contiguous(in(rng, 0, 4), old, made);
}
#endif

static void derive(struct mpj_random *rng, int depth, MPI_Datatype old, MPI_Datatype *made)
{
  const struct lists l = random_lists(rng);
  switch (in(rng, 0, 13)) {
  case 0:
    PMPI_Type_dup(old, made);
    break;
  case 1:
    PMPI_Type_contiguous(in(rng, 0, 4), old, made);
    break;
  case 2:
    PMPI_Type_vector(in(rng, 0, 4), in(rng, 0, 3), in(rng, LEAST_STRIDE, 5), old, made);
    break;
  case 3:
    PMPI_Type_create_hvector(in(rng, 0, 4), in(rng, 0, 3), in(rng, LEAST_BYTES, 99), old, made);
    break;
  case 4:
    PMPI_Type_indexed(l.n, l.lengths, l.displs, old, made);
    break;
  case 5:
    PMPI_Type_create_hindexed(l.n, l.lengths, l.bytes, old, made);
    break;
  case 6:
    PMPI_Type_create_indexed_block(l.n, in(rng, 0, 3), l.displs, old, made);
    break;
  case 7:
    PMPI_Type_create_hindexed_block(l.n, in(rng, 0, 3), l.bytes, old, made);
    break;
  case 8:
    struct_of(rng, depth, old, made);
    break;
  case 9:
    array_of(rng, old, made);
    break;
  case 10:
    share_of(rng, old, made);
    break;
  case 11:
    PMPI_Type_create_resized(old, in(rng, -20, 20), in(rng, -50, 90), made);
    break;
  default:
    large(rng, old, made);
    break;
  }
}

/* MPICH 4.0 divides by zero when it packs a struct with an empty type in it, so that
 * types of no data stay out. */
static int is_fit(MPI_Datatype type)
{
  MPI_Count size, lb, extent, true_lb, true_extent;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &lb, &extent);
  PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
  return size > 0 && size <= MAX_BYTES && extent < MAX_SPAN && extent > -MAX_SPAN &&
         lb < MAX_SPAN && lb > -MAX_SPAN && true_lb > -MAX_SPAN && true_lb + true_extent < MAX_SPAN;
}

MPI_Datatype random_mpi(struct mpj_random *rng, int depth)
{
  if (depth <= 0 || in(rng, 0, 9) == 0) return named(rng);
  MPI_Datatype old = random_mpi(rng, depth - 1), made = MPI_DATATYPE_NULL;
  derive(rng, depth, old, &made);
  if (made != MPI_DATATYPE_NULL && is_fit(made)) {
    random_mpi_free(&old);
    return made;
  }
  random_mpi_free(&made);
  return old;
}

void random_mpi_free(MPI_Datatype *type)
{
  mpi_drop(type);
}
