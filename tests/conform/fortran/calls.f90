! Every procedure of the module weft, in the way that it is meant for and in one that it refuses.
program calls
  use, intrinsic :: iso_c_binding ! first: gfortran 12 does not get c_ptr right by way of another module
  use captures
  implicit none
  integer :: stat
  call before_the_start()
  call weft_init(workers=2, stack_bytes=262144, wait_policy=weft_wait_hybrid, locality=weft_locality_steal)
  call check(weft_is_initialized() .and. weft_worker_count() == 2, 'two workers')
  call workers()
  call threads()
  call joins_of_many()
  call threads_that_meet()
  call mutexes()
  call other_locks()
  call events()
  call full_empty()
  call keys()
  call loops()
  call weft_finalize()
  call check(.not. weft_is_initialized() .and. weft_worker_count() == 0, 'the end')
  call outside_and_dropped()
  print '(a)', 'every call'
contains
  subroutine before_the_start()
    type(square), target :: task
    type(weft_thread) :: thread
    call weft_thread_create(task, thread, stat=stat)
    call expect(stat, weft_not_initialized, 'a thread before the start')
    call weft_init(workers=100000, stat=stat)
    call expect(stat, weft_invalid, 'a hundred thousand workers')
    call check(weft_status_text(weft_nomem) /= '' .and. weft_status_name(weft_ended) == 'WEFT_ENDED', 'texts')
    call check(weft_deadline_in(10) <= weft_deadline_in(1000000000_c_int64_t), 'deadlines')
    call check(weft_now_ns() <= weft_deadline_in(0) .and. weft_deadline_in(-1_c_int64_t) == weft_forever, 'time')
  end subroutine

  subroutine workers()
    integer :: added
    added = -7
    call weft_worker_add(added)
    call check(added == 2 .and. weft_worker_count() == 3, 'a worker more')
    call weft_worker_remove(added)
    call weft_worker_remove(added, stat=stat)
    call expect(stat, weft_invalid, 'a worker that is gone')
    call check(index(weft_last_error(), 'weft_worker_remove') == 1, 'the last error names the call')
  end subroutine

  subroutine threads()
    type(square), target :: one, many(100)
    type(weft_thread) :: thread, several(100), none
    integer(c_int64_t), target :: number
    integer :: i
    one%number = 7
    call weft_thread_create(one, thread, stack_bytes=65536, worker=weft_any_worker, name='one', keep_fp=.true.)
    call check(weft_thread_get_name(thread) == 'one' .and. weft_thread_id(thread) /= 0, 'a name and a number')
    call weft_thread_join(thread)
    call check(one%number == 49, 'what the thread stored')
    call weft_thread_join(thread, stat=stat)
    call expect(stat, weft_invalid, 'a second join')
    call check(weft_thread_id(none) == 0 .and. weft_thread_get_state(none) == weft_thread_ended, 'none')
    many = [(square(i), i = 1, 100)]
    do i = 1, 100
      call weft_thread_create(many(i), several(i), worker=weft_starting_worker)
    end do
    call weft_thread_join(several)
    call check(all(many%number == [(i * i, i = 1, 100)]), 'a hundred squares')
    number = 1
    call weft_thread_create(c_funloc(add_one), c_loc(number), thread, name='by a function', keep_fp=.false.)
    call weft_thread_join_until(thread, weft_forever)
    call weft_tasklet_create(c_funloc(add_one), c_loc(number), thread, worker=0, name='tasklet')
    do
      call weft_thread_try_join(thread, stat=stat)
      if (stat == weft_ok) exit
      call expect(stat, weft_busy, 'a thread that has not ended')
      call check(weft_thread_get_state(thread) >= weft_thread_ready, 'its state')
      call weft_yield()
    end do
    call check(number == 3, 'a thread and a tasklet by functions')
    call weft_thread_create(one, thread, stack_bytes=100, stat=stat)
    call expect(stat, weft_invalid, 'a stack of 100 bytes')
    call weft_tasklet_create(one, thread, worker=77, stat=stat)
    call expect(stat, weft_invalid, 'a worker that is not there')
    call weft_thread_create(c_null_funptr, c_null_ptr, thread, stat=stat)
    call expect(stat, weft_invalid, 'no function')
  end subroutine

  subroutine joins_of_many()
    type(square), target :: two(2)
    type(scene), target :: at
    type(step), target :: waiter
    type(weft_thread) :: several(4), none(0)
    two = [square(3), square(4)]
    waiter = step(3, at)
    call weft_thread_create(two(1), several(1)) ! several(2) stands for none
    call weft_thread_create(waiter, several(3))
    call weft_thread_create(two(2), several(4))
    call weft_thread_detach(several(3))
    call weft_thread_join(several, stat=stat)
    call expect(stat, weft_invalid, 'a join of threads of which one is detached')
    call check(index(weft_last_error(), 'weft_thread_join: ') == 1, 'the last error names the join')
    call check(all(two%number == [9, 16]), 'the others were joined')
    call check(weft_thread_id(several(1)) == 0 .and. weft_thread_id(several(4)) == 0, 'joined threads stand for none')
    call check(weft_thread_id(several(3)) /= 0, 'the detached one is as before')
    call weft_event_set(at%event)
    do while (at%state /= 3)
      call weft_sleep_ns(10000)
    end do
    several(3) = several(2)
    call weft_thread_join(several)
    call weft_thread_join(none)
  end subroutine

  subroutine threads_that_meet()
    type(scene), target :: at
    type(step), target :: one
    type(weft_thread) :: thread
    one = step(6, at)
    call weft_thread_create(one, thread)
    call weft_thread_join_until(thread, weft_deadline_in(0), stat=stat)
    call check(stat == weft_timeout, 'a deadline that has passed')
    call weft_event_wait(at%event)
    call weft_yield_to(thread, stat=stat)
    call check(stat == weft_ok .or. stat == weft_again, 'a yield to a thread')
    call weft_yield_or_wait(weft_deadline_in(1000000), stat=stat)
    call check(stat == weft_ok .or. stat == weft_timeout, 'a yield or a wait')
    call weft_resume(at%thread)
    call weft_thread_join(thread)
    call check(at%state == 6, 'it was resumed')
    one = step(7, at)
    call weft_tasklet_create(one, thread, name='seven')
    call weft_thread_join(thread)
    call check(at%state == 7, 'a tasklet')
    one = step(8, at)
    call weft_thread_create(one) ! detached
    do while (at%state /= 8)
      call weft_sleep_ns(10000)
    end do
    call weft_event_reset(at%event)
    one = step(3, at)
    call weft_thread_create(one, thread)
    call weft_thread_detach(thread)
    call weft_event_set(at%event)
    do while (at%state /= 3)
      call weft_sleep_ns(10000)
    end do
  end subroutine

  subroutine mutexes()
    type(weft_mutex), target :: mutex
    type(weft_mutex) :: recursive
    integer, target :: sum
    type(adder), target :: adders(50)
    type(weft_thread) :: several(50)
    integer :: i
    sum = 0
    do i = 1, 50
      adders(i) = adder(mutex, sum)
      call weft_thread_create(adders(i), several(i))
    end do
    call weft_thread_join(several)
    call check(sum == 50, 'fifty additions')
    call weft_mutex_try_lock(mutex)
    call weft_mutex_try_lock(mutex, stat=stat)
    call expect(stat, weft_busy, 'a mutex that is held')
    call weft_mutex_unlock(mutex)
    call weft_mutex_unlock(mutex, stat=stat)
    call expect(stat, weft_not_owner, 'a mutex that is free')
    recursive = weft_mutex_recursive_init
    call weft_mutex_lock(recursive)
    call weft_mutex_lock_until(recursive, weft_deadline_in(0))
    call weft_mutex_unlock(recursive)
    call weft_mutex_unlock(recursive)
  end subroutine

  subroutine other_locks()
    type(scene), target :: at
    type(step), target :: waiters(4)
    type(weft_thread) :: several(4)
    integer :: i
    waiters = [(step(1, at), i = 1, 4)]
    do i = 1, 4
      call weft_thread_create(waiters(i), several(i))
    end do
    call weft_mutex_lock(at%mutex)
    do while (at%waiting < 4)
      call weft_mutex_unlock(at%mutex)
      call weft_yield()
      call weft_mutex_lock(at%mutex)
    end do
    call check(weft_cond_has_waiters(at%cond), 'four wait')
    call weft_cond_wait_until(at%cond, at%mutex, weft_deadline_in(1), stat=stat)
    call expect(stat, weft_timeout, 'a condition without a signal')
    at%is_open = .true.
    call weft_mutex_unlock(at%mutex)
    call weft_cond_signal(at%cond)
    call weft_cond_broadcast(at%cond)
    call weft_thread_join(several)
    call weft_cond_wait(at%cond, at%mutex, stat=stat)
    call expect(stat, weft_not_owner, 'a wait without the mutex')
    call weft_rwlock_read_lock(at%lock)
    call weft_rwlock_try_read_lock(at%lock)
    call weft_rwlock_try_write_lock(at%lock, stat=stat)
    call expect(stat, weft_busy, 'a writer beside readers')
    call weft_rwlock_unlock(at%lock)
    call weft_rwlock_write_lock_until(at%lock, weft_deadline_in(1), stat=stat)
    call expect(stat, weft_timeout, 'a writer that waits')
    call weft_rwlock_unlock(at%lock)
    call weft_rwlock_write_lock(at%lock)
    call weft_rwlock_unlock(at%lock)
    call weft_rwlock_read_lock_until(at%lock, weft_forever)
    call weft_rwlock_unlock(at%lock)
    at%semaphore = weft_semaphore_init(2)
    call weft_semaphore_acquire(at%semaphore)
    call weft_semaphore_try_acquire(at%semaphore)
    call weft_semaphore_acquire_until(at%semaphore, weft_deadline_in(1), stat=stat)
    call expect(stat, weft_timeout, 'the third of two tokens')
    call weft_semaphore_release(at%semaphore, 3)
    call weft_semaphore_acquire_until(at%semaphore, weft_forever)
  end subroutine

  subroutine events()
    type(scene), target :: at
    type(step), target :: waiters(8)
    type(weft_thread) :: several(8)
    type(weft_event) :: latch
    integer :: i
    call weft_barrier_wait(at%barrier, stat=stat)
    call expect(stat, weft_invalid, 'a barrier that was never made')
    call weft_barrier_init(at%barrier, 0, stat=stat)
    call expect(stat, weft_invalid, 'a barrier for none')
    call weft_barrier_init(at%barrier, -1, stat=stat)
    call expect(stat, weft_invalid, 'a barrier for fewer than none')
    call check(index(weft_last_error(), 'weft_barrier_init: argument parties: at least 1') == 1, 'what is wrong with it')
    call weft_barrier_init(at%barrier, 8)
    waiters = [(step(2, at), i = 1, 8)]
    do i = 1, 8
      call weft_thread_create(waiters(i), several(i))
    end do
    call weft_thread_join(several)
    call check(at%lasts == 1, 'one is the last')
    latch = weft_latch_init(3)
    call weft_latch_count_down(latch, 2)
    call check(.not. weft_event_is_set(latch), 'one is left')
    call weft_event_wait_until(latch, weft_deadline_in(1), stat=stat)
    call expect(stat, weft_timeout, 'a latch with one left')
    call weft_latch_count_down(latch, 1)
    call weft_event_wait(latch)
    call weft_latch_count_down(latch, 1, stat=stat)
    call expect(stat, weft_invalid, 'a latch with none left')
    latch = weft_latch_init(0)
    call check(weft_event_is_set(latch), 'a latch of 0')
  end subroutine

  subroutine full_empty()
    type(scene), target :: at
    type(step), target :: reader
    type(weft_thread) :: thread
    integer(c_int64_t) :: word, got
    at%word = 1
    call weft_feb_empty(at%word)
    reader = step(4, at)
    call weft_thread_create(reader, thread)
    call weft_feb_write_ef(at%word, 42_c_int64_t)
    call weft_thread_join(thread)
    call check(at%got == 42 .and. .not. weft_feb_is_full(at%word), 'a word between two threads')
    call weft_feb_fill(at%word)
    word = 3
    got = 0
    call weft_feb_read_ff(word, got)
    call weft_feb_write_ff(word, got + 1)
    call weft_feb_try_read_ff(word, got)
    call check(got == 4, 'a full word')
    call weft_feb_write_ff_until(word, 5_c_int64_t, weft_forever)
    call weft_feb_try_write_ff(word, 6_c_int64_t)
    call weft_feb_try_write_ef(word, 7_c_int64_t, stat=stat)
    call expect(stat, weft_busy, 'a full word for a writer of empty ones')
    call weft_feb_write_ef_until(word, 7_c_int64_t, weft_deadline_in(1), stat=stat)
    call expect(stat, weft_timeout, 'a word that stays full')
    call weft_feb_read_ff_until(word, weft_forever, got)
    call check(got == 6, 'the last value')
    call weft_feb_read_fe_until(word, weft_forever) ! without a copy
    call weft_feb_try_read_fe(word, got, stat=stat)
    call expect(stat, weft_busy, 'an empty word')
    call check(got == 6, 'a result is as before after an error')
    call weft_feb_try_write_ef(word, 8_c_int64_t)
    call weft_feb_try_read_fe(word, got)
    call weft_feb_write_f(word, 9_c_int64_t)
    call weft_feb_read_xx(word, got)
    call check(got == 9, 'written whatever the state')
    call weft_feb_purge(word)
    call weft_feb_read_xx(word, got)
    call check(got == 0 .and. .not. weft_feb_is_full(word), 'purged')
    call weft_feb_purge_to(word, 10_c_int64_t)
    call weft_feb_fill(word)
    call weft_feb_read_fe(word, got)
    call check(got == 10, 'purged to a value')
    call weft_feb_fill(word)
  end subroutine

  subroutine keys()
    type(scene), target :: at
    type(step), target :: owner
    type(weft_thread) :: thread
    type(weft_key) :: plain
    integer, target :: value
    type(c_ptr) :: got
    call weft_key_create(at%key, c_funloc(destroy))
    owner = step(5, at)
    call weft_thread_create(owner, thread)
    call weft_thread_join(thread)
    call check(destroyed == 5, 'the destructor has run')
    call weft_key_create(plain)
    call weft_key_set(plain, c_loc(value))
    got = weft_key_get(plain)
    call check(c_associated(got, c_loc(value)), 'a value of main')
    call weft_key_delete(plain)
    call weft_key_delete(plain, stat=stat)
    call expect(stat, weft_invalid, 'a key that was deleted')
    call weft_key_delete(at%key)
  end subroutine

  subroutine loops()
    integer, target :: values(10000)
    integer(c_int64_t), target :: squares(1000)
    real(c_double), target :: numbers(5000)
    type(doubling) :: body
    type(sum_of_squares) :: sum
    type(largest) :: most
    real(c_double) :: result, again
    integer :: i
    values = [(i, i = 1, 10000)]
    body%values => values
    call weft_parallel_for(1, size(values), body)
    call weft_parallel_for(1_weft_index, 5000_weft_index, body, grain=7)
    call weft_parallel_for(5, 4, body) ! none, as in a DO loop
    call check(all(values == [(merge(4, 2, i <= 5000) * i, i = 1, 10000)]), 'a doubled array')
    call weft_parallel_for(1, 1000, c_funloc(fill_squares), c_loc(squares), grain=10)
    call weft_parallel_for(1_weft_index, 1000_weft_index, c_funloc(fill_squares), c_loc(squares))
    call check(all(squares == [(int(i, c_int64_t) ** 2, i = 1, 1000)]), 'squares by a function')
    call weft_parallel_for(1, 2, c_null_funptr, c_null_ptr, stat=stat)
    call expect(stat, weft_invalid, 'no body')
    result = -1
    call weft_parallel_reduce(1, 1000, sum, result)
    call check(result == 333833500d0, 'a sum of squares')
    call weft_parallel_reduce(1_weft_index, 1000_weft_index, sum, again, grain=3)
    call check(again == result, 'the same with a grain')
    call weft_parallel_reduce(1, 0, sum, result)
    call check(result == 0, 'a sum of none')
    numbers = [(mod(i * 7919, 5003) * 1d0, i = 1, 5000)]
    most%values => numbers
    most%identity = -huge(1d0)
    call weft_parallel_reduce(1, 5000, most, result, stat=stat)
    call check(stat == weft_ok .and. result == maxval(numbers), 'a largest number')
  end subroutine

  subroutine outside_and_dropped()
    type(scene), target :: at
    type(step), target :: waiter
    type(weft_thread) :: thread
    call weft_finalize(stat=stat)
    call expect(stat, weft_not_initialized, 'an end without a start')
    call weft_init(caller_outside=.true., bind=.false.)
    call check(weft_worker_self() == -1, 'outside')
    call weft_finalize_with(weft_drain)
    call weft_init(workers=1)
    waiter = step(9, at)
    call weft_thread_create(waiter, thread)
    call weft_yield()
    call weft_finalize_with(99, stat=stat)
    call expect(stat, weft_invalid, 'an end of no kind')
    call weft_finalize_with(weft_drop)
    call weft_thread_join(thread, stat=stat)
    call expect(stat, weft_ended, 'the join of a dropped thread')
  end subroutine
end program
