/* This file makes random MPI datatypes without overlaps. */
#include "mpi/tiled_mpi.h"

enum { BLOCKS = 4 };

/* Open MPI 4.1 moves several elements with empty blocks at their end as if these had no extent. */
#ifdef OMPI_MAJOR_VERSION
enum { LEAST_LENGTH = 1 };
#else
enum { LEAST_LENGTH = 0 };
#endif

int stream_in(struct stream *s, int low, int high)
{
  s->state = s->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  const uint64_t x = (s->state ^ s->state >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
  return low + (int)((x >> 33) % (uint64_t)(high - low + 1));
}

static MPI_Datatype named(struct stream *s)
{
  const MPI_Datatype all[] = {MPI_CHAR,  MPI_SHORT, MPI_INT,          MPI_LONG,
                              MPI_FLOAT, MPI_BYTE,  MPI_DOUBLE,       MPI_C_DOUBLE_COMPLEX,
                              MPI_2INT,  MPI_WCHAR, MPI_UNSIGNED_CHAR};
  return all[stream_in(s, 0, (int)(sizeof all / sizeof all[0]) - 1)];
}

/* Blocks of random lengths, one behind the other with gaps; the end of the last is returned. */
static int blocks(struct stream *s, int n, int lengths[], int displs[])
{
  int at = stream_in(s, 0, 3);
  for (int i = 0; i < n; i++) {
    displs[i] = at;
    lengths[i] = stream_in(s, LEAST_LENGTH, 3);
    at += lengths[i] + stream_in(s, 0, 2);
  }
  return at;
}

static void indexed(struct stream *s, MPI_Datatype old, MPI_Datatype *made)
{
  int lengths[BLOCKS] = {0}, displs[BLOCKS] = {0};
  MPI_Aint lb, extent, bytes[BLOCKS] = {0};
  const int n = stream_in(s, LEAST_LENGTH, BLOCKS);
  blocks(s, n, lengths, displs);
  PMPI_Type_get_extent(old, &lb, &extent);
  for (int i = 0; i < n; i++)
    bytes[i] = displs[i] * extent;
  if (stream_in(s, 0, 1))
    PMPI_Type_indexed(n, lengths, displs, old, made);
  else
    PMPI_Type_create_hindexed(n, lengths, bytes, old, made);
}

static void structure(struct stream *s, int depth, MPI_Datatype *made)
{
  int lengths[BLOCKS] = {0};
  MPI_Aint displs[BLOCKS] = {0}, at = 0;
  MPI_Datatype types[BLOCKS] = {MPI_BYTE};
  const int n = stream_in(s, 1, 3);
  for (int i = 0; i < n; i++) {
    MPI_Aint lb, extent;
    types[i] = tiled_mpi(s, depth - 1);
    PMPI_Type_get_extent(types[i], &lb, &extent);
    lengths[i] = stream_in(s, LEAST_LENGTH, 2);
    displs[i] = at - lb;
    at += lengths[i] * extent + stream_in(s, 0, 9);
  }
  PMPI_Type_create_struct(n, lengths, displs, types, made);
  for (int i = 0; i < n; i++)
    tiled_mpi_free(&types[i]);
}

static void subarray(struct stream *s, MPI_Datatype old, MPI_Datatype *made)
{
  int sizes[2], subsizes[2], starts[2];
  for (int d = 0; d < 2; d++) {
    sizes[d] = stream_in(s, 1, 4);
    subsizes[d] = stream_in(s, 1, sizes[d]);
    starts[d] = stream_in(s, 0, sizes[d] - subsizes[d]);
  }
  const int order = stream_in(s, 0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  PMPI_Type_create_subarray(2, sizes, subsizes, starts, order, old, made);
}

/* Wider bounds only. */
static void resized(struct stream *s, MPI_Datatype old, MPI_Datatype *made)
{
  MPI_Aint lb, extent;
  const int below = stream_in(s, 0, 16), above = stream_in(s, 0, 16);
  PMPI_Type_get_extent(old, &lb, &extent);
  PMPI_Type_create_resized(old, lb - below, extent + below + above, made);
}

static void derived(struct stream *s, int depth, MPI_Datatype *made)
{
  MPI_Datatype old = tiled_mpi(s, depth - 1);
  const int length = stream_in(s, 1, 3);
  switch (stream_in(s, 0, 5)) {
  case 0:
    PMPI_Type_contiguous(stream_in(s, LEAST_LENGTH, 4), old, made);
    break;
  case 1:
    PMPI_Type_vector(stream_in(s, 1, 4), length, length + stream_in(s, 0, 2), old, made);
    break;
  case 2:
    indexed(s, old, made);
    break;
  case 3:
    subarray(s, old, made);
    break;
  case 4:
    PMPI_Type_dup(old, made);
    break;
  default:
    resized(s, old, made);
  }
  tiled_mpi_free(&old);
}

/* Bounds that one of a struct's types was given leave out the others' data. */
static int is_fit(MPI_Datatype type)
{
  MPI_Aint lb, extent, true_lb, true_extent;
  PMPI_Type_get_extent(type, &lb, &extent);
  PMPI_Type_get_true_extent(type, &true_lb, &true_extent);
  return extent <= TILED_EXTENT && lb >= -TILED_EXTENT && lb <= true_lb &&
         lb + extent >= true_lb + true_extent;
}

MPI_Datatype tiled_mpi(struct stream *s, int depth)
{
  MPI_Datatype made;
  if (depth <= 0 || stream_in(s, 0, 3) == 0) return named(s);
  if (stream_in(s, 0, 4) == 0)
    structure(s, depth, &made);
  else
    derived(s, depth, &made);
  PMPI_Type_commit(&made);
  if (is_fit(made)) return made;
  PMPI_Type_free(&made);
  return named(s);
}

void tiled_mpi_free(MPI_Datatype *type)
{
  int ints, addresses, types, combiner;
  PMPI_Type_get_envelope(*type, &ints, &addresses, &types, &combiner);
  if (combiner != MPI_COMBINER_NAMED) MPI_Type_free(type);
}

MPI_Datatype tiled_mpi_other(struct stream *s, int n, MPI_Datatype type, int *count)
{
  MPI_Datatype made;
  *count = 1;
  switch (n > 0 ? stream_in(s, 0, 3) : 3) { /* MPICH takes count 0 for no data, and others not */
  case 0:
    PMPI_Type_contiguous(n, type, &made);
    break;
  case 1:
    PMPI_Type_vector(n, 1, 2, type, &made);
    break;
  default:
    *count = n;
    PMPI_Type_dup(type, &made);
  }
  PMPI_Type_commit(&made);
  return made;
}
