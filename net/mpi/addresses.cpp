// What ranks that another launcher starts need before their stacks may move: equal addresses of
// code and libraries. The kernel places them alike in all processes that ask it not to choose at
// random.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "net/mpi/ranks.hpp"

namespace weft::net {
namespace {

constexpr char again[] = "WEFT_LAUNCH_AGAIN";  // of a process that has become the program once more
constexpr std::size_t most_argument_bytes = 2 << 20;

// The words of /proc/self/cmdline, in memory that stays until exec(2). Null: there are none.
char** read_arguments() {
  auto* const text = static_cast<char*>(malloc(most_argument_bytes));
  const int descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (text == nullptr || descriptor < 0) return nullptr;
  std::size_t length = 0, count = 0;
  for (ssize_t got = 1; got > 0 && length < most_argument_bytes; length += static_cast<std::size_t>(got)) {
    got = read(descriptor, text + length, most_argument_bytes - length);
    if (got < 0) return nullptr;
  }
  close(descriptor);
  for (std::size_t at = 0; at < length; ++at) count += text[at] == '\0';
  auto** const words = static_cast<char**>(calloc(count + 1, sizeof(char*)));
  if (words == nullptr || length == most_argument_bytes) return nullptr;
  count = 0;
  for (char* at = text; at < text + length; at += strlen(at) + 1) words[count++] = at;
  return words;
}

}  // namespace

void fix_addresses() {
  if (getenv(again) != nullptr) {
    (void)unsetenv(again);
    return;
  }
  const int now = personality(0xffffffff);
  if (now == -1 || (now & ADDR_NO_RANDOMIZE) != 0) return;
  char file[4096];
  const ssize_t length = readlink("/proc/self/exe", file, sizeof file - 1);
  char** const words = read_arguments();
  if (length <= 0 || words == nullptr) return;
  file[length] = '\0';
  if (personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) == -1) return;  // the fingerprints tell
  (void)setenv(again, "1", 1);
  execv(file, words);
  (void)unsetenv(again);
}

}  // namespace weft::net
