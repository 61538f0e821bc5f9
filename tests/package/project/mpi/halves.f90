! What halves.c does, from Fortran: a thread receives what another thread of its worker sends later.
module halves
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer :: got = 0, number = 42
  interface
    integer(c_int) function run_two(first, second) bind(C)
      import
      type(c_funptr), value :: first, second
    end function
  end interface
contains
  subroutine receive_half(argument) bind(C)
    type(c_ptr), value :: argument
    integer :: ierr
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
  end subroutine
  subroutine send_half(argument) bind(C)
    type(c_ptr), value :: argument
    integer :: ierr
    call MPI_Send(number, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierr)
  end subroutine
end module

program main
  use halves
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  if (run_two(c_funloc(receive_half), c_funloc(send_half)) /= 0) error stop 'weft failed'
  call MPI_Finalize(ierr)
  print '(i0)', got
end program
