! A thousand tokens go around a ring of ranks, each in a thread of its own that waits in MPI_Recv. With libweft-mpi the wait lets other
! threads run: a rank with one worker serves all of them.
module ring
  use mpi
  use weft
  implicit none
  integer, parameter :: tokens = 1000
  integer :: rank, ranks

  type, extends(weft_task) :: token
    integer :: tag = 0, value = 0
  contains
    procedure :: run => go_around
  end type
contains
  subroutine go_around(self)
    class(token), intent(inout) :: self
    integer :: ierror, from, to
    from = modulo(rank - 1, ranks)
    to = modulo(rank + 1, ranks)
    if (rank == 0) call MPI_Send(self%tag, 1, MPI_INTEGER, to, self%tag, MPI_COMM_WORLD, ierror)
    call MPI_Recv(self%value, 1, MPI_INTEGER, from, self%tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    self%value = self%value + 1
    if (rank /= 0) call MPI_Send(self%value, 1, MPI_INTEGER, to, self%tag, MPI_COMM_WORLD, ierror)
  end subroutine
end module

program ring_mpi
  use ring
  implicit none
  type(token), target :: all_tokens(tokens)
  type(weft_thread) :: threads(tokens)
  integer :: ierror, provided, i
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call weft_init()
  do i = 1, tokens
    all_tokens(i)%tag = i
    call weft_thread_create(all_tokens(i), threads(i))
  end do
  call weft_thread_join(threads)
  call weft_finalize()
  if (rank == 0) then
    print '(i0, a, i0, a)', count(all_tokens%value == [(i + ranks, i = 1, tokens)]), ' tokens went around ', ranks, ' ranks'
  end if
  call MPI_Finalize(ierror)
end program
