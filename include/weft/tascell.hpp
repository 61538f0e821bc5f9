// Tascell for C++: tasks that cost nearly nothing until another worker asks for one (tascell.h says
// how). Link weft::tascell.
//
//   long fib(weft::tascell::context c, int n) {
//     if (n < 2) return n;
//     long a, b;
//     weft::tascell::do_two(c, [&](auto c) { a = fib(c, n - 1); },
//                              [&](auto c) { b = fib(c, n - 2); });
//     return a + b;
//   }
//   weft::runtime runtime;
//   const long f = weft::tascell::run([](auto c) { return fib(c, 40); });
//
// Where calls are as short as here, a base case in an inline function of its own is worth a quarter
// of the time: compilers do not split functions with exceptions. Nor do they inline such a function
// into itself, as they do with plain recursion; one level that the program unfolds is worth another
// quarter. A make and a take that name what they need cost less than the short form, for which all
// that second uses lies in memory.
//
// A task takes a part of the work away while the rest goes on, so it must not read what the rest
// changes. Where both work in one workspace, the task gets a copy: do_two and do_many take two more
// functions, make and take, that make the task and take its results (the papers' put and get), and
// what is changed in between is undone and redone by wind.
//
// An exception that leaves a construct cancels the tasks that the construct gave, waits for them,
// undoes winds and destroys objects on its way. An exception of a task is thrown again where its
// giver joins it; until then the giver is cancelled up to there.
//
// A cancelled task is unwound by an exception that is no std::exception: catch (...) must throw it
// again.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <weft/tascell.h>
#include <weft/detail/tascell_parts.hpp>
#include <weft/error.hpp>

namespace weft::tascell {

// The exception that throw_tag throws.
class thrown : public std::exception {
 public:
  // Makes the exception that throw_tag(tag) throws.
  explicit thrown(std::int64_t tag) noexcept : tag_(tag) {}
  // Returns the tag that was thrown.
  std::int64_t tag() const noexcept { return tag_; }
  // Returns a static string.
  const char* what() const noexcept override { return "weft::tascell::throw_tag"; }

 private:
  std::int64_t tag_;
};

class context;

namespace detail {

[[noreturn, gnu::cold]] inline void raise(const weft_tascell_unwinding& how) {
  if (how.reason == WEFT_TASCELL_CANCELLED) throw cancelled{how};
  if (how.foreign == nullptr) throw thrown(how.tag);
  auto* const carried = static_cast<foreign*>(how.foreign);
  const std::exception_ptr what = std::move(carried->what);
  delete carried;
  std::rethrow_exception(what);
}

// Calls function. Returns true if an exception left it; *how then describes the exception.
template <class Function>
[[gnu::always_inline]] inline bool ends_by_exception(Function&& function, weft_tascell_unwinding* how) {
  try {
    function();
    return false;
  } catch (const cancelled& exception) {
    *how = exception.how;
  } catch (const thrown& exception) {
    *how = {WEFT_TASCELL_THREW, exception.tag(), nullptr, nullptr};
  } catch (...) {
    *how = {WEFT_TASCELL_THREW, WEFT_TASCELL_FOREIGN, nullptr, make_foreign(std::current_exception())};
  }
  return true;
}

[[gnu::cold, gnu::noinline]] inline void attend(weft_tascell_worker* worker, weft_tascell_record* newest) {
  weft_tascell_unwinding how;
  if (weft_tascell_attend_in_frames(worker, newest, &how)) raise(how);
}

}  // namespace detail

// The position of a worker function: its worker and its newest record. Every worker function takes
// a context by value, and passes on the context that it was given.
class context {
 public:
  // Makes a context of the first two parameters of a worker function in C.
  context(weft_tascell_worker* worker, weft_tascell_record* newest) noexcept : worker_(worker), newest_(newest) {}

