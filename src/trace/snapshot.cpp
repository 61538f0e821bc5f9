// See snapshot.hpp.
#include "trace/snapshot.hpp"

#include <new>

#include "os/vm.hpp"

namespace weft::trace {

namespace {

// False: no memory.
bool copy_ring(const ring& from, ring* to, std::uint64_t count) {
  const std::uint64_t used = count < from.capacity() ? count : from.capacity();
  if (used == 0) return true;
  auto* memory = static_cast<record*>(os::reserve(used * sizeof(record), os::page_bytes()));
  if (memory == nullptr) return false;
  from.copy(memory, count);
  to->become_copy(memory, from.capacity(), count);
  return true;
}

void stop_ring(ring* copy) {
  if (!copy->is_started()) return;
  const std::uint64_t used = ring::used(copy->written(), copy->capacity() * sizeof(record));
  os::release(copy->places(), used * sizeof(record));
}

}  // namespace

status take_snapshot(recorder** out, const recorder* of, std::uint64_t* until) {
  void* memory = os::reserve(sizeof(recorder), os::page_bytes());
  if (memory == nullptr) return status::nomem;
  auto* copy = new (memory) recorder{};
  copy->time = of->time;
  copy->path = of->path;
  copy->workers = of->workers;
  copy->process = of->process;
  copy->without_memory.store(of->without_memory.load(base::relaxed), base::relaxed);
  std::uint64_t counts[most_rings] = {};
  for (unsigned index = 0; index < most_rings; ++index) {
    if (const ring* each = ring_at(of, index); each != nullptr) counts[index] = each->count();
  }
  *until = of->time.stamp();
  for (unsigned index = 0; index < most_rings; ++index) {
    if (counts[index] == 0) continue;
    if (copy_ring(of->memory_of_rings[index], &copy->memory_of_rings[index], counts[index])) continue;
    free_snapshot(copy);
    return status::nomem;
  }
  for (unsigned index = 0; index < most_rings; ++index) {
    ring* const each = &copy->memory_of_rings[index];
    if (!each->is_started()) continue;
    each->leave_out(of->memory_of_rings[index].passed());
    copy->rings[index].store(each, base::relaxed);
  }
  *out = copy;
  return status::ok;
}

void free_snapshot(recorder* copy) {
  for (ring& each : copy->memory_of_rings) stop_ring(&each);
  os::release(copy, sizeof *copy);
}

}  // namespace weft::trace
