! This program looks once for what is there, right after a barrier, by mpi_f08: the one look finds it,
! and says of it what MPI says. The first request's index is 1, but 0 in MPICH 4.0.
program modern_looks
  use mpi_f08
  implicit none
  integer, parameter :: rounds = 12, many = 24, tag = 7
  integer :: rank, i, missed, first

  missed = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call find_first()
  do i = 1, rounds
    call probe(merge(many, 1, mod(i, 2) == 0))
    call test(merge(many, 1, mod(i, 2) == 0))
    call started()
  end do
  call expose()
  call MPI_Allreduce(MPI_IN_PLACE, missed, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (missed /= 0) call fail('looks', missed)
  if (rank == 0) print *, 'all right'
  call MPI_Finalize()

contains

  subroutine fail(what, n)
    character(*), intent(in) :: what
    integer, intent(in) :: n
    print *, 'wrong: ', what, n
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine fail

  ! The library's own answer; the others must be alike.
  subroutine find_first()
    integer, asynchronous :: x
    integer :: n, ats(1)
    type(MPI_Request) :: requests(1)
    call MPI_Irecv(x, 1, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, requests(1))
    call PMPI_Waitany(1, requests, first, MPI_STATUS_IGNORE)
    call MPI_Irecv(x, 1, MPI_INTEGER, MPI_PROC_NULL, tag, MPI_COMM_WORLD, requests(1))
    call MPI_Waitsome(1, requests, n, ats, MPI_STATUSES_IGNORE)
    if (n /= 1 .or. ats(1) /= first) call fail('first index', ats(1))
  end subroutine find_first

  subroutine check(status, n)
    type(MPI_Status), intent(in) :: status
    integer, intent(in) :: n
    integer :: length
    if (status%MPI_SOURCE /= 0) call fail('source', status%MPI_SOURCE)
    if (status%MPI_TAG /= tag + n) call fail('tag', status%MPI_TAG)
    call MPI_Get_count(status, MPI_INTEGER, length)
    if (length /= 1) call fail('count', length)
  end subroutine check

  ! Messages 1 to n of rank 0 are there when the barrier is over.
  subroutine send_all(n)
    integer, intent(in) :: n
    integer :: k
    do k = 1, n
      if (rank == 0) call MPI_Send(k, 1, MPI_INTEGER, 1, tag + k, MPI_COMM_WORLD)
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine send_all

  subroutine receive_all(first, n)
    integer, intent(in) :: first, n
    integer :: k, x
    do k = first, n
      call MPI_Recv(x, 1, MPI_INTEGER, 0, tag + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (x /= k) call fail('received', x)
    end do
  end subroutine receive_all

  subroutine probe(n)
    integer, intent(in) :: n
    logical :: found
    type(MPI_Message) :: message
    type(MPI_Status) :: status
    integer :: x, error

    call send_all(n)
    if (rank == 1) then
      call MPI_Iprobe(0, tag + n, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE)
      if (.not. found) missed = missed + 1
      call MPI_Iprobe(0, tag + n, MPI_COMM_WORLD, found, status, error)
      if (found) call check(status, n)
      call MPI_Probe(0, tag + n, MPI_COMM_WORLD, status)
      call check(status, n)
      call receive_all(1, n)
    end if
    call send_all(n)
    if (rank == 1) then
      call MPI_Improbe(0, tag + n, MPI_COMM_WORLD, found, message, status)
      if (.not. found) missed = missed + 1
      if (found) call check(status, n)
      if (.not. found) call MPI_Mprobe(0, tag + n, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
      call MPI_Mrecv(x, 1, MPI_INTEGER, message, MPI_STATUS_IGNORE)
      call receive_all(1, n - 1)
    end if
  end subroutine probe

  ! One of the calls that test; whether the last request is found done.
  function tested(way, n, requests) result(done)
    integer, intent(in) :: way, n
    type(MPI_Request), intent(inout) :: requests(n)
    type(MPI_Status) :: statuses(n)
    integer :: at, ats(n), ndone
    logical :: done
    done = .false.
    select case (way)
    case (1)
      call MPI_Test(requests(n), done, statuses(n))
      if (done) call check(statuses(n), n)
    case (2)
      call MPI_Testall(n, requests, done, statuses)
      if (done) call check(statuses(1), 1)
      if (done) call check(statuses(n), n)
    case (3)
      call MPI_Testany(1, requests(n:n), at, done, statuses(1))
      if (done .and. at /= first) call fail('index', at)
      if (done) call check(statuses(1), n)
    case (4)
      call MPI_Testsome(n, requests, ndone, ats, statuses)
      if (ndone > 0) call check(statuses(ndone), ats(ndone) + 1 - first)
      done = ndone == n
    case (5)
      call MPI_Request_get_status(requests(n), done, statuses(1))
      if (done) call check(statuses(1), n)
    case (6)
      call MPI_Testall(n, requests, done, MPI_STATUSES_IGNORE)
    end select
  end function tested

  subroutine test(n)
    integer, intent(in) :: n
    integer, asynchronous :: x(n)
    integer :: way, k, at, ats(n), ndone
    type(MPI_Request) :: requests(n)
    type(MPI_Status) :: statuses(n)
    do way = 1, 6
      do k = 1, n
        if (rank == 1) call MPI_Irecv(x(k), 1, MPI_INTEGER, 0, tag + k, MPI_COMM_WORLD, requests(k))
      end do
      call MPI_Barrier(MPI_COMM_WORLD)
      call send_all(n)
      if (rank == 1) then
        if (.not. tested(way, n, requests)) missed = missed + 1
        call MPI_Waitany(n, requests, at, statuses(1))
        if (at /= MPI_UNDEFINED) call check(statuses(1), at + 1 - first)
        call MPI_Waitsome(n, requests, ndone, ats, MPI_STATUSES_IGNORE)
        call MPI_Waitall(n, requests, statuses)
        if (any(requests /= MPI_REQUEST_NULL)) call fail('requests', way)
        if (any(x /= [(k, k=1, n)])) call fail('data', way)
      end if
    end do
  end subroutine test

  ! Persistent requests, and served ones completed beside them.
  subroutine started()
    integer, asynchronous :: x
    integer :: total, error
    type(MPI_Request) :: requests(2)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(1))
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Cancel(requests(1), error)
    if (error == MPI_SUCCESS) call fail('cancelled', total)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
    if (rank == 0) then
      x = 1
      call MPI_Send_init(x, 1, MPI_INTEGER, 1, tag, MPI_COMM_WORLD, requests(2))
    else if (rank == 1) then
      call MPI_Recv_init(x, 1, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, requests(2))
    end if
    if (rank < 2) then
      call MPI_Start(requests(2))
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call MPI_Startall(1, requests(2:2))
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
      call MPI_Request_free(requests(2))
    else
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    end if
  end subroutine started

  subroutine expose()
    integer, asynchronous :: memory
    integer :: ranks(1)
    logical :: done
    type(MPI_Group) :: all, other
    type(MPI_Win) :: win
    call MPI_Win_create(memory, 4_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_get_group(win, all)
    ranks(1) = 1 - rank
    if (rank < 2) call MPI_Group_incl(all, 1, ranks, other)
    do i = 1, rounds
      if (rank == 0) call MPI_Win_start(other, 0, win)
      if (rank == 1) call MPI_Win_post(other, 0, win)
      call MPI_Barrier(MPI_COMM_WORLD)
      if (rank == 0) call MPI_Win_complete(win)
      call MPI_Barrier(MPI_COMM_WORLD)
      if (rank == 1) then
        call MPI_Win_test(win, done)
        if (.not. done) missed = missed + 1
        if (.not. done) call MPI_Win_wait(win)
      end if
    end do
    call MPI_Win_free(win)
  end subroutine expose
end program modern_looks
