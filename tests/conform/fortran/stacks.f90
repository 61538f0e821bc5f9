! Arrays on the stacks of threads: an automatic one, for which the thread has a stack or not, and a local one, of which each thread needs its own.
module arrays
  use weft
  use, intrinsic :: iso_c_binding
  implicit none
  type, extends(weft_task) :: user_of_arrays
    integer :: length = 0
    real(c_double) :: sum = 0
    logical :: is_mixed = .false.
  contains
    procedure :: run => use_arrays
  end type
contains
  subroutine use_arrays(self)
    class(user_of_arrays), intent(inout) :: self
    call use_automatic(self%length, self%sum)
    call use_local(self)
  end subroutine

  subroutine use_automatic(length, sum_of_all)
    integer, intent(in) :: length
    real(c_double), intent(out) :: sum_of_all
    real(c_double) :: numbers(length)
    integer :: i
    do i = 1, length
      numbers(i) = i
    end do
    call weft_yield()
    sum_of_all = sum(numbers)
  end subroutine

  subroutine use_local(self)
    class(user_of_arrays), intent(inout) :: self
    real(c_double) :: numbers(10000) ! above what gfortran puts on the stack without being asked
    numbers = self%length
    call weft_yield()
    self%is_mixed = any(numbers /= self%length)
  end subroutine
end module

program stacks
  use arrays
  implicit none
  type(user_of_arrays), target :: users(2)
  type(weft_thread) :: threads(2)
  character(20) :: bytes_text
  integer :: bytes, i
  call get_command_argument(1, bytes_text)
  read (bytes_text, *) bytes
  call weft_init(workers=1)
  users(:)%length = [100000, 100001]
  do i = 1, 2
    call weft_thread_create(users(i), threads(i), stack_bytes=bytes, name='user of arrays')
  end do
  call weft_thread_join(threads)
  call weft_finalize()
  print '(f0.0, 1x, f0.0, 1x, a)', users%sum, merge('mixed', 'apart', any(users%is_mixed))
end program
