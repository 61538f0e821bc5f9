// What must be equal in all ranks before a stack may move from one to another, taken and compared
// at the start. Ranks that are forks of one launcher are equal by construction; ranks that another
// launcher starts are not. Called in each rank, while it has one OS thread.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "net/job.hpp"

namespace weft::net {

// Numbers are hashes, which are equal where the facts are.
struct fingerprint {
  std::uint64_t build = 0;    // the build ids of the program and its libraries, in their order
  std::uint64_t library = 0;  // the MPI that is loaded; 0: none
  std::uint64_t sizes = 0;    // of the region, the shared part and the words, and the request's `alike`
  std::uint64_t region_at = 0;
  std::uint64_t layout = 0;    // where the program, its libraries, the vDSO and thread-local storage lie
  std::uint64_t features = 0;  // of the processor, as the kernel tells all programs
  std::uint64_t flags = 0;     // of the processor, as /proc/cpuinfo lists them; 0: it cannot be read
  std::uint64_t canary = 0;    // of the stack protector, and the C library's pointer guard
  std::uint32_t page_bytes = 0;
  std::uint32_t has_shadow_stack = 0;
};

fingerprint take_fingerprint(const job& all);

// Of a library's description of itself.
std::uint64_t fingerprint_of(const char* text);

// Why a rank with `mine` may not take part in a job whose rank 0 has `first`, and the cure, as the
// end of "cannot start: "; null: it may.
const char* objection(const fingerprint& mine, const fingerprint& first);

// Called by all ranks: hands `mine` in, waits for the others, and compares with rank 0. The first
// rank that objects tells so in one line. Errors: unsupported.
status compare_fingerprints(const job& all, const fingerprint& mine);

// Of a file as /proc/self/status is one. Linux lists x86_Thread_features since version 6.6.
bool tells_shadow_stack(const char* status_file);

}  // namespace weft::net
