/* This program is a client of parallel HDF5, which knows nothing of the interposer under it: all
 * ranks write a compressed, chunked data set together, in stripes of uneven width that share
 * chunks (the library gathers what belongs to a chunk by irregular collectives), then an
 * uncompressed one by scattered columns; each reads the other ranks' elements back and checks them.
 *
 *   hdf5 FILE     prints "all right" on rank 0 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 90, COLUMNS = 70, CHUNK = 16, ROUNDS = 3 };

static int rank, size;

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "rank %d of %d: %s went wrong\n", rank, size, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double element(hsize_t row, hsize_t column, int round)
{
  return (double)(row * 1000 + column) + round / 8.;
}

static hid_t collective(void)
{
  const hid_t list = H5Pcreate(H5P_DATASET_XFER);
  check(H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE) >= 0, "H5Pset_dxpl_mpio");
  return list;
}

/* Stripes grow with the rank; the last takes what is left. */
static void stripe(int of, hsize_t *first, hsize_t *width)
{
  const int shares = size * (size + 1) / 2;
  *first = (hsize_t)(ROWS * (of * (of + 1) / 2) / shares);
  *width = (hsize_t)(ROWS * ((of + 1) * (of + 2) / 2) / shares) - *first;
}

/* Rows `first` and on, `n` of them; or every size-th column from `first` on. */
static void transfer(hid_t set, int rows, hsize_t first, hsize_t n, int round, int writes)
{
  const hsize_t start[2] = {rows ? first : 0, rows ? 0 : first},
                stride[2] = {1, rows ? 1 : (hsize_t)size},
                count[2] = {rows ? n : ROWS, rows ? COLUMNS : n}, all = count[0] * count[1];
  const hid_t file = H5Dget_space(set), memory = H5Screate_simple(2, count, NULL);
  const hid_t list = collective();
  double *data = malloc(sizeof *data * (all + 1));
  if (all > 0)
    H5Sselect_hyperslab(file, H5S_SELECT_SET, start, stride, count, NULL);
  else {
    H5Sselect_none(file);
    H5Sselect_none(memory);
  }
  for (hsize_t i = 0; i < all; i++)
    data[i] =
        writes ? element(start[0] + i / count[1], start[1] + i % count[1] * stride[1], round) : -1;
  check((writes ? H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, file, list, data)
                : H5Dread(set, H5T_NATIVE_DOUBLE, memory, file, list, data)) >= 0,
        writes ? "H5Dwrite" : "H5Dread");
  for (hsize_t i = 0; i < all; i++)
    check(data[i] == element(start[0] + i / count[1], start[1] + i % count[1] * stride[1], round),
          "an element that was read");
  free(data);
  H5Pclose(list);
  H5Sclose(memory);
  H5Sclose(file);
}

static hsize_t columns_of(int of)
{
  return (hsize_t)((COLUMNS - of + size - 1) / size);
}

static void use(hid_t file, const char *name, int compressed)
{
  const hsize_t shape[2] = {ROWS, COLUMNS}, chunk[2] = {CHUNK, CHUNK};
  const hid_t space = H5Screate_simple(2, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 2, chunk);
  if (compressed) check(H5Pset_deflate(list, 4) >= 0, "H5Pset_deflate");
  const hid_t set =
      H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  check(set >= 0, "H5Dcreate2");
  for (int round = 0; round < ROUNDS; round++) {
    const int other = (rank + 1 + round) % size;
    hsize_t first, width;
    if (compressed) {
      stripe(rank, &first, &width);
      transfer(set, 1, first, width, round, 1);
    } else
      transfer(set, 0, (hsize_t)rank, columns_of(rank), round, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    stripe(other, &first, &width);
    transfer(set, 1, first, width, round, 0);
    transfer(set, 0, (hsize_t)other, columns_of(other), round, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  H5Dclose(set);
  H5Pclose(list);
  H5Sclose(space);
}

static hid_t parallel(void)
{
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  check(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0, "H5Pset_fapl_mpio");
  H5Pset_all_coll_metadata_ops(access, 1);
  H5Pset_coll_metadata_write(access, 1);
  return access;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  check(argc == 2, "the command line");
  const hid_t access = parallel();
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  check(file >= 0, "H5Fcreate");
  use(file, "compressed", 1);
  use(file, "plain", 0);
  check(H5Fclose(file) >= 0, "H5Fclose");
  H5Pclose(access);
  if (rank == 0) printf("all right\n");
  MPI_Finalize();
  return 0;
}
