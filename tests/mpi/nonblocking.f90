! This program checks nonblocking collectives called from Fortran, completed in every way together
! with messages of MPI's; it prints "all right" on rank 0.
program nonblocking
  implicit none
  include 'mpif.h'
  integer :: error, rank, size, comm, made, round, total, sum, prefix, i, at, n
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), status(MPI_STATUS_SIZE), indices(4)
  integer :: next, before, got, outer
  integer, allocatable :: counts(:), places(:), all(:), mine(:), columns(:), types(:), ones(:)
  integer, allocatable :: bytes(:), back(:)
  logical :: done

  call MPI_Init(error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Barrier(comm, error) ! from here on nonblocking calls on it are served
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, size, error)
  allocate(counts(size), places(size), all(size * (size + 1) / 2), mine(rank + 1))
  allocate(columns(size), types(size), ones(size), bytes(size), back(size))
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  do i = 1, size
    counts(i) = i
    places(i) = i * (i - 1) / 2
    types(i) = MPI_INTEGER
    ones(i) = 1
    bytes(i) = 4 * (i - 1)
  end do

  do round = 1, 8
    mine = rank * round
    all = -1
    total = rank + round
    sum = total
    call MPI_Irecv(got, 1, MPI_INTEGER, before, 7, comm, requests(1), error)
    call MPI_Iallgatherv(mine, rank + 1, MPI_INTEGER, all, counts, places, MPI_INTEGER, comm, &
                         requests(2), error)
    call MPI_Iallreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, comm, requests(3), error)
    call MPI_Iscan(1, prefix, 1, MPI_INTEGER, MPI_SUM, comm, requests(4), error)
    call MPI_Send(rank * 100 + round, 1, MPI_INTEGER, next, 7, comm, error)
    call complete(mod(round, 8))
    call check(got == before * 100 + round, 'a message')
    do i = 1, size
      call check(same(places(i) + 1, places(i) + i, (i - 1) * round), 'iallgatherv')
    end do
    call check(sum == size * round + size * (size - 1) / 2, 'iallreduce in place')
    call check(prefix == rank + 1, 'iscan')
  end do

  ! A collective that this rank's peers wait for, while it waits for their message.
  if (rank == 0) outer = 42
  call MPI_Ibcast(outer, 1, MPI_INTEGER, 0, comm, requests(1), error)
  if (rank == 0) then
    do i = 1, size - 1
      call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 8, comm, status, error)
      call check(status(MPI_TAG) == 8 .and. got == status(MPI_SOURCE), 'a status')
    end do
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  else
    call MPI_Wait(requests(1), status, error)
    call check(outer == 42, 'ibcast')
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 8, comm, error)
  end if
  call check(requests(1) == MPI_REQUEST_NULL, 'a request that has ended')

  columns = rank
  call MPI_Ialltoallw(columns, ones, bytes, types, back, ones, bytes, types, comm, requests(1), error)
  call MPI_Ibarrier(comm, requests(2), error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  do i = 1, size
    call check(back(i) == i - 1, 'ialltoallw')
  end do

  ! A communicator that comes later.
  call MPI_Comm_idup(comm, made, requests(1), error)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
  total = 0
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_MAX, made, error)
  call check(total == size - 1, 'allreduce on a duplicate')
  call MPI_Comm_free(made, error)
  call MPI_Comm_free(comm, error)
  if (rank == 0) print *, 'all right'
  call MPI_Finalize(error)

contains

  logical function same(first, last, value)
    integer, intent(in) :: first, last, value
    integer :: j
    same = .true.
    do j = first, last
      same = same .and. all(j) == value
    end do
  end function same

  subroutine complete(way)
    integer, intent(in) :: way
    integer :: j, left
    select case (way)
    case (0)
      call MPI_Waitall(4, requests, statuses, error)
      call check(statuses(MPI_SOURCE, 1) == before, 'the status of a message')
    case (1)
      do j = 4, 1, -1
        call MPI_Wait(requests(j), status, error)
      end do
      call check(status(MPI_SOURCE) == before, 'the status of the last')
    case (2)
      do j = 1, 4
        call MPI_Waitany(4, requests, at, status, error)
        call check(at >= 1 .and. at <= 4, 'an index')
        if (at == 1) call check(status(MPI_SOURCE) == before, 'the status of any')
      end do
    case (3)
      left = 4
      do while (left > 0)
        call MPI_Waitsome(4, requests, n, indices, statuses, error)
        do j = 1, n
          if (indices(j) == 1) call check(statuses(MPI_SOURCE, j) == before, 'the status of some')
        end do
        left = left - n
      end do
    case (4)
      done = .false.
      do while (.not. done)
        call MPI_Testall(4, requests, done, MPI_STATUSES_IGNORE, error)
      end do
    case (5)
      left = 4
      do while (left > 0)
        call MPI_Testany(4, requests, at, done, status, error)
        if (done) left = left - 1
      end do
    case (6)
      left = 4
      do while (left > 0)
        call MPI_Testsome(4, requests, n, indices, MPI_STATUSES_IGNORE, error)
        left = left - n
      end do
    case default
      do j = 1, 4
        done = .false.
        do while (.not. done)
          call MPI_Request_get_status(requests(j), done, MPI_STATUS_IGNORE, error)
        end do
        done = .false.
        do while (.not. done)
          call MPI_Test(requests(j), done, MPI_STATUS_IGNORE, error)
        end do
      end do
    end select
    do j = 1, 4
      call check(requests(j) == MPI_REQUEST_NULL, 'a request that is done')
    end do
  end subroutine complete

  subroutine check(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (condition) return
    print *, 'wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine check
end program nonblocking
