// The words at the beginning of a program's command line that are for the library.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "net/frames/note.hpp"
#include "node_options.hpp"

namespace weft::tascell_runtime {
namespace {

constexpr std::uint64_t longest_sleep_ns = 10000000000;

bool read_count(const char* option, const char* text, unsigned* out) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  *out = static_cast<unsigned>(number);
  if (*text >= '0' && *text <= '9' && *end == '\0' && number >= 1 && number <= most_workers) return true;
  std::fprintf(stderr, "weft: tascell: %s %s: want a number from 1 to %u\n", option, text, most_workers);
  return false;
}

bool read_sleep(const char* text, std::uint64_t* out) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  const std::uint64_t unit = std::strcmp(end, "us") == 0 ? 1000u : std::strcmp(end, "ms") == 0 ? 1000000u : 0;
  const bool is_good = *text >= '0' && *text <= '9' && unit != 0 && number != 0 && number <= longest_sleep_ns / unit;
  *out = is_good ? number * unit : 0;
  if (is_good) return true;
  std::fprintf(stderr, "weft: tascell: --idle-sleep %s: want a time from 1us, without pauses, to 10000ms, as in 100us or 1ms\n",
               text);
  return false;
}

}  // namespace

bool read_node_options(int* argc, char** argv, node_options* out) {
  int at = 1;
  bool is_good = true;
  while (is_good && at < *argc) {
    const char* const word = argv[at];
    const bool is_end = std::strcmp(word, "--") == 0;
    const char* const names[] = {"--server", "--key-file", "--transport", "--workers", "--nodes", "--idle-sleep"};
    unsigned which = 0;
    while (which < 6 && std::strcmp(word, names[which]) != 0) ++which;
    if (is_end && at > 1) ++at;  // it only ends words of the library
    if (std::strcmp(word, "--no-key") == 0) {
      out->is_keyless = true;
      ++at;
      continue;
    }
    if (which == 6) break;
    const char* const value = at + 1 < *argc ? argv[at + 1] : nullptr;
    if (value == nullptr) {
      std::fprintf(stderr, "weft: tascell: %s wants a value behind it\n", word);
      return false;
    }
    const char** const texts[] = {&out->server, &out->key_file, &out->transport};
    if (which < 3) *texts[which] = value;
    if (which == 3) is_good = read_count(word, value, &out->workers);
    if (which == 4) is_good = read_count(word, value, &out->nodes);
    if (which == 5) is_good = read_sleep(value, &out->idle_sleep_ns);
    at += 2;
  }
  const int taken = at - 1;
  for (int i = 1; taken != 0 && i + taken <= *argc; ++i) argv[i] = argv[i + taken];  // and the null behind them
  *argc -= taken;
  return is_good;
}

}  // namespace weft::tascell_runtime
