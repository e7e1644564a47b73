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
  call neighbors()
  if (rank == 0) print *, 'all right'
  call MPI_Finalize()

contains

  ! On a ring, everything that there is for neighbourhoods: the MPI library serves it, and the report
  ! counts it.
  subroutine neighbors()
    integer, parameter :: ones(2) = 1, places(2) = [0, 1]
    integer(MPI_ADDRESS_KIND), parameter :: bytes(2) = [0, 4]
    integer, asynchronous :: own(2), got(2)
    integer :: sides(2)
    type(MPI_Comm) :: ring
    type(MPI_Datatype) :: types(2)
    types = MPI_INTEGER
    own = rank
    sides = [modulo(rank - 1, size), modulo(rank + 1, size)] ! MPICH 4.0.2's w takes a graph alone
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sides, ones, 2, sides, ones, MPI_INFO_NULL, &
                                        .false., ring)
    call MPI_Neighbor_allgather(own, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring)
    call check(got)
    call MPI_Neighbor_allgatherv(own, 1, MPI_INTEGER, got, ones, places, MPI_INTEGER, ring)
    call check(got)
    call MPI_Neighbor_alltoall(own, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring)
    call check(got)
    call MPI_Neighbor_alltoallv(own, ones, places, MPI_INTEGER, got, ones, places, MPI_INTEGER, ring)
    call check(got)
    call MPI_Neighbor_alltoallw(own, ones, bytes, types, got, ones, bytes, types, ring)
    call check(got)
    call MPI_Ineighbor_allgather(own, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, request)
    call check_later(got)
    call MPI_Ineighbor_allgatherv(own, 1, MPI_INTEGER, got, ones, places, MPI_INTEGER, ring, request)
    call check_later(got)
    call MPI_Ineighbor_alltoall(own, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring, request)
    call check_later(got)
    call MPI_Ineighbor_alltoallv(own, ones, places, MPI_INTEGER, got, ones, places, MPI_INTEGER, ring, &
                                 request)
    call check_later(got)
    call MPI_Ineighbor_alltoallw(own, ones, bytes, types, got, ones, bytes, types, ring, request)
    call check_later(got)
    call MPI_Comm_free(ring)
  end subroutine neighbors

  subroutine check_later(got)
    integer, asynchronous :: got(2)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call check(got)
  end subroutine check_later

  subroutine check(got)
    integer, intent(inout) :: got(2)
    if (any(got /= [modulo(rank - 1, size), modulo(rank + 1, size)])) call fail('neighbors')
    got = -1
  end subroutine check

  subroutine fail(what)
    character(*), intent(in) :: what
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine fail
end program modern
