! An error without stat= ends the program. The argument says which one: of main, of a thread, or in a call whose own text does not begin with
! its name.
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
  end select
  print '(a)', 'went on'
end program
