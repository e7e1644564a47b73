! This program checks collectives called from Fortran; it prints "all right" on rank 0.
program collectives
  implicit none
  include 'mpif.h'
  integer :: error, rank, size, i, total, comm, half, columns
  integer, allocatable :: counts(:), places(:), got(:), mine(:)
  double precision :: matrix(4, 4)

  call MPI_Init(error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, size, error)
  allocate(counts(size), places(size), got(size * (size + 1) / 2), mine(rank + 1))

  total = rank + 1
  call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, comm, error)
  call check(total == size * (size + 1) / 2, 'allreduce in place')

  do i = 1, size
    counts(i) = i
    places(i) = i * (i - 1) / 2
  end do
  mine = rank
  got = -1
  call MPI_Allgatherv(mine, rank + 1, MPI_INTEGER, got, counts, places, MPI_INTEGER, comm, error)
  do i = 1, size
    call check(all(got(places(i) + 1:places(i) + i) == i - 1), 'allgatherv')
  end do

  matrix = rank
  call MPI_Type_vector(4, 1, 4, MPI_DOUBLE_PRECISION, columns, error)
  call MPI_Type_commit(columns, error)
  call MPI_Bcast(matrix(2, 1), 1, columns, size - 1, comm, error)
  call check(all(matrix(2, :) == size - 1), 'bcast of a row')
  call check(all(matrix(1, :) == rank) .and. all(matrix(3:4, :) == rank), 'bcast beside the row')
  call MPI_Type_free(columns, error)

  call MPI_Comm_split(comm, mod(rank, 2), rank, half, error)
  total = 0
  call MPI_Scan(1, total, 1, MPI_INTEGER, MPI_SUM, half, error)
  call check(total == rank / 2 + 1, 'scan')
  call MPI_Barrier(half, error)
  call MPI_Comm_free(half, error)
  call MPI_Comm_free(comm, error)
  if (rank == 0) print *, 'all right'
  call MPI_Finalize(error)

contains

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine check
end program collectives
