! Calls of MPI from Fortran procedures that run on Weft threads, on two ranks with one worker each.
! STYLE is 1 for mpif.h, 2 for the module mpi, 3 for mpi_f08.
!
! Rank 0 makes each call in a thread that the worker starts first. Rank 1 makes its part once a message
! of a second thread of rank 0 has come, so a call that kept its worker would wait for ever.

#if STYLE == 3
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define MESSAGE type(MPI_Message)
#define WINDOW type(MPI_Win)
#define HANDLE_OF_FILE type(MPI_File)
#define STATUS type(MPI_Status)
#define STATUSES(COUNT) type(MPI_Status), dimension(COUNT)
#define TAG_OF(S) S%MPI_TAG
#define SOURCE_OF(S) S%MPI_SOURCE
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define MESSAGE integer
#define WINDOW integer
#define HANDLE_OF_FILE integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(COUNT) integer, dimension(MPI_STATUS_SIZE, COUNT)
#define TAG_OF(S) S(MPI_TAG)
#define SOURCE_OF(S) S(MPI_SOURCE)
#endif

module calls
#if STYLE == 2
  use mpi
#elif STYLE == 3
  use mpi_f08
#endif
  use, intrinsic :: iso_c_binding
  implicit none
#if STYLE == 1
  include 'mpif.h'
#endif
  integer, parameter :: pairs = 1000, gate_tag = 7777
  integer :: rank, other, current
  integer :: second ! what MPI_Waitany says of the second request: 1 with MPICH 4.0's mpi_f08, which counts from 0
  integer :: got(pairs) = 0, sent(pairs)

  interface
    subroutine start_threads() bind(C)
    end subroutine
    subroutine end_threads() bind(C)
    end subroutine
    subroutine run_many(first, second, count) bind(C)
      import
      interface
        subroutine first(number) bind(C)
          import
          integer(c_int32_t), value :: number
        end subroutine
        subroutine second(number) bind(C)
          import
          integer(c_int32_t), value :: number
        end subroutine
      end interface
      integer(c_int32_t), value :: count
    end subroutine
  end interface

