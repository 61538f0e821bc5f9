// See thread_state.hpp.
#include "os/thread_state.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/file.hpp"
#include "os/peek.hpp"
#include "os/system_call.hpp"

namespace weft::os {
namespace {

// glibc's and musl's pthread_mutex_t begins alike here: lock word, a count (glibc), owner.
constexpr std::size_t owner_offset = 8;

// stat: "tid (name) S ppid ..."; the name may hold anything, so fields are counted from the last
// parenthesis.
bool parse_stat(const char* text, thread_state* out) {
  const char* end = strrchr(text, ')');
  unsigned long user_ticks = 0;
  unsigned long system_ticks = 0;
  if (end == nullptr ||
      sscanf(end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu", &out->letter, &user_ticks, &system_ticks) != 3) {
    return false;
  }
  const long per_second = sysconf(_SC_CLK_TCK);
  if (per_second > 0) out->cpu_ms = (user_ticks + system_ticks) * 1000 / static_cast<unsigned long>(per_second);
  return true;
}

}  // namespace

void read_call(const char* line, thread_state* out) {
  long call = -1;
  unsigned long words[8];
  if (strcmp(line, "running") == 0) {
    out->place = kernel_place::none;
    return;
  }
  const int read = sscanf(line, "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &call, &words[0], &words[1], &words[2], &words[3],
                          &words[4], &words[5], &words[6], &words[7]);
  const int expected = call >= 0 ? 9 : 3;
  if (read != expected) return;
  out->place = call >= 0 ? kernel_place::call : kernel_place::no_call;
  out->stack_pointer = words[expected - 3];
  out->code = words[expected - 2];
  if (call < 0) return;
  out->call = call;
  out->first_argument = words[0];
  out->third_argument = words[2];
  out->waits_for_others = is_endless_futex_wait(call, words[1], words[3]);
}

bool read_thread_state(int thread_id, thread_state* out) {
  char text[512];
  thread_state read;
  if (!read_text(text, sizeof text, "/proc/self/task/%d/stat", thread_id) || !parse_stat(text, &read)) return false;
  // The kernel may refuse it.
  if (read_text(text, sizeof text, "/proc/self/task/%d/syscall", thread_id)) read_call(text, &read);
  *out = read;
  return true;
}

bool read_wait_channel(int thread_id, char* out, std::size_t capacity) {
  return read_text(out, capacity, "/proc/self/task/%d/wchan", thread_id) && out[0] != '\0' && strcmp(out, "0") != 0;
}

bool blocks_signal(int thread_id, int signal) {
  unsigned long blocked = 0;
  const auto read_mask = [](void* mask, const char* line) {
    if (strncmp(line, "SigBlk:", 7) == 0) *static_cast<unsigned long*>(mask) = strtoul(line + 7, nullptr, 16);
  };
  return walk_lines(read_mask, &blocked, "/proc/self/task/%d/status", thread_id) && (blocked >> (signal - 1) & 1) != 0;
}

bool read_waits(int thread_id, std::uint64_t* count) {
  struct {
    bool is_known = false;
    std::uint64_t count = 0;
  } found;
  const auto read_count = [](void* memory, const char* line) {
    constexpr char label[] = "voluntary_ctxt_switches:";
    if (strncmp(line, label, sizeof label - 1) != 0) return;
    auto* out = static_cast<decltype(found)*>(memory);
    *out = {true, strtoull(line + sizeof label - 1, nullptr, 10)};
  };
  if (!walk_lines(read_count, &found, "/proc/self/task/%d/status", thread_id)) return false;
  if (found.is_known) *count = found.count;
  return found.is_known;
}

std::uint64_t own_waits() {
  struct rusage used = {};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw);
}

int owner_of_pthread_mutex(std::uintptr_t word) {
  int owner = 0;
  return peek(reinterpret_cast<const void*>(word + owner_offset), &owner, sizeof owner) ? owner : 0;
}

}  // namespace weft::os
