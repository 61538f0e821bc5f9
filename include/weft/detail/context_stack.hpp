// What the stacks of contexts are made of: weft::context's stack allocators, with Boost.Context's
// names, and the creation of a context whose function object lies on its own stack.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include <weft/context.h>
#include <weft/detail/caller.hpp>
#include <weft/detail/forced_unwind.hpp>
#include <weft/error.hpp>

namespace weft {
namespace context {

// Memory for a stack, as an allocator of the program's hands it out.
struct stack_context {
  std::size_t size{0};  // in bytes
  void* sp{nullptr};    // its high end
};

// Sizes of stacks, in bytes.
struct stack_traits {
  // Whether there is no limit but the address space: never.
  static bool is_unbounded() noexcept { return false; }
  // The size of a page of this system.
  static std::size_t page_size() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  // What a context gets that asks for nothing.
  static std::size_t default_size() noexcept { return std::size_t{1} << 17; }
  // The smallest stack that a context can have.
  static std::size_t minimum_size() noexcept { return WEFT_STACK_MIN; }
  // The largest stack that is recycled.
  static std::size_t maximum_size() noexcept { return std::size_t{1} << 30; }
};

// A stack of Weft's own: guarded, and recycled. All stacks of contexts are, so that Boost's three
// kinds are one.
class fixedsize_stack {
 public:
  // Whose sizes are used.
  using traits_type = stack_traits;

  // A stack of the runtime's default size.
  fixedsize_stack() noexcept = default;
  // A stack of bytes, at least WEFT_STACK_MIN.
  explicit fixedsize_stack(std::size_t bytes) noexcept : bytes_(bytes) {}

  // Its size; 0: the runtime's default.
  std::size_t stack_bytes() const noexcept { return bytes_; }

  // Memory for a stack that the program itself uses, with a guard page below: contexts and fibers
  // do not call this. Throws std::bad_alloc. Never switches; callable from any.
  stack_context allocate() const {
    const std::size_t page = traits_type::page_size();
    const std::size_t wanted = bytes_ != 0 ? bytes_ : traits_type::default_size();
    if (wanted > traits_type::maximum_size()) throw std::bad_alloc();
    const std::size_t size = (wanted + page - 1) / page * page;
    void* const low = mmap(nullptr, size + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (low == MAP_FAILED) throw std::bad_alloc();
    if (mprotect(static_cast<char*>(low) + page, size, PROT_READ | PROT_WRITE) != 0) {
      munmap(low, size + page);
      throw std::bad_alloc();
    }
    stack_context made;
    made.size = size;
    made.sp = static_cast<char*>(low) + page + size;
    return made;
  }
  // Gives back what allocate returned, on any OS thread. Never switches; callable from any.
  // Undefined: other memory.
  void deallocate(stack_context& memory) const noexcept {
    const std::size_t page = traits_type::page_size();
    munmap(static_cast<char*>(memory.sp) - memory.size - page, memory.size + page);
    memory = stack_context();
  }

 private:
  std::size_t bytes_ = 0;
};
using default_stack = fixedsize_stack;
using protected_fixedsize_stack = fixedsize_stack;

// Boost's stack that grows by segments, which Weft refuses: the compiler has to add code to every
// function for it, and a library that was compiled without that code runs out of the first segment.
// A program that makes one gets an error with the cure.
class segmented_stack {
 public:
  // Always an error.
  template <std::same_as<void> Never = void>
  segmented_stack(std::size_t bytes = 0) {
    static_cast<void>(bytes);
    static_assert(!std::same_as<Never, void>,
                  "weft has no segmented_stack: make a fixedsize_stack of the most bytes that may be needed, which takes memory "
                  "only where it is touched");
  }
  // As fixedsize_stack has it.
  static std::size_t stack_bytes() noexcept { return 0; }
};

// Boost's pool of stacks; Weft's stacks are recycled anyway, so that the numbers mean nothing.
class pooled_fixedsize_stack : public fixedsize_stack {
 public:
  using fixedsize_stack::fixedsize_stack;
  // A stack of bytes; next_size and max_size are Boost's.
  pooled_fixedsize_stack(std::size_t bytes, std::size_t next_size, std::size_t max_size = 0) noexcept : fixedsize_stack(bytes) {
    static_cast<void>(next_size);
    static_cast<void>(max_size);
  }
};

// The part of a stack of the program's that a context may use: what is above was taken by the
// program.
struct preallocated {
  void* sp;            // the high end of what is left
  std::size_t size;    // of what is left, in bytes
  stack_context sctx;  // the whole, which the allocator gets back
  // The part of all that ends at sp and has size bytes.
  preallocated(void* high_end, std::size_t bytes, stack_context all) noexcept : sp(high_end), size(bytes), sctx(all) {}
};

}  // namespace context

namespace detail {

// Weft's own stacks, of a size.
template <class A>
concept sized_stack = requires(const A& one) {
  { one.stack_bytes() } -> std::convertible_to<std::size_t>;
};

// An allocator of the program's, as Boost.Context wants it.
template <class A>
concept stack_allocator = requires(A& one, std::remove_cvref_t<decltype(one.allocate())>& memory) {
  one.deallocate(memory);
  one.allocate().sp;
  one.allocate().size;
};

template <class A>
concept any_stack = sized_stack<std::remove_cvref_t<A>> || stack_allocator<std::remove_cvref_t<A>>;

// The size of the stacks that it makes; 0: the default.
template <any_stack Stack>
std::size_t size_of_stack(Stack& stack) {
  if constexpr (sized_stack<std::remove_cvref_t<Stack>>) {
    return stack.stack_bytes();
  } else {
    auto memory = stack.allocate();
    const std::size_t bytes = memory.size;
    stack.deallocate(memory);
    return bytes;
  }
}

inline constexpr std::size_t room_alignment = alignof(std::max_align_t);

template <class T>
inline constexpr bool fits_in_room = sizeof(T) <= WEFT_CONTEXT_ROOM_MAX && alignof(T) <= room_alignment;

// What fits into a context's room in place of T: T itself, or where it lies on the heap.
template <class T>
class in_room {
 public:
  template <class... As>
  explicit in_room(As&&... arguments) : value_(std::forward<As>(arguments)...) {}
  T& operator*() noexcept { return value_; }