  // Returns the worker, for functions of tascell.h.
  weft_tascell_worker* worker() const noexcept { return worker_; }
  // Returns the newest record, for functions of tascell.h.
  weft_tascell_record* newest() const noexcept { return newest_; }
  // Returns the worker's index in its run.
  unsigned index() const noexcept { return worker_->index; }
  // Polls: gives work to other workers if they have requested it. Call it in long stretches without
  // a construct. Throws what cancels the task. May switch. Callable from a worker function.
  [[gnu::always_inline]] void poll() const {
    if (__builtin_expect(__atomic_load_n(&worker_->attention, __ATOMIC_RELAXED) != 0, 0)) detail::attend(worker_, newest_);
  }
  // Sets the probability with which the worker accepts requests from now on
  // (weft_tascell_set_probability). Never throws. Never switches. Callable from a worker function.
  void set_probability(double probability) const { weft_tascell_set_probability(worker_, probability); }

 private:
  weft_tascell_worker* worker_;
  weft_tascell_record* newest_;
};

// Packs or unpacks a task's members, so that the task can run on another node. If the run ships
// every task, tasks on the same node are packed, too. A task type is transferable if it has void
// in(archive&) and void out(archive&), or templates of these names. Each of the two calls its
// argument with the members.
class archive {
 public:
  // Makes an archive that writes to bytes, or reads from bytes.
  archive(weft_tascell_bytes* bytes, bool writes) noexcept : bytes_(bytes), writes_(writes) {}

  // Writes or reads the members, which are trivially copyable objects and vectors of such. Throws
  // std::bad_alloc (a vector that is read). Never switches. Callable from in and out of a task.
  template <class... Members>
  void operator()(Members&... members) {
    (carry(members), ...);
  }
  // Tells whether every read or write so far has succeeded.
  bool is_good() const noexcept { return is_good_; }

 private:
  void bytes_of(void* data, std::size_t size) {
    is_good_ = is_good_ && (writes_ ? weft_tascell_write(bytes_, data, size) : weft_tascell_read(bytes_, data, size));
  }
  template <class Member>
  void carry(Member& member) {
    static_assert(std::is_trivially_copyable_v<Member>, "in and out carry trivially copyable members and vectors of them");
    bytes_of(&member, sizeof member);
  }
  template <class Element>
  void carry(std::vector<Element>& member) {
    static_assert(std::is_trivially_copyable_v<Element>, "in and out carry trivially copyable members and vectors of them");
    std::size_t count = member.size();
    bytes_of(&count, sizeof count);
    if (!is_good_) return;
    if (!writes_) member.resize(count);
    bytes_of(member.data(), count * sizeof(Element));
  }

  weft_tascell_bytes* bytes_;
  bool writes_;
  bool is_good_ = true;
};

// Runs function as the body of a worker function that C calls. An exception that leaves function
// continues as an unwinding of the C frames. Objects with destructors must be local to function:
// the unwinding does not destroy those of the caller. Never throws. May switch. Callable from a
// worker function.
template <class Function>
void enter(context c, Function&& function) {
  weft_tascell_unwinding how;
  if (detail::ends_by_exception(function, &how)) weft_tascell_unwind(c.worker(), c.newest(), &how);
}

// Calls a worker function of C. An unwinding that leaves the function continues as an exception.
// Throws what function throws. May switch. Callable from a worker function.
template <class Result, class... Parameters, class... Arguments>
[[gnu::noinline]] Result call(context c, Result (*function)(weft_tascell_worker*, weft_tascell_record*, Parameters...),
                              Arguments... arguments) {
  weft_tascell_bridge bridge;
  bridge.record = {c.newest(), &weft_tascell_bridge_operations};
  if (setjmp(bridge.buffer) == 0) return function(c.worker(), &bridge.record, arguments...);
  detail::raise(bridge.unwinding);
}

namespace detail {

// A task object whose part for the user is a Task.
template <class Task>
struct box {
  weft_tascell_task header;
  bool is_made;  // the bytes hold a Task
  alignas(Task) unsigned char bytes[sizeof(Task)];

