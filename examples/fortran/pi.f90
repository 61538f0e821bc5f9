! The area of a quarter of a circle, as a loop that several workers run and that makes one number.
module quarter_of_a_circle
  use, intrinsic :: iso_c_binding
  use weft
  implicit none
  type, extends(weft_real_reduction) :: strips
    real(c_double) :: width = 0
  contains
    procedure :: run => add_strips
  end type
contains
  subroutine add_strips(self, first, last, value)
    class(strips), intent(inout) :: self
    integer(weft_index), intent(in) :: first, last
    real(c_double), intent(inout) :: value
    integer(weft_index) :: i
    do i = first, last
      value = value + self%width * 4 / (1 + ((i - 0.5d0) * self%width) ** 2)
    end do
  end subroutine
end module

program pi
  use, intrinsic :: iso_c_binding
  use quarter_of_a_circle
  use weft
  implicit none
  integer, parameter :: count = 1000000
  type(strips) :: area
  real(c_double) :: value
  area%width = 1d0 / count
  call weft_init()
  call weft_parallel_reduce(1, count, area, value)
  call weft_finalize()
  print '(a, f0.9)', 'pi = ', value
end program
