// See stander.hpp.
#include "life/stander.hpp"

#include <cstring>

#include "base/assert.hpp"
#include "base/config.hpp"
#include "os/thread.hpp"
#include "run/entering.hpp"
#include "run/left_behind.hpp"
#include "see/outlived.hpp"
#include "worker/context_record.hpp"
#include "worker/seam.hpp"

namespace weft::sched {

namespace {

void* carried_by(const worker* w, std::size_t* bytes) {
  if (w != nullptr) {
    *bytes = w->rt->carried_bytes;
    return w->carried;
  }
  void* (*const address)() = seam::carried_address();
  *bytes = seam::carried_bytes();
  return address != nullptr ? address() : nullptr;
}

}  // namespace

bool has_outlived(const mem::stack* stack) {
  const runtime* const rt = local::current_runtime();
  return rt == nullptr || stack->run != rt->number;
}

bool find_stander_outside(stander* out) {
  if (local::current_worker() != nullptr || is_left_behind()) return false;
  outside* const record = local::this_outside();
  if (record == nullptr) return false;
  *out = {&record->standing, reinterpret_cast<const unit*>(record), nullptr};
  return true;
}

void refuse_context_caller(const char* call) {
  refuse_if_left_behind(call);
  base::panic("%s: the caller is no thread: an OS thread outside, or a callback", call);
}

stander stander_outside_for(const mem::stack* stack, const char* call) {
  stander me{};
  if (!has_outlived(stack) || !find_stander_outside(&me)) refuse_context_caller(call);
  return me;
}

fiber::sanitizer::side side_of(const stander& me) {
  if constexpr (!fiber::sanitizer::is_there) return {};
  if (me.w != nullptr) return side_of(me.w);
  return *me.standing != nullptr ? fiber::sanitizer::of(*me.standing) : local::this_outside()->own_side;
}

void keep_side_of(const stander& me) {
  if (!fiber::sanitizer::is_there || me.w != nullptr || *me.standing != nullptr) return;
  void* low = nullptr;
  std::size_t bytes = 0;
  os::stack_bounds(&low, &bytes);
  local::this_outside()->own_side = fiber::sanitizer::of_os_thread(low, bytes);
}

bool is_something_carried(const worker* w) {
  if (w != nullptr) return carries(w);
  std::size_t bytes = 0;
  const auto* const carried = static_cast<const unsigned char*>(carried_by(w, &bytes));
  for (std::size_t at = 0; carried != nullptr && at < bytes; ++at) {
    if (carried[at] != 0) return true;
  }
  return false;
}

put_away::put_away(const worker* w) {
  if (!is_something_carried(w)) return;
  void* const carried = carried_by(w, &bytes_);
  std::memcpy(words_, carried, bytes_);
  std::memset(carried, 0, bytes_);
}

void put_away::put_back() const {
  if (bytes_ == 0) return;
  std::size_t bytes = 0;
  std::memcpy(carried_by(local::current_worker(), &bytes), words_, bytes_);
}

void release_outlived(mem::stack* stack) {
  const context_start start = *start_on(stack);
  if constexpr (config::checked) tell_outlived_context(start.made_at);
  fiber::sanitizer::forget(stack);
  mem::stack_depot::destroy_left(stack, seam::stack_memory());
  if (start.release != nullptr) start.release(start.room);
}

}  // namespace weft::sched