  static box* of(weft_tascell_task* task) { return reinterpret_cast<box*>(task); }
  static const box* of(const weft_tascell_task* task) { return reinterpret_cast<const box*>(task); }
  Task& value() { return *std::launder(reinterpret_cast<Task*>(bytes)); }

  static void run(weft_tascell_task* task, weft_tascell_worker* worker, weft_tascell_record* up) {
    const context c(worker, up);
    enter(c, [task, c] { of(task)->value().run(c); });
  }
  static void destroy(weft_tascell_task* task) {
    if (of(task)->is_made) of(task)->value().~Task();
  }
  // False: an exception, which stands for no memory.
  template <class Function>
  static bool succeeds(Function&& function) {
    try {
      return function();
    } catch (...) {
      return false;
    }
  }
  static bool pack_in(const weft_tascell_task* task, weft_tascell_bytes* bytes) {
    return succeeds([=] {
      archive to(bytes, true);
      const_cast<box*>(of(task))->value().in(to);
      return to.is_good();
    });
  }
  static bool unpack_in(weft_tascell_task* task, weft_tascell_bytes* bytes) {
    return succeeds([=] {
      new (of(task)->bytes) Task();
      of(task)->is_made = true;
      archive from(bytes, false);
      of(task)->value().in(from);
      return from.is_good();
    });
  }
  static bool pack_out(const weft_tascell_task* task, weft_tascell_bytes* bytes) {
    return succeeds([=] {
      archive to(bytes, true);
      const_cast<box*>(of(task))->value().out(to);
      return to.is_good();
    });
  }
  static bool unpack_out(weft_tascell_task* task, weft_tascell_bytes* bytes) {
    return succeeds([=] {
      archive from(bytes, false);
      of(task)->value().out(from);
      return from.is_good();
    });
  }
};

template <class Task>
constexpr weft_tascell_kind make_kind() {
  using type = box<Task>;
  weft_tascell_kind kind = {"a C++ task", sizeof(type), alignof(type), {},   type::run, nullptr, nullptr,
                            nullptr,      nullptr,      type::destroy, false};
  if constexpr (std::is_default_constructible_v<Task> && requires(Task& task, archive& by) {
                  task.in(by);
                  task.out(by);
                }) {
    kind.pack_in = type::pack_in;
    kind.unpack_in = type::unpack_in;
    kind.pack_out = type::pack_out;
    kind.unpack_out = type::unpack_out;
  }
  return kind;
}

template <class Task>
inline constexpr weft_tascell_kind kind_of = make_kind<Task>();

// A task made of what make(arguments...) returns; null without memory.
template <class Make, class... Arguments>
weft_tascell_task* box_up(weft_tascell_worker* worker, Make& make, Arguments... arguments) {
  using made = std::remove_cvref_t<std::invoke_result_t<Make&, Arguments...>>;
  if constexpr (kind_of<made>.pack_in != nullptr) static_cast<void>(&registered<kind_of<made>>);
  weft_tascell_task* const task = weft_tascell_task_make(worker, &kind_of<made>);
  if (task == nullptr) return nullptr;
  try {
    new (box<made>::of(task)->bytes) made(make(arguments...));
    box<made>::of(task)->is_made = true;
    return task;
  } catch (...) {
    weft_tascell_task_free(task);
    return nullptr;
  }
}

// Calls part, which works under a choice point; an exception abandons what the choice point gave.
template <class Part>
[[gnu::always_inline]] inline void under(context outer, weft_tascell_choice* choice, Part&& part) {
  weft_tascell_unwinding how;
  if (__builtin_expect(ends_by_exception(part, &how), 0)) {
    weft_tascell_abandon(outer.worker(), choice, &how);
    raise(how);
  }
}

// Joins the newest task that was given, and calls take with it.
template <class Task, class Take>
void join(weft_tascell_worker* worker, weft_tascell_choice* choice, Take& take) {
  struct joined {
    weft_tascell_task* task = nullptr;
    ~joined() { weft_tascell_task_free(task); }
  } one;
  weft_tascell_unwinding how;
  if (weft_tascell_join_in_frames(worker, choice, &one.task, &how)) raise(how);
  take(box<Task>::of(one.task)->value());
}

// A function in a record. A small one is copied: what the construct itself calls then need not lie
// in memory.
template <class Function>
class kept {
 public:
  explicit kept(Function& function) : function_(from(function)) {}
  Function& get() {
    if constexpr (is_copied)
      return function_;
    else
      return *function_;
  }

