! An error without stat= ends the program. The argument says which one: of main, of a thread, in a call whose own text does not begin with its
! name, or of a count that an object is to start with.
module failing
  use weft
  implicit none
  type, extends(weft_task) :: failing_task
    type(weft_mutex), pointer :: mutex => null()
  contains
    procedure :: run => unlock
  end type
contains
  subroutine unlock(self)
    class(failing_task), intent(inout) :: self
    call weft_mutex_unlock(self%mutex)
  end subroutine
end module

program errors
  use failing
  implicit none
  character(20) :: which
  type(weft_mutex), target :: mutex
  type(failing_task), target :: task
  type(weft_thread) :: thread
  type(weft_semaphore) :: semaphore
  type(weft_event) :: latch
  type(weft_barrier) :: barrier
  call get_command_argument(1, which)
  task%mutex => mutex
  select case (which)
  case ('start')
    call weft_thread_create(task, thread)
  case ('thread')
    call weft_init()
    call weft_thread_create(task, thread)
    call weft_thread_join(thread)
  case ('main')
    call weft_mutex_unlock(mutex)
  case ('semaphore')
    semaphore = weft_semaphore_init(-1)
    call weft_semaphore_release(semaphore, 1)
  case ('latch')
    latch = weft_latch_init(-huge(1) - 1)
    call weft_event_wait_until(latch, weft_deadline_in(0))
  case ('barrier')
    call weft_barrier_init(barrier, -1)
  end select
  print '(a)', 'went on'
end program
