! SPDX-License-Identifier: BSD-3-Clause
!
! Weft for Fortran: lightweight threads, parallel loops, and what threads wait at. A program
! compiles this file with its own compiler, since a .mod file is of one compiler, and links libweft.
! The guide's page fortran.md has examples; the C reference says what each call does.
!
! Names and arguments are those of C, but for these:
!   stat=      Optional, of each call that can fail: one of weft_ok, weft_nomem, ... Without it, an
!              error ends the program with a line that names the call and the cure, as for Fortran's
!              own statements.
!   Results    What C stores through its last pointer is an argument, which is as before after an
!              error.
!   Captures   What a thread or a loop runs is the procedure `run` of an object of the program's own
!              type, whose components are what it captures. An object is not copied: a thread's must
!              have TARGET or be a pointer's target, and live until the thread ends.
!              bind(c) procedures with a type(c_ptr) argument may be given by c_funloc, too.
!              Internal procedures are not for either: compilers make code on the stack for them,
!              and threads' stacks hold no code.
!   Ranges     A loop goes from first to last, both included.
!   Stacks     Compile with -frecursive (gfortran), or -fopenmp, which implies it: otherwise a local
!              array of more than 64 KiB is one and the same for all threads. It then lies on the
!              thread's stack, as automatic arrays do under -Ofast and -fstack-arrays: pass
!              stack_bytes= for them.
!   Objects    weft_mutex and its like are ready without a call, except a barrier. Variables of
!              these types must not move while in use: no component of an allocatable that is
!              reallocated, no copy.
module weft
  use, intrinsic :: iso_c_binding
  implicit none
  private

  integer, parameter, public :: weft_index = c_int64_t ! of the bounds of a part of a loop
  integer(c_int64_t), parameter, public :: weft_forever = -1_c_int64_t ! the deadline that never passes

  ! What a call stores in stat=.
  integer, parameter, public :: weft_ok = 0, weft_nomem = 1, weft_invalid = 2, weft_busy = 3, &
                                weft_timeout = 4, weft_again = 5, weft_unsupported = 6, &
                                weft_not_initialized = 7, weft_cannot_block = 8, &
                                weft_not_owner = 9, weft_deadlock = 10, weft_ended = 11
  integer, parameter, public :: weft_wait_hybrid = 0, weft_wait_passive = 1, weft_wait_active = 2
  integer, parameter, public :: weft_locality_steal = 0, weft_locality_strict = 1, &
                                weft_locality_domain = 2
  integer, parameter, public :: weft_drain = 0, weft_drop = 1
  integer, parameter, public :: weft_any_worker = -1, weft_starting_worker = -2
  integer, parameter, public :: weft_stack_min = 16384
  integer, parameter, public :: weft_thread_ready = 0, weft_thread_running = 1, &
                                weft_thread_blocked = 2, weft_thread_suspended = 3, &
                                weft_thread_ended = 4

  ! A thread or a tasklet. One that no call has made stands for none.
  type, bind(c), public :: weft_thread
    private
    type(c_ptr) :: handle = c_null_ptr
  end type
  type, bind(c), public :: weft_key
    private
    integer(c_int32_t) :: index = 0, generation = 0
  end type
  type, bind(c), public :: weft_mutex
    private
    integer(c_int64_t) :: opaque(6) = 0
  end type
  type, bind(c), public :: weft_cond
    private
    integer(c_int64_t) :: opaque(4) = 0
  end type
  type, bind(c), public :: weft_rwlock
    private
    integer(c_int64_t) :: opaque(6) = 0
  end type
  type, bind(c), public :: weft_semaphore
    private
    integer(c_int64_t) :: opaque(4) = 0
  end type
  type, bind(c), public :: weft_barrier
    private
    integer(c_int64_t) :: opaque(6) = 0
  end type
  ! An event or, once weft_latch_init(count) was assigned to it, a latch.
  type, bind(c), public :: weft_event
    private
    integer(c_int64_t) :: opaque(4) = 0
  end type

  ! What a mutex is set to that its holder may lock again.
  type(weft_mutex), parameter, public :: weft_mutex_recursive_init = &
    weft_mutex([8_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t, 0_c_int64_t])

  ! What a thread runs: a type of the program's own extends this one.
  type, abstract, public :: weft_task
  contains
    procedure(run_task), deferred :: run
  end type
  ! The body of a loop. Several workers call run at once, each with a part of the range.
  type, abstract, public :: weft_loop
  contains
    procedure(run_part), deferred :: run
  end type
  ! A loop that makes one number. run adds the part's indexes to value, which is the identity when
  ! the part begins. combine adds the value of the part that follows: a sum, unless a type of the
  ! program's own overrides it.
  type, abstract, public :: weft_real_reduction
    real(c_double) :: identity = 0
  contains
    procedure(reduce_part), deferred :: run
    procedure :: combine => add_later
  end type
  abstract interface
    subroutine run_task(self)
      import :: weft_task
      class(weft_task), intent(inout) :: self
    end subroutine
    subroutine run_part(self, first, last)
      import :: weft_loop, weft_index
      class(weft_loop), intent(inout) :: self
      integer(weft_index), intent(in) :: first, last
    end subroutine
    subroutine reduce_part(self, first, last, value)
      import :: weft_real_reduction, weft_index, c_double
      class(weft_real_reduction), intent(inout) :: self
      integer(weft_index), intent(in) :: first, last
      real(c_double), intent(inout) :: value
    end subroutine
  end interface

  ! weft_thread_create(task, ...) and weft_thread_create(c_funloc(procedure), argument, ...). Without
  ! thread, the thread is detached.
  interface weft_thread_create
    module procedure create_of_task, create_of_function
  end interface
  interface weft_tasklet_create
    module procedure tasklet_of_task, tasklet_of_function
  end interface
  interface weft_thread_join ! of one thread, or of all in an array
    module procedure join_one, join_all
  end interface
  interface weft_parallel_for
    module procedure for_32, for_64, for_function_32, for_function_64
  end interface
  interface weft_parallel_reduce
    module procedure reduce_32, reduce_64
  end interface
  interface weft_deadline_in
    module procedure deadline_in_32, deadline_in_64
  end interface
  interface weft_key_create
    module procedure key_create, key_create_destroyed
  end interface
  interface weft_sleep_ns
    module procedure sleep_32, sleep_64
  end interface
  public :: weft_thread_create, weft_tasklet_create, weft_thread_join, weft_parallel_for, &
            weft_parallel_reduce, weft_deadline_in, weft_sleep_ns, weft_key_create
  public :: weft_init, weft_finalize, weft_finalize_with, weft_is_initialized, weft_worker_count, &
            weft_worker_self, weft_worker_add, weft_now_ns, weft_status_name, weft_status_text, &
            weft_last_error, weft_thread_join_until, weft_thread_try_join, weft_self, &
            weft_thread_id, weft_thread_get_state, weft_thread_is_tasklet, weft_thread_set_name, &
            weft_thread_get_name, weft_yield, weft_cond_has_waiters, weft_semaphore_init, &
            weft_barrier_wait, weft_event_is_set, weft_latch_init, weft_feb_is_full, &
            weft_key_get
  public :: weft_worker_remove, weft_thread_detach, weft_yield_or_wait, weft_yield_to, &
            weft_suspend, weft_resume, weft_sleep_until, weft_pin, weft_pinned_begin, &
            weft_pinned_end, weft_blocking_begin, weft_blocking_end, weft_mutex_lock, &
            weft_mutex_lock_until, weft_mutex_try_lock, weft_mutex_unlock, weft_cond_wait, &
            weft_cond_wait_until, weft_cond_signal, weft_cond_broadcast, weft_rwlock_read_lock, &
            weft_rwlock_read_lock_until, weft_rwlock_try_read_lock, weft_rwlock_write_lock, &
            weft_rwlock_write_lock_until, weft_rwlock_try_write_lock, weft_rwlock_unlock, &
            weft_semaphore_acquire, weft_semaphore_acquire_until, weft_semaphore_try_acquire, &
            weft_semaphore_release, weft_barrier_init, weft_event_wait, weft_event_wait_until, &
            weft_event_set, weft_event_reset, weft_latch_count_down, weft_feb_read_fe, &
            weft_feb_read_ff, weft_feb_write_ef, weft_feb_write_ff, weft_feb_write_f, &
            weft_feb_read_xx, weft_feb_read_fe_until, weft_feb_read_ff_until, &
            weft_feb_write_ef_until, weft_feb_write_ff_until, weft_feb_try_read_fe, &
            weft_feb_try_read_ff, weft_feb_try_write_ef, weft_feb_try_write_ff, weft_feb_fill, &
            weft_feb_empty, weft_feb_purge, weft_feb_purge_to, weft_key_delete, weft_key_set

  ! ---- what C declares; tests compare each of these with the headers ----------------------------

  type, bind(c) :: weft_config
    integer(c_size_t) :: size = 0
    integer(c_int) :: workers = 0
    integer(c_size_t) :: stack_bytes = 0
    logical(c_bool) :: caller_outside = .false., bind = .false.
    integer(c_int) :: wait_policy = weft_wait_hybrid, locality = weft_locality_steal
    type(c_ptr) :: topology = c_null_ptr
  end type
  type, bind(c) :: weft_thread_attr
    integer(c_size_t) :: size = 0, stack_bytes = 0
    type(c_ptr) :: stack = c_null_ptr, name = c_null_ptr
    logical(c_bool) :: detached = .false., keep_fp = .false.
    integer(c_int) :: worker = weft_any_worker
    type(c_ptr) :: pool = c_null_ptr
    integer(c_int) :: priority = 0
  end type
  type, bind(c) :: weft_reduction
    integer(c_size_t) :: value_bytes
    type(c_ptr) :: identity
    type(c_funptr) :: body, combine
  end type

  interface
    ! ---- status and time
    pure type(c_ptr) function c_weft_status_name(status) bind(c, name='weft_status_name')
      import
      integer(c_int), value :: status
    end function
    pure type(c_ptr) function c_weft_status_text(status) bind(c, name='weft_status_text')
      import
      integer(c_int), value :: status
    end function
    pure type(c_ptr) function c_weft_last_error() bind(c, name='weft_last_error')
      import
    end function
    integer(c_int64_t) function c_weft_now_ns() bind(c, name='weft_now_ns')
      import
    end function
    integer(c_int64_t) function c_weft_deadline_in(interval_ns) bind(c, name='weft_deadline_in')
      import
      integer(c_int64_t), value :: interval_ns
    end function
    pure integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import
      type(c_ptr), value :: text
    end function
    ! ---- start and end
    integer(c_int) function c_weft_init(config) bind(c, name='weft_init')
      import
      type(weft_config), intent(in), target :: config
    end function
    integer(c_int) function c_weft_finalize() bind(c, name='weft_finalize')
      import
    end function
    integer(c_int) function c_weft_finalize_with(mode) bind(c, name='weft_finalize_with')
      import
      integer(c_int), value :: mode
    end function
    logical(c_bool) function c_weft_is_initialized() bind(c, name='weft_is_initialized')
      import
    end function
    integer(c_int) function c_weft_worker_count() bind(c, name='weft_worker_count')
      import
    end function
    integer(c_int) function c_weft_worker_self() bind(c, name='weft_worker_self')
      import
    end function
    integer(c_int) function c_weft_worker_add(out) bind(c, name='weft_worker_add')
      import
      integer(c_int), intent(inout) :: out
    end function
    ! ---- threads, with arguments of their own here
    integer(c_int) function c_weft_thread_create(function, argument, attr, out) &
      bind(c, name='weft_thread_create')
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: argument
      type(weft_thread_attr), intent(in), target :: attr
      type(weft_thread), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_thread_create_copy(function, bytes, size, attr, out) &
      bind(c, name='weft_thread_create_copy')
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: bytes
      integer(c_size_t), value :: size
      type(weft_thread_attr), intent(in), target :: attr
      type(weft_thread), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_tasklet_create(function, argument, attr, out) &
      bind(c, name='weft_tasklet_create')
      import
      type(c_funptr), value :: function
      type(c_ptr), value :: argument
      type(weft_thread_attr), intent(in), target :: attr
      type(weft_thread), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_thread_join(thread) bind(c, name='weft_thread_join')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_thread_join_until(thread, deadline_ns) &
      bind(c, name='weft_thread_join_until')
      import
      type(c_ptr), value :: thread
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_thread_try_join(thread) bind(c, name='weft_thread_try_join')
      import
      type(c_ptr), value :: thread
    end function
    type(c_ptr) function c_weft_self() bind(c, name='weft_self')
      import
    end function
    integer(c_int64_t) function c_weft_thread_id(thread) bind(c, name='weft_thread_id')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_thread_get_state(thread) bind(c, name='weft_thread_get_state')
      import
      type(c_ptr), value :: thread
    end function
    logical(c_bool) function c_weft_thread_is_tasklet(thread) bind(c, name='weft_thread_is_tasklet')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_thread_set_name(thread, name) bind(c, name='weft_thread_set_name')
      import
      type(c_ptr), value :: thread
      type(c_ptr), value :: name
    end function
    pure type(c_ptr) function c_weft_thread_get_name(thread) bind(c, name='weft_thread_get_name')
      import
      type(c_ptr), value :: thread
    end function
    subroutine weft_yield() bind(c, name='weft_yield')
    end subroutine
    integer(c_int) function c_weft_sleep_ns(interval_ns) bind(c, name='weft_sleep_ns')
      import
      integer(c_int64_t), value :: interval_ns
    end function
    ! ---- loops
    integer(c_int) function c_weft_parallel_for(begin, end, grain, body, argument) &
      bind(c, name='weft_parallel_for')
      import
      integer(c_size_t), value :: begin, end, grain
      type(c_funptr), value :: body
      type(c_ptr), value :: argument
    end function
    integer(c_int) function c_weft_parallel_reduce(begin, end, grain, how, argument, out) &
      bind(c, name='weft_parallel_reduce')
      import
      integer(c_size_t), value :: begin, end, grain
      type(weft_reduction), intent(in), target :: how
      type(c_ptr), value :: argument, out
    end function
    ! ---- the rest with arguments of their own here
    logical(c_bool) function c_weft_cond_has_waiters(cond) bind(c, name='weft_cond_has_waiters')
      import
      type(weft_cond), intent(in) :: cond
    end function
    integer(c_int) function c_weft_barrier_wait(barrier, last) bind(c, name='weft_barrier_wait')
      import
      type(weft_barrier), intent(inout) :: barrier
      logical(c_bool), intent(inout) :: last
    end function
    logical(c_bool) function c_weft_event_is_set(event) bind(c, name='weft_event_is_set')
      import
      type(weft_event), intent(in) :: event
    end function
    logical(c_bool) function c_weft_feb_is_full(word) bind(c, name='weft_feb_is_full')
      import
      integer(c_int64_t), intent(in) :: word
    end function
    integer(c_int) function c_weft_key_create(destructor, out) bind(c, name='weft_key_create')
      import
      type(c_funptr), value :: destructor
      type(weft_key), intent(inout) :: out
    end function
    type(c_ptr) function c_weft_key_get(key) bind(c, name='weft_key_get')
      import
      type(weft_key), value :: key
    end function
    ! ---- workers
    integer(c_int) function c_weft_worker_remove(worker) bind(c, name='weft_worker_remove')
      import
      integer(c_int), value :: worker
    end function
    ! ---- threads
    integer(c_int) function c_weft_thread_detach(thread) bind(c, name='weft_thread_detach')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_yield_or_wait(deadline_ns) bind(c, name='weft_yield_or_wait')
      import
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_yield_to(thread) bind(c, name='weft_yield_to')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_suspend() bind(c, name='weft_suspend')
      import
    end function
    integer(c_int) function c_weft_resume(thread) bind(c, name='weft_resume')
      import
      type(c_ptr), value :: thread
    end function
    integer(c_int) function c_weft_sleep_until(deadline_ns) bind(c, name='weft_sleep_until')
      import
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_pin(worker) bind(c, name='weft_pin')
      import
      integer(c_int), value :: worker
    end function
    integer(c_int) function c_weft_pinned_begin() bind(c, name='weft_pinned_begin')
      import
    end function
    integer(c_int) function c_weft_pinned_end() bind(c, name='weft_pinned_end')
      import
    end function
    integer(c_int) function c_weft_blocking_begin() bind(c, name='weft_blocking_begin')
      import
    end function
    integer(c_int) function c_weft_blocking_end() bind(c, name='weft_blocking_end')
      import
    end function
    ! ---- locks
    integer(c_int) function c_weft_mutex_lock(mutex) bind(c, name='weft_mutex_lock')
      import
      type(weft_mutex), intent(inout) :: mutex
    end function
    integer(c_int) function c_weft_mutex_lock_until(mutex, deadline_ns) bind(c, name='weft_mutex_lock_until')
      import
      type(weft_mutex), intent(inout) :: mutex
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_mutex_try_lock(mutex) bind(c, name='weft_mutex_try_lock')
      import
      type(weft_mutex), intent(inout) :: mutex
    end function
    integer(c_int) function c_weft_mutex_unlock(mutex) bind(c, name='weft_mutex_unlock')
      import
      type(weft_mutex), intent(inout) :: mutex
    end function
    integer(c_int) function c_weft_cond_wait(cond, mutex) bind(c, name='weft_cond_wait')
      import
      type(weft_cond), intent(inout) :: cond
      type(weft_mutex), intent(inout) :: mutex
    end function
    integer(c_int) function c_weft_cond_wait_until(cond, mutex, deadline_ns) bind(c, name='weft_cond_wait_until')
      import
      type(weft_cond), intent(inout) :: cond
      type(weft_mutex), intent(inout) :: mutex
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_cond_signal(cond) bind(c, name='weft_cond_signal')
      import
      type(weft_cond), intent(inout) :: cond
    end function
    integer(c_int) function c_weft_cond_broadcast(cond) bind(c, name='weft_cond_broadcast')
      import
      type(weft_cond), intent(inout) :: cond
    end function
    integer(c_int) function c_weft_rwlock_read_lock(lock) bind(c, name='weft_rwlock_read_lock')
      import
      type(weft_rwlock), intent(inout) :: lock
    end function
    integer(c_int) function c_weft_rwlock_read_lock_until(lock, deadline_ns) bind(c, name='weft_rwlock_read_lock_until')
      import
      type(weft_rwlock), intent(inout) :: lock
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_rwlock_try_read_lock(lock) bind(c, name='weft_rwlock_try_read_lock')
      import
      type(weft_rwlock), intent(inout) :: lock
    end function
    integer(c_int) function c_weft_rwlock_write_lock(lock) bind(c, name='weft_rwlock_write_lock')
      import
      type(weft_rwlock), intent(inout) :: lock
    end function
    integer(c_int) function c_weft_rwlock_write_lock_until(lock, deadline_ns) bind(c, name='weft_rwlock_write_lock_until')
      import
      type(weft_rwlock), intent(inout) :: lock
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_rwlock_try_write_lock(lock) bind(c, name='weft_rwlock_try_write_lock')
      import
      type(weft_rwlock), intent(inout) :: lock
    end function
    integer(c_int) function c_weft_rwlock_unlock(lock) bind(c, name='weft_rwlock_unlock')
      import
      type(weft_rwlock), intent(inout) :: lock
    end function
    integer(c_int) function c_weft_semaphore_acquire(semaphore) bind(c, name='weft_semaphore_acquire')
      import
      type(weft_semaphore), intent(inout) :: semaphore
    end function
    integer(c_int) function c_weft_semaphore_acquire_until(semaphore, deadline_ns) bind(c, name='weft_semaphore_acquire_until')
      import
      type(weft_semaphore), intent(inout) :: semaphore
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_semaphore_try_acquire(semaphore) bind(c, name='weft_semaphore_try_acquire')
      import
      type(weft_semaphore), intent(inout) :: semaphore
    end function
    integer(c_int) function c_weft_semaphore_release(semaphore, count) bind(c, name='weft_semaphore_release')
      import
      type(weft_semaphore), intent(inout) :: semaphore
      integer(c_int32_t), value :: count
    end function
    ! ---- barriers and events
    integer(c_int) function c_weft_barrier_init(barrier, parties) bind(c, name='weft_barrier_init')
      import
      type(weft_barrier), intent(inout) :: barrier
      integer(c_int32_t), value :: parties
    end function
    integer(c_int) function c_weft_event_wait(event) bind(c, name='weft_event_wait')
      import
      type(weft_event), intent(inout) :: event
    end function
    integer(c_int) function c_weft_event_wait_until(event, deadline_ns) bind(c, name='weft_event_wait_until')
      import
      type(weft_event), intent(inout) :: event
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_event_set(event) bind(c, name='weft_event_set')
      import
      type(weft_event), intent(inout) :: event
    end function
    integer(c_int) function c_weft_event_reset(event) bind(c, name='weft_event_reset')
      import
      type(weft_event), intent(inout) :: event
    end function
    integer(c_int) function c_weft_latch_count_down(latch, count) bind(c, name='weft_latch_count_down')
      import
      type(weft_event), intent(inout) :: latch
      integer(c_int32_t), value :: count
    end function
    ! ---- full/empty bits
    integer(c_int) function c_weft_feb_read_fe(word, out) bind(c, name='weft_feb_read_fe')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_read_ff(word, out) bind(c, name='weft_feb_read_ff')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_write_ef(word, value) bind(c, name='weft_feb_write_ef')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_weft_feb_write_ff(word, value) bind(c, name='weft_feb_write_ff')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_weft_feb_write_f(word, value) bind(c, name='weft_feb_write_f')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_weft_feb_read_xx(word, out) bind(c, name='weft_feb_read_xx')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_read_fe_until(word, deadline_ns, out) bind(c, name='weft_feb_read_fe_until')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: deadline_ns
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_read_ff_until(word, deadline_ns, out) bind(c, name='weft_feb_read_ff_until')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: deadline_ns
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_write_ef_until(word, value, deadline_ns) bind(c, name='weft_feb_write_ef_until')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_feb_write_ff_until(word, value, deadline_ns) bind(c, name='weft_feb_write_ff_until')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
      integer(c_int64_t), value :: deadline_ns
    end function
    integer(c_int) function c_weft_feb_try_read_fe(word, out) bind(c, name='weft_feb_try_read_fe')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_try_read_ff(word, out) bind(c, name='weft_feb_try_read_ff')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), intent(inout), optional :: out
    end function
    integer(c_int) function c_weft_feb_try_write_ef(word, value) bind(c, name='weft_feb_try_write_ef')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_weft_feb_try_write_ff(word, value) bind(c, name='weft_feb_try_write_ff')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function c_weft_feb_fill(word) bind(c, name='weft_feb_fill')
      import
      integer(c_int64_t), intent(inout) :: word
    end function
    integer(c_int) function c_weft_feb_empty(word) bind(c, name='weft_feb_empty')
      import
      integer(c_int64_t), intent(inout) :: word
    end function
    integer(c_int) function c_weft_feb_purge(word) bind(c, name='weft_feb_purge')
      import
      integer(c_int64_t), intent(inout) :: word
    end function
    integer(c_int) function c_weft_feb_purge_to(word, value) bind(c, name='weft_feb_purge_to')
      import
      integer(c_int64_t), intent(inout) :: word
      integer(c_int64_t), value :: value
    end function
    ! ---- keys
    integer(c_int) function c_weft_key_delete(key) bind(c, name='weft_key_delete')
      import
      type(weft_key), value :: key
    end function
    integer(c_int) function c_weft_key_set(key, value) bind(c, name='weft_key_set')
      import
      type(weft_key), value :: key
      type(c_ptr), value :: value
    end function
  end interface

  ! What stands behind the pointer that the library hands on to a function.
  type :: task_holder
    class(weft_task), pointer :: task => null()
  end type
  type :: loop_holder
    class(weft_loop), pointer :: loop => null()
    integer(weft_index) :: first = 1
  end type
  type :: function_holder
    type(c_funptr) :: body = c_null_funptr
    type(c_ptr) :: argument = c_null_ptr
    integer(weft_index) :: first = 1
  end type
  type :: reduction_holder
    class(weft_real_reduction), pointer :: reduction => null()
    integer(weft_index) :: first = 1
  end type

