/* This file is a C++ program on an installed MPJ: a column of a matrix is
 * broadcast into a row. */
#include <mpj/mpj.h>

#include <vector>

namespace {

const MPJ_Count n = 5;

int broadcast_column(void *)
{
  int rank = -1;
  MPJ_Datatype column = MPJ_DATATYPE_NULL, row = MPJ_DATATYPE_NULL;
  if (MPJ_Comm_rank(MPJ_COMM_WORLD, &rank) != MPJ_SUCCESS) return 1;
  if (MPJ_Type_vector(n, 1, n, MPJ_DOUBLE, &column) != MPJ_SUCCESS) return 2;
  if (MPJ_Type_contiguous(n, MPJ_DOUBLE, &row) != MPJ_SUCCESS) return 3;
  if (MPJ_Type_commit(&column) != MPJ_SUCCESS || MPJ_Type_commit(&row) != MPJ_SUCCESS) return 4;
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  if (rank == 0)
    for (std::size_t i = 0; i < matrix.size(); i++)
      matrix[i] = static_cast<double>(i);
  int status = MPJ_Bcast(matrix.data(), rank == 0 ? column : row, 0, MPJ_COMM_WORLD);
  MPJ_Type_free(&column);
  MPJ_Type_free(&row);
  for (std::size_t i = 0; status == MPJ_SUCCESS && rank != 0 && i < static_cast<std::size_t>(n);
       i++)
    if (matrix[i] != static_cast<double>(i * static_cast<std::size_t>(n))) return 5;
  return status;
}

} // namespace

int main()
{
  return MPJ_Run_threads(3, broadcast_column, nullptr);
}
