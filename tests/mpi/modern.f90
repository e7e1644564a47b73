! This program calls collectives by mpi_f08, whose MPI_Init does not call C's in either MPI library.
program modern
  use mpi_f08
  implicit none
  integer :: rank, size, i, total
  type(MPI_Comm) :: comm
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  do i = 1, 5
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (total /= size * (size - 1) / 2) call fail('allreduce')
  end do
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, comm)
  do i = 1, 5
    total = i * rank
    call MPI_Ibcast(total, 1, MPI_INTEGER, size - 1, comm, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (total /= i * (size - 1)) call fail('ibcast')
  end do
  do i = 1, 5
    total = i * rank
    call MPI_Bcast(total, 1, MPI_INTEGER, size - 1, comm)
    if (total /= i * (size - 1)) call fail('bcast')
  end do
  call MPI_Comm_free(comm)
  if (rank == 0) print *, 'all right'
  call MPI_Finalize()

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine fail
end program modern
