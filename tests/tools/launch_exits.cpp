// A rank that ends as its words say: by WAY, with STATUS, on all ranks or on the one of ONLY. Tests
// of what a job of such ranks says and returns (launch_exits_test.py).
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <weft/dist.hpp>

namespace {

int status = 0;
bool tells_end = false;  // a call of the library, in what runs at the end

void tell(const char* what) {
  if (tells_end) std::fprintf(stderr, "%s %d of %d\n", what, weft::dist::rank(), weft::dist::ranks());
}

struct at_end {
  ~at_end() { tell("destructor"); }
} of_the_program;

void* exit_in_os_thread(void*) { std::exit(status); }

void end_in_os_thread() {
  pthread_t other;
  if (pthread_create(&other, nullptr, exit_in_os_thread, nullptr) == 0) (void)pthread_join(other, nullptr);
}

// 0 to 2, of this rank: what the library has opened for itself is none of them.
int are_descriptors_others() {
  for (int each = 0; each <= STDERR_FILENO; ++each) {
    char target[256] = "";
    const std::string link = "/proc/self/fd/" + std::to_string(each);
    if (readlink(link.c_str(), target, sizeof target - 1) <= 0) return EXIT_FAILURE;
    for (const char* own : {"memfd:", "socket:", "anon_inode:"}) {
      if (std::strstr(target, own) != nullptr) return EXIT_FAILURE;
    }
  }
  return weft::dist::root([] { return EXIT_SUCCESS; });
}

int end(const char* way) {
  if (std::strcmp(way, "return") == 0) return status;
  if (std::strcmp(way, "exit") == 0) std::exit(status);
  if (std::strcmp(way, "thread") == 0) end_in_os_thread();
  if (std::strcmp(way, "root_thread") == 0) {
    weft::dist::root([] {});
    end_in_os_thread();
  }
  if (std::strcmp(way, "root") == 0) {
    weft::dist::root([] {});
    return status;
  }
  if (std::strcmp(way, "quick") == 0) std::quick_exit(status);
  if (std::strcmp(way, "signal") == 0) std::raise(status);
  if (std::strcmp(way, "descriptors") == 0) return are_descriptors_others();
  if (std::strcmp(way, "at_once") == 0) _exit(status);
  if (std::strcmp(way, "wait") == 0) {
    constexpr std::string_view line = "waits\n";  // at once: an MPI may have made stdout unbuffered
    if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return EXIT_FAILURE;
    while (true) pause();
  }
  return EXIT_FAILURE;
}

}  // namespace

// WAY STATUS [only RANK | tell]
int main(int count, char** words) {
  if (count == 1) return 0;  // without a call of the library
  status = std::atoi(words[2]);
  tells_end = count == 4;
  if (tells_end) std::atexit([] { tell("handler"); });
  if (count == 5 && weft::dist::rank() != std::atoi(words[4])) {
    weft::dist::root([] {});
    return 0;
  }
  return end(words[1]);
}
