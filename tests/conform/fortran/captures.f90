! What the threads and loops of calls.f90 and growth.f90 run, and how a check that fails is told.
module captures
  use weft
  use, intrinsic :: iso_c_binding
  implicit none

  type, extends(weft_task) :: square
    integer :: number = 0
  contains
    procedure :: run => run_square
  end type

  type, extends(weft_task) :: adder ! adds under a lock, in two steps with a yield between them
    type(weft_mutex), pointer :: mutex => null()
    integer, pointer :: sum => null()
  contains
    procedure :: run => run_adder
  end type

  type, extends(weft_task) :: step ! does the step of a scene that has this number
    integer :: number = 0
    type(scene), pointer :: at => null()
  contains
    procedure :: run => run_step
  end type

  type :: scene ! what the steps meet at
    type(weft_mutex) :: mutex
    type(weft_cond) :: cond
    type(weft_barrier) :: barrier
    type(weft_event) :: event
    type(weft_rwlock) :: lock
    type(weft_semaphore) :: semaphore
    type(weft_key) :: key
    integer(c_int64_t) :: word = 0, got = 0
    integer :: waiting = 0, lasts = 0, state = 0
    logical :: is_open = .false.
    type(weft_thread) :: thread
  end type

  type, extends(weft_loop) :: doubling
    integer, pointer :: values(:) => null()
  contains
    procedure :: run => run_doubling
  end type

  type, extends(weft_real_reduction) :: sum_of_squares
  contains
    procedure :: run => run_sum
  end type

  type, extends(weft_real_reduction) :: largest
    real(c_double), pointer :: values(:) => null()
  contains
    procedure :: run => run_largest
    procedure :: combine => combine_largest
  end type

  integer, target :: destroyed = 0
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    character(:), allocatable :: text
    if (holds) return
    text = 'does not hold: ' // what // '; last error: ' // weft_last_error()
    error stop text
  end subroutine

  subroutine expect(stat, wanted, what)
    integer, intent(in) :: stat, wanted
    character(*), intent(in) :: what
    call check(stat == wanted, what // ' is ' // weft_status_name(stat) // ', not ' // weft_status_name(wanted))
  end subroutine

  subroutine run_square(self)
    class(square), intent(inout) :: self
    self%number = self%number ** 2
  end subroutine

  subroutine run_adder(self)
    class(adder), intent(inout) :: self
    integer :: seen
    call weft_mutex_lock(self%mutex)
    seen = self%sum
    call weft_yield()
    self%sum = seen + 1
    call weft_mutex_unlock(self%mutex)
  end subroutine

  subroutine run_step(self)
    class(step), intent(inout) :: self
    integer :: stat, worker
    logical :: is_last
    integer(c_int64_t), pointer :: own
    select case (self%number)
    case (1) ! waits for a condition
      call weft_mutex_lock(self%at%mutex)
      do while (.not. self%at%is_open)
        self%at%waiting = self%at%waiting + 1
        call weft_cond_wait(self%at%cond, self%at%mutex)
      end do
      call weft_mutex_unlock(self%at%mutex)
    case (2) ! meets the others
      call weft_barrier_wait(self%at%barrier, is_last)
      if (is_last) self%at%lasts = self%at%lasts + 1
    case (3)
      call weft_event_wait(self%at%event)
      self%at%state = 3
    case (4) ! reads a word that is empty
      call weft_feb_read_fe(self%at%word, self%at%got)
    case (5) ! has a value of its own, which a destructor gets
      allocate (own)
      own = 5
      call check(.not. c_associated(weft_key_get(self%at%key)), 'a new thread has no value')
      call weft_key_set(self%at%key, c_loc(own))
      call weft_yield()
      call check(c_associated(weft_key_get(self%at%key), c_loc(own)), 'the value stays')
    case (6) ! names itself, sleeps, is suspended and pinned
      self%at%thread = weft_self()
      call weft_thread_set_name(weft_self(), 'six')
      call check(weft_thread_get_name(weft_self()) == 'six', 'the name')
      call check(weft_thread_get_state(weft_self()) == weft_thread_running, 'it runs')
      call check(.not. weft_thread_is_tasklet(weft_self()), 'it is a thread')
      call weft_sleep_ns(1000)
      call weft_sleep_ns(1000_c_int64_t)
      call weft_sleep_until(weft_deadline_in(1000))
      worker = weft_worker_self()
      call weft_pin(worker)
      call weft_yield()
      call check(weft_worker_self() == worker, 'a pinned thread stays')
      call weft_pinned_begin()
      call weft_pin(weft_any_worker, stat=stat)
      call expect(stat, weft_busy, 'a pin in a scope')
      call weft_pinned_end()
      call weft_pinned_end(stat=stat)
      call expect(stat, weft_not_owner, 'an end without a begin')
      call weft_pin(weft_any_worker)
      call weft_event_set(self%at%event)
      call weft_suspend()
      self%at%state = 6
    case (7) ! a tasklet
      call check(weft_thread_is_tasklet(weft_self()), 'it is a tasklet')
      call weft_suspend(stat=stat)
      call expect(stat, weft_cannot_block, 'a tasklet that suspends itself')
      self%at%state = 7
    case (8) ! in a blocking region it is outside
      call weft_blocking_begin()
      call check(weft_worker_self() == -1, 'no worker in a region')
      call weft_blocking_end()
      call weft_blocking_end(stat=stat)
      call expect(stat, weft_not_owner, 'an end without a begin')
      self%at%state = 8
    case (9) ! waits until it is dropped
      call weft_event_wait(self%at%event)
    end select
  end subroutine

  subroutine run_doubling(self, first, last)
    class(doubling), intent(inout) :: self
    integer(weft_index), intent(in) :: first, last
    self%values(first:last) = 2 * self%values(first:last)
  end subroutine

  subroutine run_sum(self, first, last, value)
    class(sum_of_squares), intent(inout) :: self
    integer(weft_index), intent(in) :: first, last
    real(c_double), intent(inout) :: value
    integer(weft_index) :: i
    do i = first, last
      value = value + real(i, c_double) ** 2 + self%identity
    end do
  end subroutine

  subroutine run_largest(self, first, last, value)
    class(largest), intent(inout) :: self
    integer(weft_index), intent(in) :: first, last
    real(c_double), intent(inout) :: value
    value = max(value, maxval(self%values(first:last)))
  end subroutine

  subroutine combine_largest(self, value, later)
    class(largest), intent(inout) :: self
    real(c_double), intent(inout) :: value
    real(c_double), intent(in) :: later
    value = max(value, later, self%identity)
  end subroutine

  subroutine destroy(value) bind(c, name='')
    type(c_ptr), value :: value
    integer(c_int64_t), pointer :: own
    call c_f_pointer(value, own)
    destroyed = destroyed + int(own)
    deallocate (own)
  end subroutine

  subroutine add_one(argument) bind(c, name='')
    type(c_ptr), value :: argument
    integer(c_int64_t), pointer :: number
    call c_f_pointer(argument, number)
    number = number + 1
  end subroutine

  subroutine fill_squares(first, last, argument) bind(c, name='')
    integer(weft_index), value :: first, last
    type(c_ptr), value :: argument
    integer(c_int64_t), pointer :: squares(:)
    integer(weft_index) :: i
    call c_f_pointer(argument, squares, [1000])
    do i = first, last
      squares(i) = i * i
    end do
  end subroutine
end module