 private:
  T value_;
};
template <class T>
  requires(!fits_in_room<T>)
class in_room<T> {
 public:
  template <class... As>
  explicit in_room(As&&... arguments) : value_(std::make_unique<T>(std::forward<As>(arguments)...)) {}
  T& operator*() noexcept { return *value_; }

 private:
  std::unique_ptr<T> value_;
};

inline weft_status create_context(weft_context_function function, const weft_context_attr& attributes, weft_context** out,
                                  void** room) {
  const weft_status status = weft_context_create(function, &attributes, out, room);
  if (start_for_contexts == nullptr || (status != WEFT_NOT_INITIALIZED && status != WEFT_CANNOT_BLOCK)) [[likely]]
    return status;
  start_for_contexts();
  return weft_context_create(function, &attributes, out, room);
}

// A suspended context, and its room.
struct made_context {
  weft_context* handle;
  void* room;
};

// Destroys a context that has not started unless the program is done with making it.
class fresh_context {
 public:
  fresh_context(weft_context_function function, const weft_context_attr& attributes) {
    check(create_context(function, attributes, &handle_, &room_), "weft_context_create");
  }
  explicit fresh_context(const made_context& made) noexcept : handle_(made.handle), room_(made.room) {}
  fresh_context(const fresh_context&) = delete;
  fresh_context& operator=(const fresh_context&) = delete;
  ~fresh_context() { weft_context_destroy(handle_); }

  void* room() const noexcept { return room_; }
  made_context release() noexcept { return {std::exchange(handle_, nullptr), room_}; }

 private:
  weft_context* handle_ = nullptr;
  void* room_ = nullptr;
};

// The room of a context on memory of the program's: what the context runs, and what gets the memory
// back.
template <class Body, class Allocator, class Memory>
struct lent_room {
  Body body;
  Allocator allocator;
  Memory memory;

  static void give_back(void* room) {
    auto* const self = static_cast<lent_room*>(room);
    Allocator allocator(std::move(self->allocator));
    Memory memory = self->memory;
    self->allocator.~Allocator();
    allocator.deallocate(memory);
  }
};

// A suspended context that will run function(from, passed, room), where room begins with a Body
// made of arguments.
template <class Body, class... As>
made_context make_context(weft_context_function function, std::size_t stack_bytes, caller made_by, As&&... arguments) {
  weft_context_attr attributes = WEFT_CONTEXT_ATTR_INIT;
  attributes.stack_bytes = stack_bytes;
  attributes.room_bytes = sizeof(Body);
  attributes.made_at = made_by.place();
  fresh_context fresh(function, attributes);
  ::new (fresh.room()) Body(std::forward<As>(arguments)...);
  return fresh.release();
}

// As make_context, on a part of memory that the allocator gets back, whatever happens.
template <class Body, class Memory, class Allocator, class... As>
made_context make_context_on(weft_context_function function, void* high_end, std::size_t bytes, Memory memory,
                             Allocator allocator, caller made_by, As&&... arguments) {
  using whole = lent_room<Body, Allocator, Memory>;
  static_assert(sizeof(whole) <= WEFT_CONTEXT_ROOM_MAX, "the stack's allocator is too large");
  weft_context_attr attributes = WEFT_CONTEXT_ATTR_INIT;
  attributes.stack = static_cast<char*>(high_end) - bytes;
  attributes.stack_bytes = bytes;
  attributes.room_bytes = sizeof(whole);
  attributes.release = whole::give_back;
  attributes.made_at = made_by.place();
  weft_context* made = nullptr;
  void* room = nullptr;
  if (const weft_status status = create_context(function, attributes, &made, &room); status != WEFT_OK) {
    allocator.deallocate(memory);
    fail(status, "weft_context_create");
  }
  auto* const place = static_cast<whole*>(room);
  ::new (std::addressof(place->allocator)) Allocator(std::move(allocator));
  ::new (std::addressof(place->memory)) Memory(memory);
  fresh_context fresh(made_context{made, room});
  ::new (std::addressof(place->body)) Body(std::forward<As>(arguments)...);
  return fresh.release();
}

// make_context or make_context_on, as the kind of stack wants it.
template <class Body, any_stack Stack, class... As>
made_context make_context_with(weft_context_function function, Stack&& stack, caller made_by, As&&... arguments) {
  if constexpr (sized_stack<std::remove_cvref_t<Stack>>) {
    return make_context<Body>(function, stack.stack_bytes(), made_by, std::forward<As>(arguments)...);
  } else {
    std::decay_t<Stack> allocator(std::forward<Stack>(stack));
    auto memory = allocator.allocate();
    return make_context_on<Body>(function, memory.sp, memory.size, memory, std::move(allocator), made_by,
                                 std::forward<As>(arguments)...);
  }
}

}  // namespace detail
}  // namespace weft
