// boost::fibers::stack_allocator_wrapper, and initialize_thread, which takes one.
#pragma once  // SPDX-License-Identifier: BSD-3-Clause

#include <weft/detail/cxx20.hpp>

#include <concepts>
#include <memory>
#include <utility>

#include <weft/boost/detail/scheduling.hpp>
#include <weft/detail/context_stack.hpp>

namespace boost {
namespace fibers {

// An allocator of stacks whose class is not known. Moves, and does not copy.
class stack_allocator_wrapper {
 public:
  // Of an allocator that is moved here. Throws what that throws, and std::bad_alloc.
  template <weft::detail::any_stack Allocator>
    requires(!std::same_as<Allocator, stack_allocator_wrapper>)
  explicit stack_allocator_wrapper(Allocator allocator) : inside_(std::make_unique<of<Allocator>>(std::move(allocator))) {}

  // Memory for a stack, by the allocator.
  weft::context::stack_context allocate() { return inside_->allocate(); }
  // Gives memory back to the allocator.
  void deallocate(weft::context::stack_context& memory) { inside_->deallocate(memory); }

 private:
  struct any {
    virtual ~any() = default;
    virtual weft::context::stack_context allocate() = 0;
    virtual void deallocate(weft::context::stack_context& memory) = 0;
  };
  template <class Allocator>
  struct of final : any {
    explicit of(Allocator&& from) : allocator(std::move(from)) {}
    weft::context::stack_context allocate() override { return allocator.allocate(); }
    void deallocate(weft::context::stack_context& memory) override { allocator.deallocate(memory); }
    Allocator allocator;
  };
  std::unique_ptr<any> inside_;
};

// Makes an allocator of these arguments, and wraps it. Throws what that throws, and std::bad_alloc.
template <class Allocator, class... As>
stack_allocator_wrapper make_stack_allocator_wrapper(As&&... arguments) {
  return stack_allocator_wrapper(Allocator(std::forward<As>(arguments)...));
}

// Gives the calling OS thread an algorithm, as use_scheduling_algorithm does. Boost takes the stack
// of its dispatcher from the wrapper; Weft's has a stack of Weft's. Returns false, and changes
// nothing, if the OS thread has an algorithm of the program's. Throws what use_scheduling_algorithm
// throws.
inline bool initialize_thread(algo::algorithm::ptr_t algorithm, stack_allocator_wrapper&& stacks) {
  static_cast<void>(stacks);
  if (weft::fibers::detail::order_here() != nullptr) return false;
  weft::detail::order_by_algorithm::install(std::move(algorithm));
  return true;
}

}  // namespace fibers
}  // namespace boost