 private:
  static constexpr bool is_copied = std::is_trivially_copyable_v<Function> && sizeof(Function) <= 4 * sizeof(void*);
  using member = std::conditional_t<is_copied, Function, Function*>;
  static member from(Function& function) {
    if constexpr (is_copied)
      return function;
    else
      return &function;
  }

  member function_;
};

// Stands for a guard where there is none.
struct no_guard {};

// The operation of a choice point's guard; null: it has none.
template <class Choice, class Guard>
constexpr auto guard_of() -> double (*)(weft_tascell_record*, weft_tascell_worker*) {
  if constexpr (std::is_same_v<std::remove_const_t<Guard>, no_guard>)
    return nullptr;
  else
    return [](weft_tascell_record* record, weft_tascell_worker*) -> double {
      return reinterpret_cast<Choice*>(record)->guard.get()();
    };
}

template <class Make, class Guard>
struct two {
  weft_tascell_choice choice;
  kept<Make> make;
  [[no_unique_address]] kept<Guard> guard;

  two(Make& its, Guard& its_guard) : make(its), guard(its_guard) {}

  static weft_tascell_task* divide(weft_tascell_record* record, weft_tascell_worker* worker) {
    auto* const self = reinterpret_cast<two*>(record);
    return self->choice.given != nullptr ? nullptr : box_up(worker, self->make.get());
  }
  static constexpr weft_tascell_operations operations = {WEFT_TASCELL_CHOICE,
                                                         {},
                                                         nullptr,
                                                         nullptr,
                                                         divide,
                                                         guard_of<two, Guard>(),
                                                         nullptr,
                                                         &kind_of<std::remove_cvref_t<std::invoke_result_t<Make&>>>,
                                                         nullptr};
};

template <class Make, class Guard>
struct many {
  weft_tascell_choice choice;
  std::int64_t index, end;
  kept<Make> make;
  [[no_unique_address]] kept<Guard> guard;

  many(Make& its, Guard& its_guard) : make(its), guard(its_guard) {}

  static weft_tascell_task* divide(weft_tascell_record* record, weft_tascell_worker* worker) {
    auto* const self = reinterpret_cast<many*>(record);
    const std::int64_t from = weft_tascell_middle(self->index, self->end);
    if (from >= self->end) return nullptr;
    weft_tascell_task* const task = box_up(worker, self->make.get(), from, self->end);
    if (task != nullptr) self->end = from;
    return task;
  }
  static constexpr weft_tascell_operations operations = {
      WEFT_TASCELL_CHOICE,
      {},
      nullptr,
      nullptr,
      divide,
      guard_of<many, Guard>(),
      nullptr,
      &kind_of<std::remove_cvref_t<std::invoke_result_t<Make&, std::int64_t, std::int64_t>>>,
      nullptr};
};

template <class Redo, class Undo>
struct winding {
  weft_tascell_wind wind;
  kept<Redo> redo;
  kept<Undo> undo;

