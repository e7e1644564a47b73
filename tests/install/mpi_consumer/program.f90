! This program starts MPJ beside MPI, from Fortran alone.
program consumer
  use iso_c_binding
  use mpi
  implicit none
  interface
    integer(c_int) function MPJ_Init_from_mpi() bind(C, name='MPJ_Init_from_mpi')
      import c_int
    end function
    integer(c_int) function MPJ_Initialized(flag) bind(C, name='MPJ_Initialized')
      import c_int
      integer(c_int) :: flag
    end function
  end interface
  integer :: error
  integer(c_int) :: flag = 0

  call MPI_Init(error)
  if (MPJ_Init_from_mpi() == 0 .and. MPJ_Initialized(flag) == 0 .and. flag == 1) print *, 'good'
  call MPI_Finalize(error)
end program consumer
