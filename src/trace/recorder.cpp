// See recorder.hpp.
#include "trace/recorder.hpp"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include <new>

#include "base/assert.hpp"
#include "os/clock.hpp"
#include "os/file.hpp"
#include "os/vm.hpp"

namespace weft::trace {

status start_without_file(recorder** out, const char* path, std::size_t ring_bytes) {
  void* memory = os::reserve(sizeof(recorder), os::page_bytes());
  if (memory == nullptr) {
    base::report("error: WEFT_TRACE=%s: no memory for a trace; unset it, or free some", path);
    return status::nomem;
  }
  auto* all = new (memory) recorder{};
  all->path = path;
  all->ring_bytes = ring_bytes;
  all->process = getpid();
  all->time.start();
  all->is_on.store(true, base::relaxed);
  *out = all;
  return status::ok;
}

bool open_file(recorder* all) { return all->file.start(all->path); }

void describe_unopened(const recorder* all, char* text, std::size_t bytes) {
  (void)snprintf(text, bytes,
                 "error: WEFT_TRACE=%s: cannot be written (%s); name a file in a folder that exists and may be written",
                 all->path, os::why_not_opened(errno));
}

status start(recorder** out, const char* path, std::size_t ring_bytes) {
  recorder* all = nullptr;
  if (const status made = start_without_file(&all, path, ring_bytes); made != status::ok) return made;
  if (open_file(all)) {
    *out = all;
    return status::ok;
  }
  const status why = errno == ENOMEM ? status::nomem : status::invalid;
  char text[1000];
  describe_unopened(all, text, sizeof text);
  base::report("%s", text);
  os::release(all, sizeof *all);
  return why;
}

void stop(recorder* all) {
  for (ring& each : all->memory_of_rings) each.stop();
  all->file.stop();
  os::release(all, sizeof *all);
}

void stop_recording(recorder* all, bool others_run) {
  constexpr std::uint64_t others_finish_ns = 1'000'000;
  all->is_on.store(false, base::relaxed);
  if (others_run) os::sleep_until(os::now_ns() + others_finish_ns);
}

ring* make_ring(recorder* all, unsigned index) {
  ring* made = &all->memory_of_rings[index];
  if (!made->start(all->ring_bytes)) return nullptr;
  // [H3] release: publishes the ring's fields; pairs with [H4]
  all->rings[index].store(made, base::release);
  return made;
}

const ring* ring_at(const recorder* all, unsigned index) {
  // [H4] acquire: sees the ring's fields; pairs with [H3]
  return all->rings[index].load(base::acquire);
}

void put(recorder* all, unsigned index, const record& one) {
  if (!all->is_on.load(base::relaxed)) return;
  ring* into = all->rings[index].load(base::relaxed);
  if (into == nullptr) into = make_ring(all, index);
  if (into == nullptr) {
    all->without_memory.fetch_add(1, base::relaxed);
  } else {
    into->put(one);
  }
}

}  // namespace weft::trace