  winding(Redo& its_redo, Undo& its_undo) : redo(its_redo), undo(its_undo) {}
  static void undo_it(weft_tascell_record* record, weft_tascell_worker*) { reinterpret_cast<winding*>(record)->undo.get()(); }
  static void redo_it(weft_tascell_record* record, weft_tascell_worker*) { reinterpret_cast<winding*>(record)->redo.get()(); }
  static constexpr weft_tascell_operations operations = {WEFT_TASCELL_WIND, {},      undo_it, redo_it, nullptr,
                                                         nullptr,           nullptr, nullptr, nullptr};
};

// Tasks of the short forms: they run the construct's own function in the giver's frame.
template <class Function>
struct borrowed {
  Function* function;
  void run(context c) { (*function)(c); }
};

template <class Body>
struct borrowed_range {
  Body* body;
  std::int64_t from, to;
  void run(context c) { do_many(c, from, to, *body); }
};

}  // namespace detail

// Runs first and then second. If another worker requests work while first runs, it receives second.
//
// first and second are called with a context. make() returns a task: an object with void
// run(context), which works on a copy of what it needs. If the task was given away, take(task&) is
// called after first, instead of second. guard(), if there is one, returns the probability with
// which a request is refused; it is for parts that are too small to give away. make, take and guard
// must not poll or switch, and guard must not throw. Throws what first, second, take and the task
// throw. May switch. Callable from a worker function.
template <class First, class Second, class Make, class Take, class Guard = const detail::no_guard>
[[gnu::always_inline]] inline void do_two(context c, First&& first, Second&& second, Make&& make, Take&& take,
                                          Guard&& guard = {}) {
  using maker = std::remove_reference_t<Make>;
  using guarding = std::remove_reference_t<Guard>;
  using task = std::remove_cvref_t<std::invoke_result_t<maker&>>;
  detail::two<maker, guarding> record(make, guard);
  weft_tascell_choice_begin(&record.choice, c.newest(), &record.operations);
  bool was_given = false;
  detail::under(c, &record.choice, [&] {
    const context inner(c.worker(), &record.choice.record);
    inner.poll();
    first(inner);
    was_given = record.choice.given != nullptr;
    if (was_given) detail::join<task>(c.worker(), &record.choice, take);
  });
  if (!was_given) second(c);
}

// Runs first and then second. If another worker requests work while first runs, it runs second
// itself, in the caller's frame. second must not use what first changes. Throws what first and
// second throw. May switch. Callable from a worker function.
template <class First, class Second>
[[gnu::always_inline]] inline void do_two(context c, First&& first, Second&& second) {
  using task = detail::borrowed<std::remove_reference_t<Second>>;
  do_two(c, first, second, [&] { return task{&second}; }, [](task&) {});
}

// Calls body(i, context) for each i from begin up to end. If another worker requests work
// meanwhile, it receives the later half of the iterations that have not begun.
//
// make(from, to) returns a task for the iterations from `from` up to `to`, as for do_two.
// take(task&) takes the results of a task. take is called first for the task that was given last,
// which has the earliest iterations. guard is that of do_two. make, take and guard must not poll or
// switch. Throws what body, take and the tasks throw. May switch. Callable from a worker function.
template <class Body, class Make, class Take, class Guard = const detail::no_guard>
[[gnu::always_inline]] inline void do_many(context c, std::int64_t begin, std::int64_t end, Body&& body, Make&& make, Take&& take,
                                           Guard&& guard = {}) {
  using maker = std::remove_reference_t<Make>;
  using guarding = std::remove_reference_t<Guard>;
  using task = std::remove_cvref_t<std::invoke_result_t<maker&, std::int64_t, std::int64_t>>;
  detail::many<maker, guarding> record(make, guard);
  weft_tascell_choice_begin(&record.choice, c.newest(), &record.operations);
  record.end = end;
  detail::under(c, &record.choice, [&] {
    const context inner(c.worker(), &record.choice.record);
    for (std::int64_t i = begin; i < record.end; ++i) {
      record.index = i;
      inner.poll();
      body(i, inner);
    }
    while (record.choice.given != nullptr) detail::join<task>(c.worker(), &record.choice, take);
  });
}

// Calls body(i, context) for each i from begin up to end. If another worker requests work
// meanwhile, it runs a part of the iterations itself, in the caller's frame. Iterations must not
// use what others change. Throws what body throws. May switch. Callable from a worker function.
template <class Body>
[[gnu::always_inline]] inline void do_many(context c, std::int64_t begin, std::int64_t end, Body&& body) {
  using task = detail::borrowed_range<std::remove_reference_t<Body>>;
  do_many(c, begin, end, body, [&](std::int64_t from, std::int64_t to) { return task{&body, from, to}; }, [](task&) {});
}

// Calls redo(), then body(context), then undo().
//
// While body runs, the worker calls undo() and later redo() again whenever it walks back to an
// older construct. After the two calls, what they change must be as it was before. undo() is also
// called if body throws. redo and undo must not throw, poll or switch. Functions that capture by
// value are faster. Throws what body throws. May switch. Callable from a worker function.
template <class Redo, class Body, class Undo>
[[gnu::always_inline]] inline void wind(context c, Redo&& redo, Body&& body, Undo&& undo) {
  redo();
  detail::winding<std::remove_reference_t<Redo>, std::remove_reference_t<Undo>> record(redo, undo);
  weft_tascell_wind_begin(&record.wind, c.newest(), &record.operations);
  try {
    body(context(c.worker(), &record.wind.record));
  } catch (...) {
    undo();
    throw;
  }
  undo();
}

// Throws a tag to the innermost catch_tag for it. May switch. Callable from a worker function.
[[noreturn]] inline void throw_tag(std::int64_t tag) { throw thrown(tag); }

// Calls body(context), and catches a throw of tag that leaves body. Returns true if body returned,
// false if body threw the tag. Throws what else body throws. May switch. Callable from a worker
// function.
template <class Body>
bool catch_tag(context c, std::int64_t tag, Body&& body) {
  try {
    body(c);
    return true;
  } catch (const thrown& exception) {
    if (exception.tag() != tag) throw;
    return false;
  }
}

// How a run is started. A member that is 0 has the default of weft_tascell_options.
struct options {
  unsigned workers = 0;         // 0: one on each worker of Weft
  std::size_t stack_bytes = 0;  // of each
};

// Runs function(context) as the root task on all workers, and returns what function returns. Throws
// weft::error, and what function throws. May switch. Callable from any but tasklets, while the
// runtime runs.
template <class Function>
auto run(Function&& function, const options& how = {}) -> std::invoke_result_t<Function&, context>;

namespace detail {

template <class Function, class Result>
struct root {
  Function* function;
  std::optional<Result>* result;
  void run(context c) { result->emplace((*function)(c)); }
};

template <class Function>
struct root<Function, void> {
  Function* function;
  void run(context c) { (*function)(c); }
};

// Runs a root task, frees it, and throws what it threw.
template <class Root>
void run_root(Root root, const options& how) {
  auto make = [&root] { return root; };
  weft_tascell_task* const task = box_up(nullptr, make);
  if (task == nullptr) throw std::bad_alloc();
  weft_tascell_options c = WEFT_TASCELL_OPTIONS_INIT;
  c.workers = how.workers;
  c.stack_bytes = how.stack_bytes;
  const weft_status status = weft_tascell_run(task, &c);
  weft_tascell_unwinding end = {WEFT_TASCELL_RETURNED, 0, nullptr, task->foreign};
  end.reason = weft_tascell_task_reason(task, &end.tag);
  weft_tascell_task_free(task);
  weft::detail::check(status, "weft_tascell_run");
  if (end.reason != WEFT_TASCELL_RETURNED) raise(end);
}

}  // namespace detail

template <class Function>
auto run(Function&& function, const options& how) -> std::invoke_result_t<Function&, context> {
  using callee = std::remove_reference_t<Function>;
  using result = std::invoke_result_t<Function&, context>;
  if constexpr (std::is_void_v<result>) {
    detail::run_root(detail::root<callee, void>{&function}, how);
  } else {
    std::optional<result> out;
    detail::run_root(detail::root<callee, result>{&function, &out}, how);
    return std::move(*out);
  }
}

}  // namespace weft::tascell
