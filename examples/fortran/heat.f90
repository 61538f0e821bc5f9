! Heat spreads over a plate whose upper edge is hot. Each step is a loop over the columns, which several workers share. A thread of its own
! reports now and then: it sleeps at an event until the plate has a state to tell of, and runs while the loop goes on.
module plate_of_metal
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  integer, parameter :: width = 200, height = 200, steps = 500

  type :: plate ! a grid before and after a step, with an edge
    real(c_double) :: cells(0:height + 1, 0:width + 1, 0:1) = 0
    integer :: now = 0
  end type

  type, extends(weft_loop) :: columns
    type(plate), pointer :: plate => null()
  contains
    procedure :: run => relax_columns
  end type

  type, extends(weft_task) :: reporter
    type(weft_event), pointer :: half_done => null()
    real(c_double) :: warmth = 0 ! what is to be told
  contains
    procedure :: run => report
  end type
contains
  subroutine relax_columns(self, first, last)
    class(columns), intent(inout) :: self
    integer(weft_index), intent(in) :: first, last
    integer(weft_index) :: x
    integer :: y, from, to
    from = self%plate%now
    to = 1 - from
    associate (cells => self%plate%cells)
      do x = first, last
        do y = 1, height
          cells(y, x, to) = (cells(y - 1, x, from) + cells(y + 1, x, from) + cells(y, x - 1, from) + cells(y, x + 1, from)) / 4
        end do
      end do
    end associate
  end subroutine

  subroutine report(self)
    class(reporter), intent(inout) :: self
    call weft_event_wait(self%half_done)
    print '(a, f0.3)', 'half of the steps: the mean is ', self%warmth
  end subroutine
end module

program heat
  use plate_of_metal
  implicit none
  type(plate), allocatable, target :: metal
  type(columns) :: loop
  type(weft_event), target :: half_done
  type(reporter), target :: teller
  type(weft_thread) :: thread
  integer :: step
  allocate (metal)
  metal%cells(0, :, :) = 100
  loop%plate => metal
  teller%half_done => half_done
  call weft_init()
  call weft_thread_create(teller, thread, name='reporter')
  do step = 1, steps
    call weft_parallel_for(1, width, loop)
    metal%now = 1 - metal%now
    if (step == steps / 2) then
      teller%warmth = mean(metal)
      call weft_event_set(half_done)
    end if
  end do
  call weft_thread_join(thread)
  call weft_finalize()
  print '(a, f0.3)', 'all steps: the mean is ', mean(metal)
contains
  real(c_double) function mean(metal)
    type(plate), intent(in) :: metal
    mean = sum(metal%cells(1:height, 1:width, metal%now)) / (width * height)
  end function
end program
