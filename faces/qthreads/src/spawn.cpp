// qthread_spawn, and the functions that are qthread_spawn with some arguments fixed.
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "children.hpp"
#include "feb.hpp"
#include "precondition.hpp"
#include "task.hpp"
#include "team.hpp"

namespace weft::qthreads {

namespace {

struct order {
  qthread_f function;
  const void* argument;
  std::size_t bytes;  // of a copy of the argument; 0: no copy
  void* ret;
  qthread_shepherd_id_t shepherd;
  unsigned features;
  bool is_counted = false;  // by the task that makes it: family.hpp
};

bool is_aligned(const void* word) { return (reinterpret_cast<std::uintptr_t>(word) & (sizeof(aligned_t) - 1)) == 0; }

std::uint16_t flags_of(unsigned features) {
  std::uint16_t flags = 0;
  if (features == 0) [[likely]]
    return flags;
  if ((features & QTHREAD_SPAWN_SIMPLE) != 0) {
    flags |= is_simple;
    has_simple_tasks.store(true, base::relaxed);  // before the task can run
  }
  if ((features & QTHREAD_SPAWN_RET_SYNCVAR_T) != 0) flags |= returns_syncvar;
  if ((features & (QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID)) != 0) flags |= returns_sinc;
  if ((features & QTHREAD_SPAWN_RET_SINC_VOID) != 0) flags |= returns_nothing;
  return flags;
}

// The unit of an argument that is not copied, or that fits into the unit.
weft_thread* make_unit(const order& what, weft_pool* home, bool is_joined) {
  weft_thread* unit = nullptr;
  if (what.bytes == 0)
    return weft_ext_thread_make_in(home, run_bottom, is_joined ? 0u : unsigned{WEFT_MAKE_DETACHED}, &unit) == WEFT_OK ? unit
                                                                                                                      : nullptr;
  weft_thread_attr attr = WEFT_THREAD_ATTR_INIT;
  attr.detached = true;
  attr.pool = home;
  return weft_ext_thread_make_copy(run_bottom, what.argument, what.bytes, &attr, false, &unit) == WEFT_OK ? unit : nullptr;
}

// A larger one: the task frees the copy.
struct large_argument {
  qthread_f function;
  alignas(16) unsigned char bytes[];
};

aligned_t run_large(void* argument) {
  auto* const mine = static_cast<large_argument*>(argument);
  const aligned_t value = mine->function(mine->bytes);
  std::free(mine);
  return value;
}

bool copy_large(order* what) {
  if (what->bytes > PTRDIFF_MAX) return false;  // the sum below would overflow
  auto* const copy = static_cast<large_argument*>(std::malloc(sizeof(large_argument) + what->bytes));
  if (copy == nullptr) return false;
  copy->function = what->function;
  std::memcpy(copy->bytes, what->argument, what->bytes);
  what->function = run_large;
  what->argument = copy;
  what->bytes = 0;
  return true;
}

// Before the task can run: a reader that comes later waits for its end.
bool empty_return_word(const order& what, task* maker) {
  if (what.ret == nullptr || (what.features & (QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID)) != 0) return true;
  if ((what.features & QTHREAD_SPAWN_RET_SYNCVAR_T) != 0)
    return weft_syncvar_empty(static_cast<weft_syncvar*>(what.ret)) == WEFT_OK;
  note_empty_word(maker, what.ret);
  return weft_feb_empty(static_cast<aligned_t*>(what.ret)) == WEFT_OK;
}

// Of a task that was not made after all: no reader waits for it.
void fill_return_word(const order& what) {
  if (what.ret == nullptr || (what.features & (QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID)) != 0) return;
  if ((what.features & QTHREAD_SPAWN_RET_SYNCVAR_T) != 0) {
    static_cast<void>(weft_syncvar_fill(static_cast<weft_syncvar*>(what.ret)));
  } else {
    static_cast<void>(weft_feb_fill(static_cast<aligned_t*>(what.ret)));
  }
}

// Null: no memory. The unit is in no pool yet.
weft_thread* make_task(runtime* all, const order& what, weft_pool* home, task* maker, bool is_joined) {
  weft_thread* const unit = make_unit(what, home, is_joined);
  if (unit == nullptr) return nullptr;
  task* const one = task_of(unit);
  one->function = what.function;
  one->argument = const_cast<void*>(what.argument);
  one->ret = what.ret;
  one->home = home;
  one->flags = flags_of(what.features);
  const bool may_have_team =
      (what.features & (QTHREAD_SPAWN_NEW_TEAM | QTHREAD_SPAWN_NEW_SUBTEAM)) != 0 || (maker != nullptr && maker->in != nullptr);
  if (may_have_team && !join_team(all, maker, one, what.features)) {
    weft_ext_thread_discard(unit);
    return nullptr;
  }
  return unit;
}

bool may_be_noted(const order& what) {
  constexpr unsigned without_word = QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID;
  return what.ret != nullptr && what.bytes == 0 && what.shepherd == NO_SHEPHERD && (what.features & without_word) == 0;
}

[[gnu::noinline]] int spawn_any(order what, std::size_t count, void** words) {
  runtime* const all = current_runtime();
  if (all == nullptr) return QTHREAD_NOT_ALLOWED;
  if (what.function == nullptr || !is_aligned(what.ret)) return QTHREAD_BADARGS;
  for (std::size_t i = 0; i < count; ++i)
    if (words[i] == nullptr || !is_aligned(words[i])) return QTHREAD_BADARGS;
  const bool is_large = what.bytes > WEFT_COPY_MAX;
  if (is_large && !copy_large(&what)) return QTHREAD_MALLOC_ERROR;
  weft_pool* const home =
      what.shepherd == NO_SHEPHERD ? choose_open_pool(all) : staying_pool(all, what.shepherd % all->shepherd_count);
  task* const maker = self();
  const int here = worker_here(all);
  const bool is_noted = here >= 0 && count == 0 && may_be_noted(what);
  weft_thread* const unit = make_task(all, what, home, maker, is_noted);
  const auto give_up = [&] {
    if (unit != nullptr) {
      leave_team(task_of(unit));
      weft_ext_thread_discard(unit);
    }
    if (is_large) std::free(const_cast<void*>(what.argument));
    return QTHREAD_MALLOC_ERROR;
  };
  if (unit == nullptr || !empty_return_word(what, maker)) return give_up();
  if (count != 0) {
    if (start_when_full(unit, home, count, words, what.features)) return QTHREAD_SUCCESS;
    fill_return_word(what);
    return give_up();
  }
  if (is_noted) all->workers[here].made->add(what.ret, unit, home);
  if (what.is_counted && maker != nullptr) add_to_family(maker, task_of(unit));
  make_ready(unit, home);
  return QTHREAD_SUCCESS;
}

// ---- the short way: with the scheduler weft, a task that may run anywhere, at once ----

constexpr unsigned features_of_short_way =
    QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID | QTHREAD_SPAWN_SIMPLE | QTHREAD_SPAWN_NETWORK;

bool is_short(const runtime* all, const order& what, const task* maker) {
  return !all->has_pools() && what.shepherd == NO_SHEPHERD && what.bytes <= task::copy_bytes &&
         (what.features & ~features_of_short_way) == 0 && (maker == nullptr || maker->in == nullptr);
}

[[gnu::always_inline]] inline void lay_out(task* one, const order& what) {
  one->function = what.function;
  one->argument = const_cast<void*>(what.argument);
  one->ret = what.ret;
  unsigned flags = unsigned{flags_of(what.features)} | is_cleaned;
  if (what.bytes != 0) {
    std::memcpy(one->copy, what.argument, what.bytes);
    one->argument = one->copy;
    flags |= uses_more;
  }
  one->flags = static_cast<std::uint16_t>(flags);
}

[[gnu::noinline]] int discard(weft_thread* unit) {
  task_of(unit)->clean();
  weft_ext_thread_discard(unit);
  return QTHREAD_MALLOC_ERROR;
}

[[gnu::always_inline]] inline int spawn_shortly(runtime* all, const order& what, task* maker) {
  constexpr unsigned without_word = QTHREAD_SPAWN_RET_SINC | QTHREAD_SPAWN_RET_SINC_VOID;
  const bool has_word = what.ret != nullptr && (what.features & without_word) == 0;
  const int here = has_word ? worker_here(all) : -1;
  weft_thread* unit = nullptr;
  const unsigned kind = here >= 0 ? unsigned{WEFT_MAKE_CLEANED} : WEFT_MAKE_CLEANED | WEFT_MAKE_DETACHED;
  if (weft_ext_thread_make_in(nullptr, run_bottom, kind, &unit) != WEFT_OK) return QTHREAD_MALLOC_ERROR;
  lay_out(task_of(unit), what);
  if (has_word) {
    note_empty_word(maker, what.ret);
    if (weft_feb_empty(static_cast<aligned_t*>(what.ret)) != WEFT_OK) return discard(unit);
    if (here >= 0) all->workers[here].made->add(what.ret, unit, nullptr);
  }
  if (what.is_counted && maker != nullptr) add_to_family(maker, task_of(unit));
  static_cast<void>(weft_ext_thread_start(unit));
  return QTHREAD_SUCCESS;
}

[[gnu::always_inline]] inline int spawn(const order& what) {
  runtime* const all = current_runtime();
  if (all == nullptr || what.function == nullptr || !is_aligned(what.ret)) [[unlikely]]
    return spawn_any(what, 0, nullptr);
  task* const maker = self();
  return is_short(all, what, maker) ? spawn_shortly(all, what, maker) : spawn_any(what, 0, nullptr);
}

}  // namespace

weft_thread* start_joined_task(qthread_f function, const void* argument, unsigned features, bool is_offered) {
  weft_thread* unit = nullptr;
  if (weft_ext_thread_make_in(nullptr, run_bottom, WEFT_MAKE_CLEANED, &unit) != WEFT_OK) return nullptr;
  lay_out(task_of(unit), {function, argument, 0, nullptr, NO_SHEPHERD, features});
  static_cast<void>(is_offered ? weft_ext_thread_offer(unit) : weft_ext_thread_start(unit));
  return unit;
}

}  // namespace weft::qthreads

