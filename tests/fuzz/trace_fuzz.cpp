// Fuzzing of what reads traces in the weft command: a trace that was damaged is read, or refused by
// a line; whatever was read can be walked. A failure names the seed that repeats it.
//
// usage: trace_fuzz INPUTS [SEED]
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "damaged_text.hpp"
#include "trace_file.hpp"

namespace {

using weft::test::damaged_text;
using weft::test::texts;

const texts traces = {
    R"({"traceEvents":[{"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"worker 0"}},)"
    R"({"ph":"M","name":"thread_name","pid":2,"tid":7,"args":{"name":"x","function":"f","label":"l"}},)"
    R"({"ph":"X","cat":"turn","name":"f","pid":1,"tid":0,"ts":1.5,"dur":2.25,"args":{"thread":7,"why":"create","left":"end","by":3,"since":0.5}},)"
    R"({"ph":"X","cat":"fork","name":"g","pid":2,"tid":7,"ts":2,"dur":1,"args":{"thread":7,"since":1}},)"
    R"({"ph":"i","cat":"join","name":"join","pid":2,"tid":7,"ts":3,"args":{"thread":7,"by":0}},)"
    R"({"ph":"i","cat":"note","name":"n","pid":1,"tid":0,"ts":3,"args":{"value":9}}],)"
    R"("otherData":{"ended":"finalize","lost":0}})",
    R"({"traceEvents":[]})",
    R"({"traceEvents":[{"ph":"X","cat":"turn","name":"f","pid":1,"tid":1023,"ts":0,"dur":0,"args":{"thread":1,"why":"wake","left":"park","stolen":true}}]})",
};
const texts words = {"{",    "}",     "[",  "]",      ",",        ":",       "\"",       "null",
                     "true", "1e308", "-1", "\"ph\"", "\"args\"", "\"ts\":", "\"tid\":", "\\u0000"};

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  const std::uint64_t inputs = std::strtoull(arguments[1], nullptr, 10);
  std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  std::uint64_t read = 0;
  for (std::uint64_t made = 0; made < inputs; ++made, ++seed) {
    damaged_text by(seed);
    std::istringstream from(by.of(traces, words));
    try {
      const cli::trace trace = cli::read_trace(from);
      ++read;
      for (const cli::traced_turn& each : trace.turns) {
        if (each.end < each.begin || each.worker >= 1024 || trace.name_of(each.thread).empty())
          throw std::logic_error("a turn out of bounds");
      }
    } catch (const cli::trace_error& refusal) {
      if (*refusal.what() != '\0') continue;
      std::fprintf(stderr, "trace_fuzz: a refusal without words; again: trace_fuzz 1 %llu\n",
                   static_cast<unsigned long long>(seed));
      return 1;
    } catch (const std::exception& other) {
      std::fprintf(stderr, "trace_fuzz: %s; again: trace_fuzz 1 %llu\n", other.what(), static_cast<unsigned long long>(seed));
      return 1;
    }
  }
  std::printf("figure: fuzzed traces = %llu\n", static_cast<unsigned long long>(inputs));
  return read == 0 ? 1 : 0;
}