contains

  ! ---- status and time ---------------------------------------------------------------------------

  ! Hands the status on, or ends the program.
  subroutine settle(status, call_name, stat)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: call_name
    integer, intent(out), optional :: stat
    character(:), allocatable :: said
    if (present(stat)) then
      stat = int(status)
      return
    end if
    if (status == weft_ok) return
    said = weft_last_error() ! 'NAME IN C: what was wrong'
    if (said == '') said = ': ' // weft_status_text(int(status))
    said = 'weft: ' // call_name // said(index(said, ':'):) // ' (' // weft_status_name(int(status)) // '; cure: ' // &
           trim(cure_of(int(status))) // '; with stat= the program goes on)'
    error stop said
  end subroutine

  pure function cure_of(status) result(text)
    integer, intent(in) :: status
    character(72) :: text
    select case (status)
    case (weft_nomem); text = 'give threads smaller stacks, or join some before more are created'
    case (weft_invalid); text = 'pass an argument that the call takes'
    case (weft_busy); text = 'call again later, or use the call that waits'
    case (weft_timeout); text = 'pass a later deadline'
    case (weft_again); text = 'free the resource of the system that is named, or call again later'
    case (weft_unsupported); text = 'weft(7) says what the kernel and the CPU must have'
    case (weft_not_initialized); text = 'call weft_init before, and weft_finalize after'
    case (weft_cannot_block); text = 'make the call in a thread instead of a tasklet'
    case (weft_not_owner); text = 'call it in the thread that has locked or begun it'
    case (weft_deadlock); text = 'make the call in another thread'
    case (weft_ended); text = 'do not wait for what weft_finalize_with drops'
    case default; text = 'the library is not the one of this module; compile the module anew'
    end select
  end function

  ! Ends the program if a count that an object is to start with is negative.
  pure subroutine refuse_negative(count, call_name)
    integer, intent(in) :: count
    character(*), intent(in) :: call_name
    character(range(count) + 2) :: digits
    character(:), allocatable :: said
    if (count >= 0) return
    write (digits, '(i0)') count
    said = 'weft: ' // call_name // ': argument count: it is ' // trim(digits) // ' (WEFT_INVALID; cure: pass 0 or more)'
    error stop said
  end subroutine

  ! Copies a text of C's, which has got shorter if another thread has changed it since. The results of
  ! the functions below have a length that is an expression: gfortran 12 keeps the length of one that
  ! is allocatable in static memory, where two threads mix theirs.
  subroutine copy_text(c_text, text)
    type(c_ptr), intent(in) :: c_text
    character(*), intent(out) :: text
    character(kind=c_char), pointer :: characters(:)
    integer :: i
    text = ''
    call c_f_pointer(c_text, characters, [len(text)])
    do i = 1, len(text)
      if (characters(i) == c_null_char) exit
      text(i:i) = characters(i)
    end do
  end subroutine

  function weft_status_name(status) result(text)
    integer, intent(in) :: status
    character(c_strlen(c_weft_status_name(int(status, c_int)))) :: text
    call copy_text(c_weft_status_name(int(status, c_int)), text)
  end function

  function weft_status_text(status) result(text)
    integer, intent(in) :: status
    character(c_strlen(c_weft_status_text(int(status, c_int)))) :: text
    call copy_text(c_weft_status_text(int(status, c_int)), text)
  end function

  function weft_last_error() result(text)
    character(c_strlen(c_weft_last_error())) :: text
    call copy_text(c_weft_last_error(), text)
  end function

  integer(c_int64_t) function weft_now_ns()
    weft_now_ns = c_weft_now_ns()
  end function

  integer(c_int64_t) function deadline_in_32(interval_ns)
    integer(c_int32_t), intent(in) :: interval_ns
    deadline_in_32 = c_weft_deadline_in(int(interval_ns, c_int64_t))
  end function

  integer(c_int64_t) function deadline_in_64(interval_ns)
    integer(c_int64_t), intent(in) :: interval_ns
    deadline_in_64 = c_weft_deadline_in(interval_ns)
  end function

  ! ---- start and end -----------------------------------------------------------------------------

  ! Starts the runtime, or nests in the one that runs.
  subroutine weft_init(workers, stack_bytes, caller_outside, bind, wait_policy, locality, stat)
    integer, intent(in), optional :: workers, stack_bytes, wait_policy, locality
    logical, intent(in), optional :: caller_outside, bind
    integer, intent(out), optional :: stat
    type(weft_config) :: config
    config%size = c_sizeof(config)
    if (present(workers)) config%workers = int(workers, c_int)
    if (present(stack_bytes)) config%stack_bytes = int(stack_bytes, c_size_t)
    if (present(caller_outside)) config%caller_outside = logical(caller_outside, c_bool)
    if (present(bind)) config%bind = logical(bind, c_bool)
    if (present(wait_policy)) config%wait_policy = int(wait_policy, c_int)
    if (present(locality)) config%locality = int(locality, c_int)
    call settle(c_weft_init(config), 'weft_init', stat)
  end subroutine

  subroutine weft_finalize(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_finalize(), 'weft_finalize', stat)
  end subroutine

  subroutine weft_finalize_with(mode, stat)
    integer, intent(in) :: mode
    integer, intent(out), optional :: stat
    call settle(c_weft_finalize_with(int(mode, c_int)), 'weft_finalize_with', stat)
  end subroutine

  logical function weft_is_initialized()
    weft_is_initialized = c_weft_is_initialized()
  end function

  integer function weft_worker_count()
    weft_worker_count = int(c_weft_worker_count())
  end function

  integer function weft_worker_self()
    weft_worker_self = int(c_weft_worker_self())
  end function

  subroutine weft_worker_add(out, stat)
    integer, intent(inout) :: out
    integer, intent(out), optional :: stat
    integer(c_int) :: added
    added = int(out, c_int)
    call settle(c_weft_worker_add(added), 'weft_worker_add', stat)
    out = int(added)
  end subroutine

  ! ---- threads -----------------------------------------------------------------------------------

  subroutine run_holder(argument) bind(c, name='')
    type(c_ptr), value :: argument
    type(task_holder), pointer :: holder
    class(weft_task), pointer :: task
    call c_f_pointer(argument, holder)
    task => holder%task
    call task%run()
  end subroutine

  subroutine run_and_free_holder(argument) bind(c, name='')
    type(c_ptr), value :: argument
    type(task_holder), pointer :: holder
    class(weft_task), pointer :: task
    call c_f_pointer(argument, holder)
    task => holder%task
    deallocate (holder)
    call task%run()
  end subroutine

  ! The text, and the zero that ends it for C.
  function zero_ended(text) result(characters)
    character(*), intent(in) :: text
    character(kind=c_char) :: characters(len(text) + 1)
    integer :: i
    do i = 1, len(text)
      characters(i) = text(i:i)
    end do
    characters(len(text) + 1) = c_null_char
  end function

  ! The attributes of a thread. The name, if there is one, is characters, which the caller keeps.
  subroutine fill(attr, characters, stack_bytes, worker, name, keep_fp, priority)
    type(weft_thread_attr), intent(out) :: attr
    character(kind=c_char), allocatable, target, intent(out) :: characters(:)
    integer, intent(in), optional :: stack_bytes, worker, priority
    character(*), intent(in), optional :: name
    logical, intent(in), optional :: keep_fp
    attr%size = c_sizeof(attr)
    if (present(stack_bytes)) attr%stack_bytes = int(stack_bytes, c_size_t)
    if (present(worker)) attr%worker = int(worker, c_int)
    if (present(keep_fp)) attr%keep_fp = logical(keep_fp, c_bool)
    if (present(priority)) attr%priority = int(priority, c_int)
    if (present(name)) then
      characters = zero_ended(name)
      attr%name = c_loc(characters)
    end if
  end subroutine

  subroutine create_of_task(task, thread, stack_bytes, worker, name, keep_fp, stat)
    class(weft_task), intent(inout), target :: task
    type(weft_thread), intent(inout), optional :: thread
    integer, intent(in), optional :: stack_bytes, worker
    character(*), intent(in), optional :: name
    logical, intent(in), optional :: keep_fp
    integer, intent(out), optional :: stat
    type(weft_thread_attr) :: attr
    character(kind=c_char), allocatable, target :: characters(:)
    type(task_holder), target :: holder
    call fill(attr, characters, stack_bytes, worker, name, keep_fp)
    holder%task => task
    call settle(c_weft_thread_create_copy(c_funloc(run_holder), c_loc(holder), &
      int(storage_size(holder) / 8, c_size_t), attr, thread), 'weft_thread_create', stat)
  end subroutine

  subroutine create_of_function(function, argument, thread, stack_bytes, worker, name, keep_fp, stat)
    type(c_funptr), value :: function
    type(c_ptr), intent(in) :: argument
    type(weft_thread), intent(inout), optional :: thread
    integer, intent(in), optional :: stack_bytes, worker
    character(*), intent(in), optional :: name
    logical, intent(in), optional :: keep_fp
    integer, intent(out), optional :: stat
    type(weft_thread_attr) :: attr
    character(kind=c_char), allocatable, target :: characters(:)
    call fill(attr, characters, stack_bytes, worker, name, keep_fp)
    call settle(c_weft_thread_create(function, argument, attr, thread), 'weft_thread_create', stat)
  end subroutine

  subroutine tasklet_of_task(task, thread, worker, name, stat)
    class(weft_task), intent(inout), target :: task
    type(weft_thread), intent(inout), optional :: thread
    integer, intent(in), optional :: worker
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    type(weft_thread_attr) :: attr
    character(kind=c_char), allocatable, target :: characters(:)
    type(task_holder), pointer :: holder
    integer(c_int) :: status
    call fill(attr, characters, worker=worker, name=name)
    allocate (holder)
    holder%task => task
    status = c_weft_tasklet_create(c_funloc(run_and_free_holder), c_loc(holder), attr, thread)
    if (status /= weft_ok) deallocate (holder)
    call settle(status, 'weft_tasklet_create', stat)
  end subroutine

  subroutine tasklet_of_function(function, argument, thread, worker, name, stat)
    type(c_funptr), value :: function
    type(c_ptr), intent(in) :: argument
    type(weft_thread), intent(inout), optional :: thread
    integer, intent(in), optional :: worker
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: stat
    type(weft_thread_attr) :: attr
    character(kind=c_char), allocatable, target :: characters(:)
    call fill(attr, characters, worker=worker, name=name)
    call settle(c_weft_tasklet_create(function, argument, attr, thread), 'weft_tasklet_create', stat)
  end subroutine

  ! A thread that was joined stands for none afterwards.
  subroutine join_one(thread, stat)
    type(weft_thread), intent(inout) :: thread
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    status = c_weft_thread_join(thread%handle)
    if (status == weft_ok) thread%handle = c_null_ptr
    call settle(status, 'weft_thread_join', stat)
  end subroutine

  ! Joins all, whatever fails, and settles with the error of the first in the array that failed. A
  ! thread joins from the newest on, as it may run those that are queued on its own stack.
  subroutine join_all(threads, stat)
    type(weft_thread), intent(inout) :: threads(:)
    integer, intent(out), optional :: stat
    integer(c_int) :: status, joined
    logical :: newest_first
    integer :: number, i
    status = weft_ok
    newest_first = c_weft_worker_self() >= 0
    do number = 1, size(threads)
      i = merge(size(threads) + 1 - number, number, newest_first)
      if (.not. c_associated(threads(i)%handle)) cycle
      joined = c_weft_thread_join(threads(i)%handle)
      if (joined == weft_ok) then
        threads(i)%handle = c_null_ptr
      else if (newest_first .or. status == weft_ok) then
        status = joined
      end if
    end do
    call settle(status, 'weft_thread_join', stat)
  end subroutine

  subroutine weft_thread_join_until(thread, deadline_ns, stat)
    type(weft_thread), intent(inout) :: thread
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    status = c_weft_thread_join_until(thread%handle, deadline_ns)
    if (status == weft_ok) thread%handle = c_null_ptr
    call settle(status, 'weft_thread_join_until', stat)
  end subroutine

  subroutine weft_thread_try_join(thread, stat)
    type(weft_thread), intent(inout) :: thread
    integer, intent(out), optional :: stat
    integer(c_int) :: status
    status = c_weft_thread_try_join(thread%handle)
    if (status == weft_ok) thread%handle = c_null_ptr
    call settle(status, 'weft_thread_try_join', stat)
  end subroutine

  type(weft_thread) function weft_self()
    weft_self%handle = c_weft_self()
  end function

  integer(c_int64_t) function weft_thread_id(thread)
    type(weft_thread), intent(in) :: thread
    weft_thread_id = c_weft_thread_id(thread%handle)
  end function

  integer function weft_thread_get_state(thread)
    type(weft_thread), intent(in) :: thread
    weft_thread_get_state = int(c_weft_thread_get_state(thread%handle))
  end function

  logical function weft_thread_is_tasklet(thread)
    type(weft_thread), intent(in) :: thread
    weft_thread_is_tasklet = c_weft_thread_is_tasklet(thread%handle)
  end function

  subroutine weft_thread_set_name(thread, name, stat)
    type(weft_thread), intent(in) :: thread
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat
    character(kind=c_char), target :: characters(len(name) + 1)
    characters = zero_ended(name)
    call settle(c_weft_thread_set_name(thread%handle, c_loc(characters)), 'weft_thread_set_name', stat)
  end subroutine

  function weft_thread_get_name(thread) result(name)
    type(weft_thread), intent(in) :: thread
    character(c_strlen(c_weft_thread_get_name(thread%handle))) :: name
    call copy_text(c_weft_thread_get_name(thread%handle), name)
  end function

  subroutine sleep_32(interval_ns, stat)
    integer(c_int32_t), intent(in) :: interval_ns
    integer, intent(out), optional :: stat
    call sleep_64(int(interval_ns, c_int64_t), stat)
  end subroutine

  subroutine sleep_64(interval_ns, stat)
    integer(c_int64_t), intent(in) :: interval_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_sleep_ns(interval_ns), 'weft_sleep_ns', stat)
  end subroutine

  ! ---- loops -------------------------------------------------------------------------------------

  subroutine run_loop_holder(from, to, argument) bind(c, name='')
    integer(c_size_t), value :: from, to
    type(c_ptr), value :: argument
    type(loop_holder), pointer :: holder
    call c_f_pointer(argument, holder)
    call holder%loop%run(holder%first + from, holder%first + to - 1)
  end subroutine

  subroutine run_function_holder(from, to, argument) bind(c, name='')
    integer(c_size_t), value :: from, to
    type(c_ptr), value :: argument
    type(function_holder), pointer :: holder
    abstract interface
      subroutine part(first, last, argument) bind(c)
        import :: weft_index, c_ptr
        integer(weft_index), value :: first, last
        type(c_ptr), value :: argument
      end subroutine
    end interface
    procedure(part), pointer :: body
    call c_f_pointer(argument, holder)
    call c_f_procpointer(holder%body, body)
    call body(holder%first + from, holder%first + to - 1, holder%argument)
  end subroutine

  ! How many indexes a range has: none where last is below first, as in a DO loop.
  pure integer(c_size_t) function extent_of(first, last)
    integer(weft_index), intent(in) :: first, last
    extent_of = max(0_c_size_t, last - first + 1)
  end function

  pure integer(c_size_t) function grain_of(grain)
    integer, intent(in), optional :: grain
    grain_of = 0
    if (present(grain)) grain_of = int(grain, c_size_t)
  end function

  ! Calls body%run(from, to) for parts of first, ..., last, each of at most grain indexes.
  subroutine for_64(first, last, body, grain, stat)
    integer(c_int64_t), intent(in) :: first, last
    class(weft_loop), intent(inout), target :: body
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    type(loop_holder), target :: holder
    holder%loop => body
    holder%first = first
    call settle(c_weft_parallel_for(0_c_size_t, extent_of(first, last), grain_of(grain), &
      c_funloc(run_loop_holder), c_loc(holder)), 'weft_parallel_for', stat)
  end subroutine

  subroutine for_32(first, last, body, grain, stat)
    integer(c_int32_t), intent(in) :: first, last
    class(weft_loop), intent(inout), target :: body
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    call for_64(int(first, c_int64_t), int(last, c_int64_t), body, grain, stat)
  end subroutine

  ! The same of a bind(c) procedure body(first, last, argument), whose arguments have VALUE.
  subroutine for_function_64(first, last, body, argument, grain, stat)
    integer(c_int64_t), intent(in) :: first, last
    type(c_funptr), value :: body
    type(c_ptr), intent(in) :: argument
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    type(function_holder), target :: holder
    type(c_funptr) :: run
    run = c_null_funptr ! which the library refuses
    if (c_associated(body)) run = c_funloc(run_function_holder)
    holder%body = body
    holder%argument = argument
    holder%first = first
    call settle(c_weft_parallel_for(0_c_size_t, extent_of(first, last), grain_of(grain), run, &
      c_loc(holder)), 'weft_parallel_for', stat)
  end subroutine

  subroutine for_function_32(first, last, body, argument, grain, stat)
    integer(c_int32_t), intent(in) :: first, last
    type(c_funptr), value :: body
    type(c_ptr), intent(in) :: argument
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    call for_function_64(int(first, c_int64_t), int(last, c_int64_t), body, argument, grain, stat)
  end subroutine

  subroutine add_later(self, value, later)
    class(weft_real_reduction), intent(inout) :: self
    real(c_double), intent(inout) :: value
    real(c_double), intent(in) :: later
    value = value + later
    if (.false.) self%identity = 0 ! for compilers that warn of an argument without a use
  end subroutine

  subroutine run_reduction_holder(from, to, argument, value) bind(c, name='')
    integer(c_size_t), value :: from, to
    type(c_ptr), value :: argument
    real(c_double), intent(inout) :: value
    type(reduction_holder), pointer :: holder
    call c_f_pointer(argument, holder)
    call holder%reduction%run(holder%first + from, holder%first + to - 1, value)
  end subroutine

  subroutine combine_holder(value, later, argument) bind(c, name='')
    real(c_double), intent(inout) :: value
    real(c_double), intent(in) :: later
    type(c_ptr), value :: argument
    type(reduction_holder), pointer :: holder
    call c_f_pointer(argument, holder)
    call holder%reduction%combine(value, later)
  end subroutine

  ! Reduces first, ..., last to value. With a grain, the result is the same in every run.
  subroutine reduce_64(first, last, body, value, grain, stat)
    integer(c_int64_t), intent(in) :: first, last
    class(weft_real_reduction), intent(inout), target :: body
    real(c_double), intent(inout), target :: value
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    type(reduction_holder), target :: holder
    real(c_double), target :: identity
    identity = body%identity
    holder%reduction => body
    holder%first = first
    call settle(c_weft_parallel_reduce(0_c_size_t, extent_of(first, last), grain_of(grain), &
      weft_reduction(c_sizeof(identity), c_loc(identity), c_funloc(run_reduction_holder), &
      c_funloc(combine_holder)), c_loc(holder), c_loc(value)), 'weft_parallel_reduce', stat)
  end subroutine

  subroutine reduce_32(first, last, body, value, grain, stat)
    integer(c_int32_t), intent(in) :: first, last
    class(weft_real_reduction), intent(inout), target :: body
    real(c_double), intent(inout), target :: value
    integer, intent(in), optional :: grain
    integer, intent(out), optional :: stat
    call reduce_64(int(first, c_int64_t), int(last, c_int64_t), body, value, grain, stat)
  end subroutine

  ! ---- locks, events, barriers, full/empty bits, keys ----------------------------------------------

  logical function weft_cond_has_waiters(cond)
    type(weft_cond), intent(in) :: cond
    weft_cond_has_waiters = c_weft_cond_has_waiters(cond)
  end function

  ! What a semaphore with count tokens is set to. A count below 0 ends the program.
  pure type(weft_semaphore) function weft_semaphore_init(count)
    integer, intent(in) :: count
    call refuse_negative(count, 'weft_semaphore_init')
    weft_semaphore_init%opaque = 0
    weft_semaphore_init%opaque(1) = int(count, c_int64_t)
  end function

  subroutine weft_barrier_wait(barrier, last, stat)
    type(weft_barrier), intent(inout) :: barrier
    logical, intent(inout), optional :: last
    integer, intent(out), optional :: stat
    logical(c_bool) :: is_last
    integer(c_int) :: status
    status = c_weft_barrier_wait(barrier, is_last)
    if (present(last) .and. status == weft_ok) last = is_last
    call settle(status, 'weft_barrier_wait', stat)
  end subroutine

  logical function weft_event_is_set(event)
    type(weft_event), intent(in) :: event
    weft_event_is_set = c_weft_event_is_set(event)
  end function

  ! What an event is set to that becomes set when it has been counted down count times. A count below
  ! 0 ends the program.
  pure type(weft_event) function weft_latch_init(count)
    integer, intent(in) :: count
    call refuse_negative(count, 'weft_latch_init')
    weft_latch_init%opaque = 0
    weft_latch_init%opaque(1) = merge(1_c_int64_t, ishft(int(count, c_int64_t), 32), count == 0)
  end function

  logical function weft_feb_is_full(word)
    integer(c_int64_t), intent(in) :: word
    weft_feb_is_full = c_weft_feb_is_full(word)
  end function

  subroutine key_create(key, stat)
    type(weft_key), intent(inout) :: key
    integer, intent(out), optional :: stat
    call settle(c_weft_key_create(c_null_funptr, key), 'weft_key_create', stat)
  end subroutine

  ! destructor, a bind(c) procedure by c_funloc, gets the value when a thread ends.
  subroutine key_create_destroyed(key, destructor, stat)
    type(weft_key), intent(inout) :: key
    type(c_funptr), value :: destructor
    integer, intent(out), optional :: stat
    call settle(c_weft_key_create(destructor, key), 'weft_key_create', stat)
  end subroutine

  type(c_ptr) function weft_key_get(key)
    type(weft_key), intent(in) :: key
    weft_key_get = c_weft_key_get(key)
  end function

  ! ---- workers: the calls that have the arguments of C's

  subroutine weft_worker_remove(worker, stat)
    integer, intent(in) :: worker
    integer, intent(out), optional :: stat
    call settle(c_weft_worker_remove(int(worker, c_int)), 'weft_worker_remove', stat)
  end subroutine

  ! ---- threads: the calls that have the arguments of C's

  subroutine weft_thread_detach(thread, stat)
    type(weft_thread), intent(in) :: thread
    integer, intent(out), optional :: stat
    call settle(c_weft_thread_detach(thread%handle), 'weft_thread_detach', stat)
  end subroutine

  subroutine weft_yield_or_wait(deadline_ns, stat)
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_yield_or_wait(deadline_ns), 'weft_yield_or_wait', stat)
  end subroutine

  subroutine weft_yield_to(thread, stat)
    type(weft_thread), intent(in) :: thread
    integer, intent(out), optional :: stat
    call settle(c_weft_yield_to(thread%handle), 'weft_yield_to', stat)
  end subroutine

  subroutine weft_suspend(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_suspend(), 'weft_suspend', stat)
  end subroutine

  subroutine weft_resume(thread, stat)
    type(weft_thread), intent(in) :: thread
    integer, intent(out), optional :: stat
    call settle(c_weft_resume(thread%handle), 'weft_resume', stat)
  end subroutine

  subroutine weft_sleep_until(deadline_ns, stat)
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_sleep_until(deadline_ns), 'weft_sleep_until', stat)
  end subroutine

  subroutine weft_pin(worker, stat)
    integer, intent(in) :: worker
    integer, intent(out), optional :: stat
    call settle(c_weft_pin(int(worker, c_int)), 'weft_pin', stat)
  end subroutine

  subroutine weft_pinned_begin(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_pinned_begin(), 'weft_pinned_begin', stat)
  end subroutine

  subroutine weft_pinned_end(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_pinned_end(), 'weft_pinned_end', stat)
  end subroutine

  subroutine weft_blocking_begin(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_blocking_begin(), 'weft_blocking_begin', stat)
  end subroutine

  subroutine weft_blocking_end(stat)
    integer, intent(out), optional :: stat
    call settle(c_weft_blocking_end(), 'weft_blocking_end', stat)
  end subroutine

  ! ---- locks: the calls that have the arguments of C's

  subroutine weft_mutex_lock(mutex, stat)
    type(weft_mutex), intent(inout) :: mutex
    integer, intent(out), optional :: stat
    call settle(c_weft_mutex_lock(mutex), 'weft_mutex_lock', stat)
  end subroutine

  subroutine weft_mutex_lock_until(mutex, deadline_ns, stat)
    type(weft_mutex), intent(inout) :: mutex
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_mutex_lock_until(mutex, deadline_ns), 'weft_mutex_lock_until', stat)
  end subroutine

  subroutine weft_mutex_try_lock(mutex, stat)
    type(weft_mutex), intent(inout) :: mutex
    integer, intent(out), optional :: stat
    call settle(c_weft_mutex_try_lock(mutex), 'weft_mutex_try_lock', stat)
  end subroutine

  subroutine weft_mutex_unlock(mutex, stat)
    type(weft_mutex), intent(inout) :: mutex
    integer, intent(out), optional :: stat
    call settle(c_weft_mutex_unlock(mutex), 'weft_mutex_unlock', stat)
  end subroutine

  subroutine weft_cond_wait(cond, mutex, stat)
    type(weft_cond), intent(inout) :: cond
    type(weft_mutex), intent(inout) :: mutex
    integer, intent(out), optional :: stat
    call settle(c_weft_cond_wait(cond, mutex), 'weft_cond_wait', stat)
  end subroutine

  subroutine weft_cond_wait_until(cond, mutex, deadline_ns, stat)
    type(weft_cond), intent(inout) :: cond
    type(weft_mutex), intent(inout) :: mutex
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_cond_wait_until(cond, mutex, deadline_ns), 'weft_cond_wait_until', stat)
  end subroutine

  subroutine weft_cond_signal(cond, stat)
    type(weft_cond), intent(inout) :: cond
    integer, intent(out), optional :: stat
    call settle(c_weft_cond_signal(cond), 'weft_cond_signal', stat)
  end subroutine

  subroutine weft_cond_broadcast(cond, stat)
    type(weft_cond), intent(inout) :: cond
    integer, intent(out), optional :: stat
    call settle(c_weft_cond_broadcast(cond), 'weft_cond_broadcast', stat)
  end subroutine

  subroutine weft_rwlock_read_lock(lock, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_read_lock(lock), 'weft_rwlock_read_lock', stat)
  end subroutine

  subroutine weft_rwlock_read_lock_until(lock, deadline_ns, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_read_lock_until(lock, deadline_ns), &
                'weft_rwlock_read_lock_until', stat)
  end subroutine

  subroutine weft_rwlock_try_read_lock(lock, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_try_read_lock(lock), 'weft_rwlock_try_read_lock', stat)
  end subroutine

  subroutine weft_rwlock_write_lock(lock, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_write_lock(lock), 'weft_rwlock_write_lock', stat)
  end subroutine

  subroutine weft_rwlock_write_lock_until(lock, deadline_ns, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_write_lock_until(lock, deadline_ns), &
                'weft_rwlock_write_lock_until', stat)
  end subroutine

  subroutine weft_rwlock_try_write_lock(lock, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_try_write_lock(lock), 'weft_rwlock_try_write_lock', stat)
  end subroutine

  subroutine weft_rwlock_unlock(lock, stat)
    type(weft_rwlock), intent(inout) :: lock
    integer, intent(out), optional :: stat
    call settle(c_weft_rwlock_unlock(lock), 'weft_rwlock_unlock', stat)
  end subroutine

  subroutine weft_semaphore_acquire(semaphore, stat)
    type(weft_semaphore), intent(inout) :: semaphore
    integer, intent(out), optional :: stat
    call settle(c_weft_semaphore_acquire(semaphore), 'weft_semaphore_acquire', stat)
  end subroutine

  subroutine weft_semaphore_acquire_until(semaphore, deadline_ns, stat)
    type(weft_semaphore), intent(inout) :: semaphore
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_semaphore_acquire_until(semaphore, deadline_ns), &
                'weft_semaphore_acquire_until', stat)
  end subroutine

  subroutine weft_semaphore_try_acquire(semaphore, stat)
    type(weft_semaphore), intent(inout) :: semaphore
    integer, intent(out), optional :: stat
    call settle(c_weft_semaphore_try_acquire(semaphore), 'weft_semaphore_try_acquire', stat)
  end subroutine

  subroutine weft_semaphore_release(semaphore, count, stat)
    type(weft_semaphore), intent(inout) :: semaphore
    integer, intent(in) :: count
    integer, intent(out), optional :: stat
    call settle(c_weft_semaphore_release(semaphore, int(count, c_int32_t)), &
                'weft_semaphore_release', stat)
  end subroutine

  ! ---- barriers and events: the calls that have the arguments of C's

  subroutine weft_barrier_init(barrier, parties, stat)
    type(weft_barrier), intent(inout) :: barrier
    integer, intent(in) :: parties
    integer, intent(out), optional :: stat
    call settle(c_weft_barrier_init(barrier, int(max(parties, 0), c_int32_t)), 'weft_barrier_init', stat)
  end subroutine

  subroutine weft_event_wait(event, stat)
    type(weft_event), intent(inout) :: event
    integer, intent(out), optional :: stat
    call settle(c_weft_event_wait(event), 'weft_event_wait', stat)
  end subroutine

  subroutine weft_event_wait_until(event, deadline_ns, stat)
    type(weft_event), intent(inout) :: event
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_event_wait_until(event, deadline_ns), 'weft_event_wait_until', stat)
  end subroutine

  subroutine weft_event_set(event, stat)
    type(weft_event), intent(inout) :: event
    integer, intent(out), optional :: stat
    call settle(c_weft_event_set(event), 'weft_event_set', stat)
  end subroutine

  subroutine weft_event_reset(event, stat)
    type(weft_event), intent(inout) :: event
    integer, intent(out), optional :: stat
    call settle(c_weft_event_reset(event), 'weft_event_reset', stat)
  end subroutine

  subroutine weft_latch_count_down(latch, count, stat)
    type(weft_event), intent(inout) :: latch
    integer, intent(in) :: count
    integer, intent(out), optional :: stat
    call settle(c_weft_latch_count_down(latch, int(count, c_int32_t)), &
                'weft_latch_count_down', stat)
  end subroutine

  ! ---- full/empty bits: the calls that have the arguments of C's

  subroutine weft_feb_read_fe(word, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_read_fe(word, out), 'weft_feb_read_fe', stat)
  end subroutine

  subroutine weft_feb_read_ff(word, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_read_ff(word, out), 'weft_feb_read_ff', stat)
  end subroutine

  subroutine weft_feb_write_ef(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_write_ef(word, value), 'weft_feb_write_ef', stat)
  end subroutine

  subroutine weft_feb_write_ff(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_write_ff(word, value), 'weft_feb_write_ff', stat)
  end subroutine

  subroutine weft_feb_write_f(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_write_f(word, value), 'weft_feb_write_f', stat)
  end subroutine

  subroutine weft_feb_read_xx(word, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_read_xx(word, out), 'weft_feb_read_xx', stat)
  end subroutine

  subroutine weft_feb_read_fe_until(word, deadline_ns, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: deadline_ns
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_read_fe_until(word, deadline_ns, out), 'weft_feb_read_fe_until', stat)
  end subroutine

  subroutine weft_feb_read_ff_until(word, deadline_ns, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: deadline_ns
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_read_ff_until(word, deadline_ns, out), 'weft_feb_read_ff_until', stat)
  end subroutine

  subroutine weft_feb_write_ef_until(word, value, deadline_ns, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_write_ef_until(word, value, deadline_ns), &
                'weft_feb_write_ef_until', stat)
  end subroutine

  subroutine weft_feb_write_ff_until(word, value, deadline_ns, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer(c_int64_t), intent(in) :: deadline_ns
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_write_ff_until(word, value, deadline_ns), &
                'weft_feb_write_ff_until', stat)
  end subroutine

  subroutine weft_feb_try_read_fe(word, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_try_read_fe(word, out), 'weft_feb_try_read_fe', stat)
  end subroutine

  subroutine weft_feb_try_read_ff(word, out, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(inout), optional :: out
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_try_read_ff(word, out), 'weft_feb_try_read_ff', stat)
  end subroutine

  subroutine weft_feb_try_write_ef(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_try_write_ef(word, value), 'weft_feb_try_write_ef', stat)
  end subroutine

  subroutine weft_feb_try_write_ff(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_try_write_ff(word, value), 'weft_feb_try_write_ff', stat)
  end subroutine

  subroutine weft_feb_fill(word, stat)
    integer(c_int64_t), intent(inout) :: word
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_fill(word), 'weft_feb_fill', stat)
  end subroutine

  subroutine weft_feb_empty(word, stat)
    integer(c_int64_t), intent(inout) :: word
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_empty(word), 'weft_feb_empty', stat)
  end subroutine

  subroutine weft_feb_purge(word, stat)
    integer(c_int64_t), intent(inout) :: word
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_purge(word), 'weft_feb_purge', stat)
  end subroutine

  subroutine weft_feb_purge_to(word, value, stat)
    integer(c_int64_t), intent(inout) :: word
    integer(c_int64_t), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_feb_purge_to(word, value), 'weft_feb_purge_to', stat)
  end subroutine

  ! ---- keys: the calls that have the arguments of C's

  subroutine weft_key_delete(key, stat)
    type(weft_key), intent(in) :: key
    integer, intent(out), optional :: stat
    call settle(c_weft_key_delete(key), 'weft_key_delete', stat)
  end subroutine

  subroutine weft_key_set(key, value, stat)
    type(weft_key), intent(in) :: key
    type(c_ptr), intent(in) :: value
    integer, intent(out), optional :: stat
    call settle(c_weft_key_set(key, value), 'weft_key_set', stat)
  end subroutine

end module