contains

  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(len=*), intent(in) :: what
    integer :: ierr
    if (is_right) return
    print '(a,i0,a,i0,2a)', 'rank ', rank, ', call ', current, ': wrong: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine

  subroutine passed(ierr)
    integer, intent(in) :: ierr
    call check(ierr == MPI_SUCCESS, 'ierror')
  end subroutine

  ! On the main thread, before there are others.
  subroutine ask_how_requests_are_counted()
    REQUEST :: requests(2)
    integer, volatile :: a, b
    integer :: ierr
    a = 1
    requests(1) = MPI_REQUEST_NULL
    call MPI_Irecv(b, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, requests(2), ierr)
    call MPI_Send(a, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierr)
    call MPI_Waitany(2, requests, second, MPI_STATUS_IGNORE, ierr)
    call passed(ierr)
  end subroutine

  ! ---- a thousand pairs --------------------------------------------------------------------------

  subroutine receive_one(number) bind(C)
    integer(c_int32_t), value :: number
    integer :: ierr
    call MPI_Recv(got(number), 1, MPI_INTEGER, other, number, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call passed(ierr)
  end subroutine

  subroutine send_one(number) bind(C)
    integer(c_int32_t), value :: number
    integer :: ierr
    call MPI_Ssend(sent(number), 1, MPI_INTEGER, other, number, MPI_COMM_WORLD, ierr)
    call passed(ierr)
  end subroutine

  subroutine thousand_pairs()
    integer :: i
    sent = [(pairs * rank + i, i = 1, pairs)]
    call run_many(receive_one, send_one, pairs)
    call check(all(got == [(pairs * other + i, i = 1, pairs)]), 'what a thousand threads received')
  end subroutine

  ! ---- each call once ----------------------------------------------------------------------------

  subroutine make_call(number) bind(C)
    integer(c_int32_t), value :: number
    integer :: go, ierr
    if (rank == 1) call MPI_Recv(go, 1, MPI_INTEGER, 0, gate_tag + number, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (current <= 13) then
      call of_messages()
    else if (current <= 27) then
      call of_all()
    else
      call without_twin()
    end if
  end subroutine

  subroutine open_gate(number) bind(C)
    integer(c_int32_t), value :: number
    integer :: go, ierr
    go = 1
    if (rank == 0) call MPI_Send(go, 1, MPI_INTEGER, 1, gate_tag + number, MPI_COMM_WORLD, ierr)
  end subroutine

  ! Rank 0 waits for a message of rank 1 with the call's number as its tag.
  subroutine of_messages()
    STATUS :: one
    STATUSES(2) :: several
    REQUEST :: requests(2)
    MESSAGE :: message_
    DATATYPE :: absolute
    integer(MPI_ADDRESS_KIND) :: address(1)
    integer :: a, ierr, found, where(2)
    integer, volatile :: b
    a = 10 + rank
    b = -1
    if (current == 1) then
      if (rank == 0) call MPI_Ssend(a, 1, MPI_INTEGER, 1, 1, MPI_COMM_WORLD, ierr)
      if (rank == 1) call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, one, ierr)
      call check(rank == 0 .or. (b == 10 .and. TAG_OF(one) == 1 .and. SOURCE_OF(one) == 0), 'MPI_Ssend')
      return
    end if
    if (current == 2) then
      call MPI_Sendrecv(a, 1, MPI_INTEGER, other, 2, b, 1, MPI_INTEGER, other, 2, MPI_COMM_WORLD, one, ierr)
      call check(ierr == MPI_SUCCESS .and. b == 10 + other .and. TAG_OF(one) == 2, 'MPI_Sendrecv')
      return
    end if
    if (current == 3) then
      call MPI_Sendrecv_replace(a, 1, MPI_INTEGER, other, 3, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(ierr == MPI_SUCCESS .and. a == 10 + other, 'MPI_Sendrecv_replace')
      return
    end if
    if (rank == 1) then
      call MPI_Send(a, 1, MPI_INTEGER, 0, current, MPI_COMM_WORLD, ierr)
      return
    end if
    select case (current)
    case (4)
      call MPI_Recv(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, current, MPI_COMM_WORLD, one, ierr)
      call check(SOURCE_OF(one) == 1 .and. TAG_OF(one) == current, 'the status of MPI_Recv')
    case (5)
      call MPI_Irecv(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Wait(requests(1), one, ierr)
      call check(requests(1) == MPI_REQUEST_NULL .and. TAG_OF(one) == current, 'the request or the status of MPI_Wait')
    case (6, 7)
      requests(1) = MPI_REQUEST_NULL
      call MPI_Irecv(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, requests(2), ierr)
      if (current == 6) call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      if (current == 7) call MPI_Waitall(2, requests, several, ierr)
      call check(requests(2) == MPI_REQUEST_NULL, 'a request of MPI_Waitall')
    case (8)
      requests(1) = MPI_REQUEST_NULL
      call MPI_Irecv(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Waitany(2, requests, found, one, ierr)
      call check(found == second .and. TAG_OF(one) == current, 'the index of MPI_Waitany')
    case (9)
      requests(1) = MPI_REQUEST_NULL
      call MPI_Irecv(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, requests(2), ierr)
      call MPI_Waitsome(2, requests, found, where, several, ierr)
      call check(found == 1 .and. where(1) == second, 'the index of MPI_Waitsome')
    case (10)
      call MPI_Probe(1, current, MPI_COMM_WORLD, one, ierr)
      call check(SOURCE_OF(one) == 1 .and. TAG_OF(one) == current, 'the status of MPI_Probe')
      call MPI_Recv(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    case (11)
      call MPI_Mprobe(1, current, MPI_COMM_WORLD, message_, MPI_STATUS_IGNORE, ierr)
      call MPI_Mrecv(b, 1, MPI_INTEGER, message_, one, ierr)
      call check(message_ == MPI_MESSAGE_NULL, 'the message of MPI_Mrecv')
    case (12)
      call MPI_Get_address(b, address(1), ierr)
      call MPI_Type_create_hindexed(1, [1], address, MPI_INTEGER, absolute, ierr)
      call MPI_Type_commit(absolute, ierr)
      call MPI_Recv(MPI_BOTTOM, 1, absolute, 1, current, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_Type_free(absolute, ierr)
      call MPI_Get_address(b, address(1), ierr) ! the compiler does not know that b was written
    case (13)
      call MPI_Recv_init(b, 1, MPI_INTEGER, 1, current, MPI_COMM_WORLD, requests(1), ierr)
      call MPI_Start(requests(1), ierr)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
      call MPI_Request_free(requests(1), ierr)
    end select
    call passed(ierr)
    call check(b == 11, 'what was received')
  end subroutine

  subroutine of_all()
    integer :: mine(2), ours(2), ierr
    COMM :: copy
    mine = [rank + 1, 10 * (rank + 1)]
    ours = -1
    select case (current)
    case (14)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
    case (15)
      call MPI_Bcast(mine, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
      call check(all(mine == [2, 20]), 'MPI_Bcast')
    case (16)
      if (rank == 0) call MPI_Reduce(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      if (rank == 1) call MPI_Reduce(mine, ours, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
      call check(rank == 1 .or. all(mine == [3, 30]), 'MPI_Reduce')
    case (17)
      call MPI_Allreduce(MPI_IN_PLACE, mine, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(all(mine == [3, 30]), 'MPI_Allreduce in place')
    case (18)
      call MPI_Allreduce(mine, ours, 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
      call check(all(ours == [2, 20]), 'MPI_Allreduce')
    case (19)
      call MPI_Gather(mine, 1, MPI_INTEGER, ours, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      call check(rank == 1 .or. all(ours == [1, 2]), 'MPI_Gather')
    case (20)
      call MPI_Gatherv(mine, 1, MPI_INTEGER, ours, [1, 1], [1, 0], MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
      call check(rank == 1 .or. all(ours == [2, 1]), 'MPI_Gatherv')
    case (21)
      call MPI_Scatter(mine, 1, MPI_INTEGER, ours, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
      call check(ours(1) == merge(2, 20, rank == 0), 'MPI_Scatter')
    case (22)
      call MPI_Allgather(mine, 1, MPI_INTEGER, ours, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(ours == [1, 2]), 'MPI_Allgather')
    case (23)
      call MPI_Alltoall(mine, 1, MPI_INTEGER, ours, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(ours == merge([1, 2], [10, 20], rank == 0)), 'MPI_Alltoall')
    case (24)
      call MPI_Alltoallv(mine, [1, 1], [0, 1], MPI_INTEGER, ours, [1, 1], [1, 0], MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(ours == merge([2, 1], [20, 10], rank == 0)), 'MPI_Alltoallv')
    case (25)
      call MPI_Reduce_scatter_block(mine, ours, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
      call check(ours(1) == merge(3, 30, rank == 0), 'MPI_Reduce_scatter_block')
    case (26)
      call MPI_Allgatherv(mine, 1, MPI_INTEGER, ours, [1, 1], [1, 0], MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call check(all(ours == [2, 1]), 'MPI_Allgatherv')
    case (27)
      call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierr)
      call passed(ierr)
      call MPI_Comm_free(copy, ierr)
    end select
    call passed(ierr)
  end subroutine

  subroutine without_twin()
    COMM :: made
    WINDOW :: window_
    HANDLE_OF_FILE :: file
    type(c_ptr) :: memory
    integer, pointer, volatile :: cell
    integer, volatile :: mine(1)
    logical :: is_periodic(1)
    integer :: size_, ierr, at(1), dims(1), back(1)
    character(len=256) :: folder
    mine = rank + 5
    select case (current)
    case (28)
      call MPI_Comm_split(MPI_COMM_WORLD, 0, other, made, ierr)
      call MPI_Comm_rank(made, size_, ierr)
      call check(size_ == other, 'MPI_Comm_split')
      call MPI_Comm_free(made, ierr)
    case (29)
      call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.true.], .false., made, ierr)
      call MPI_Cart_get(made, 1, dims, is_periodic, at, ierr)
      call check(is_periodic(1) .and. dims(1) == 2 .and. at(1) == rank, 'MPI_Cart_create')
      call MPI_Comm_free(made, ierr)
    case (30) ! MPICH 4.0 alone loses a put into a window of 4 bytes
      call MPI_Win_allocate(64_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, memory, window_, ierr)
      call c_f_pointer(memory, cell)
      call MPI_Win_fence(0, window_, ierr)
      call MPI_Put(mine, 1, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window_, ierr)
      call MPI_Win_fence(0, window_, ierr)
      call check(cell == other + 5, 'MPI_Win_fence')
      call MPI_Win_free(window_, ierr)
    case (31)
      call get_environment_variable('WEFT_TEST_FOLDER', folder)
      call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/fortran', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
      call passed(ierr)
      call MPI_File_write_at_all(file, int(4 * rank, MPI_OFFSET_KIND), mine, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
      call MPI_File_sync(file, ierr)
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      call MPI_File_sync(file, ierr)
      call MPI_File_read_at_all(file, int(4 * other, MPI_OFFSET_KIND), back, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
      call check(back(1) == other + 5, 'MPI_File_read_at_all')
      call MPI_File_close(file, ierr)
    end select
    call passed(ierr)
  end subroutine

end module

program main
  use calls
  implicit none
  integer :: ierr, ranks, provided
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  other = 1 - rank
  call check(ranks == 2, 'two ranks are needed')
  call MPI_Query_thread(provided, ierr)
  call check(provided == MPI_THREAD_MULTIPLE, 'the level of threads')
  call ask_how_requests_are_counted()
  call start_threads()
  do current = 1, 31
    call run_many(make_call, open_gate, 1)
  end do
  call thousand_pairs()
  call end_threads()
  call MPI_Finalize(ierr)
  if (rank == 0) print '(a)', 'passed'
end program