using namespace weft::qthreads;

namespace {

// The words of a call with npreconds of them, or with an array of -npreconds.
class words_of {
 public:
  words_of(int count, std::va_list* further) : count_(static_cast<std::size_t>(count < 0 ? -std::int64_t{count} : count)) {
    if (count < 0) {
      words_ = va_arg(*further, void**);
      return;
    }
    if (count_ > few) made_ = words_ = static_cast<void**>(std::malloc(count_ * sizeof(void*)));
    for (std::size_t i = 0; words_ != nullptr && i < count_; ++i) words_[i] = va_arg(*further, void*);
  }
  ~words_of() { std::free(made_); }
  words_of(const words_of&) = delete;
  words_of& operator=(const words_of&) = delete;

  int spawn(const order& what) const {
    return words_ == nullptr ? QTHREAD_MALLOC_ERROR : count_ == 0 ? weft::qthreads::spawn(what) : spawn_any(what, count_, words_);
  }

 private:
  static constexpr std::size_t few = 16;

  std::size_t count_;
  void* in_place_[few];
  void** words_ = in_place_;
  void** made_ = nullptr;
};

constexpr unsigned no_features = 0;

}  // namespace

extern "C" {

int qthread_spawn(qthread_f f, void const* arg, size_t arg_size, void* ret, size_t npreconds, void* preconds,
                  qthread_shepherd_id_t target_shep, unsigned int feature_flag) {
  if (npreconds == 0) return spawn({f, arg, arg_size, ret, target_shep, feature_flag});
  void** const all = static_cast<void**>(preconds);
  if (all == nullptr || reinterpret_cast<std::uintptr_t>(all[0]) != npreconds) return QTHREAD_BADARGS;
  const int result = spawn_any({f, arg, arg_size, ret, target_shep, feature_flag}, npreconds, all + 1);
  if (result == QTHREAD_SUCCESS) std::free(preconds);
  return result;
}

int qthread_fork(qthread_f f, void const* arg, aligned_t* ret) { return spawn({f, arg, 0, ret, NO_SHEPHERD, no_features}); }

int qthread_fork_net(qthread_f f, void const* arg, aligned_t* ret) {
  return spawn({f, arg, 0, ret, NO_SHEPHERD, QTHREAD_SPAWN_NETWORK});
}

int qthread_fork_to(qthread_f f, void const* arg, aligned_t* ret, qthread_shepherd_id_t shepherd) {
  return spawn({f, arg, 0, ret, shepherd, no_features});
}

int qthread_fork_syncvar(qthread_f f, void const* arg, syncvar_t* ret) {
  return spawn({f, arg, 0, ret, NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T});
}

int qthread_fork_syncvar_to(qthread_f f, void const* arg, syncvar_t* ret, qthread_shepherd_id_t shepherd) {
  return spawn({f, arg, 0, ret, shepherd, QTHREAD_SPAWN_RET_SYNCVAR_T});
}

int qthread_fork_copyargs(qthread_f f, void const* arg, size_t arg_size, aligned_t* ret) {
  return spawn({f, arg, arg_size, ret, NO_SHEPHERD, no_features, ret == nullptr && arg_size != 0});
}

int qthread_fork_copyargs_to(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret,
                             qthread_shepherd_id_t preferred_shep) {
  return spawn({f, arg, arg_size, ret, preferred_shep, no_features, ret == nullptr && arg_size != 0});
}

int qthread_fork_syncvar_copyargs(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret) {
  return spawn({f, arg, arg_size, ret, NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T});
}

int qthread_fork_syncvar_copyargs_simple(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret) {
  return spawn({f, arg, arg_size, ret, NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T | QTHREAD_SPAWN_SIMPLE});
}

int qthread_fork_precond(qthread_f f, void const* arg, aligned_t* ret, int npreconds, ...) {
  std::va_list further;
  va_start(further, npreconds);
  const int result = words_of(npreconds, &further).spawn({f, arg, 0, ret, NO_SHEPHERD, no_features});
  va_end(further);
  return result;
}

int qthread_fork_precond_to(qthread_f f, void const* arg, aligned_t* ret, qthread_shepherd_id_t shepherd, int npreconds, ...) {
  std::va_list further;
  va_start(further, npreconds);
  const int result = words_of(npreconds, &further).spawn({f, arg, 0, ret, shepherd, no_features});
  va_end(further);
  return result;
}

int qthread_fork_precond_simple(qthread_f f, void const* arg, aligned_t* ret, int npreconds, ...) {
  std::va_list further;
  va_start(further, npreconds);
  const int result = words_of(npreconds, &further).spawn({f, arg, 0, ret, NO_SHEPHERD, QTHREAD_SPAWN_SIMPLE});
  va_end(further);
  return result;
}

int qthread_fork_copyargs_precond(qthread_f f, void const* arg, size_t arg_size, syncvar_t* ret, int npreconds, ...) {
  std::va_list further;
  va_start(further, npreconds);
  const int result = words_of(npreconds, &further).spawn({f, arg, arg_size, ret, NO_SHEPHERD, QTHREAD_SPAWN_RET_SYNCVAR_T});
  va_end(further);
  return result;
}
}
