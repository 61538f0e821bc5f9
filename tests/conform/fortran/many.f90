! A hundred thousand threads at once, each blocked until all have begun.
program many
  use captures
  implicit none
  integer, parameter :: threads = 100000
  type(scene), target :: at
  type(step), allocatable, target :: waiters(:)
  type(weft_thread), allocatable :: handles(:)
  integer :: i
  allocate (waiters(threads), handles(threads))
  call weft_init(stack_bytes=weft_stack_min)
  call weft_barrier_init(at%barrier, threads)
  do i = 1, threads
    waiters(i)%number = 2
    waiters(i)%at => at
    call weft_thread_create(waiters(i), handles(i))
  end do
  call weft_thread_join(handles)
  call check(at%lasts == 1, 'all have met')
  call weft_finalize()
  print '(i0, a)', threads, ' threads'
end program
