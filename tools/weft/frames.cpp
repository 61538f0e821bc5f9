// weft frames: which functions of a program and its libraries have frames that a thread's stack, or
// the guard beneath it, is too small for. Nothing runs.
#include <weft/weft.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cxxabi.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/text.hpp"
#include "cli/usage.hpp"
#include "commands.hpp"
#include "elf_image.hpp"
#include "elf_notes.hpp"
#include "frame_sizes.hpp"
#include "launch_program.hpp"
#include "loaded_libraries.hpp"

namespace cli {

namespace {

struct order {
  std::vector<std::string> files;
  std::uint64_t stack = 0;
  std::uint64_t guard = 0;
  std::optional<std::uint64_t> at_least;
};

struct large_frame {
  std::uint64_t bytes;
  std::string function;
  std::string file;
};

struct findings {
  std::vector<large_frame> large;
  std::optional<large_frame> largest;  // of all
  std::vector<std::pair<std::string, std::uint64_t>> unknown;
  std::vector<std::string> without_tables;
  std::uint64_t functions = 0;
  std::size_t files = 0;
};

// The library falls back on its defaults where a variable is wrong, and says so on stderr.
void refuse_wrong_variable(const char* name, std::uint64_t in_force) {
  const char* const given = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing else runs
  if (given == nullptr || *given == '\0') return;
  std::string bytes = given;
  if (CLI::AsSizeValue(false)(bytes).empty() && bytes == std::to_string(in_force)) return;
  throw usage_error(fmt::format("{}={} cannot be used", name, given));
}

// Of the library, as the environment has it; `otherwise`: if that says nothing.
std::uint64_t setting(const char* name, std::uint64_t otherwise) {
  std::pair<std::string, std::string> asked(std::string("setting.") + name, "");
  auto const look = [](void* state, const char* key, const char* value) {
    auto& its = *static_cast<std::pair<std::string, std::string>*>(state);
    if (its.first == key) its.second = value;
  };
  weft_info_walk(look, &asked);
  std::string bytes = asked.second;
  CLI::AsSizeValue(false)(bytes);
  std::uint64_t const given = std::stoull(bytes);
  refuse_wrong_variable(name, given);
  return given != 0 ? given : otherwise;
}

std::string show_function(const elf_image& image, std::uint64_t address) {
  constexpr std::size_t most_letters = 60;
  std::string const name = image.function_at(address);
  if (name.empty()) return fmt::format("{:#x}, which has no name", address);
  int status = -1;
  std::unique_ptr<char, void (*)(void*)> const plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return shorten(status == 0 ? plain.get() : name, most_letters);
}

void read_file(const std::string& file, std::uint64_t at_least, findings& into) {
  elf_image const image(file);
  frame_sizes const sizes = read_frame_sizes(image);
  ++into.files;
  if (!sizes.has_tables) into.without_tables.push_back(file);
  if (sizes.unknown_count != 0) into.unknown.emplace_back(file, sizes.unknown_count);
  into.functions += sizes.function_count;
  for (const function_frame& each : sizes.known) {
    bool const is_largest = !into.largest || each.bytes > into.largest->bytes;
    if (each.bytes < at_least && !is_largest) break;
    large_frame const found{each.bytes, show_function(image, each.address), file};
    if (is_largest) into.largest = found;
    if (each.bytes >= at_least) into.large.push_back(found);
  }
}

// A program, and what the loader would load with it. The loader of another CPU does not run here.
std::vector<std::string> with_libraries(const std::string& file) {
  std::vector<std::string> all = {file};
  elf_facts const facts = read_elf(file);
  if (facts.loader.empty() || facts.machine != read_elf("/proc/self/exe").machine) return all;
  loaded_libraries const found = find_libraries(file, facts.loader);
  if (!found.problem.empty())
    throw std::runtime_error(fmt::format("the libraries of {} are not found: {}; set what its runs need, such as LD_LIBRARY_PATH",
                                         file, found.problem));
  all.insert(all.end(), found.files.begin(), found.files.end());
  return all;
}

std::string show_limits(const order& wanted, std::uint64_t bytes) {
  if (bytes > wanted.stack && bytes > wanted.guard) return "stack, guard";
  return bytes > wanted.stack ? "stack" : bytes > wanted.guard ? "guard" : "";
}

std::string show_table(const order& wanted, std::vector<large_frame> large) {
  std::ranges::stable_sort(large, std::ranges::greater{}, &large_frame::bytes);
  table rows({"frame", "larger than", "function", "file"});
  for (std::size_t const column : {1U, 2U, 3U}) rows.align_left(column);
  for (const large_frame& each : large)
    rows.add({fmt::format("{} B", show_count(each.bytes)), show_limits(wanted, each.bytes), each.function, each.file});
  return rows.show();
}

// What a reader may do about it.
std::string show_cures(const order& wanted, const std::vector<large_frame>& large) {
  std::string text;
  auto const exceeds = [&large](std::uint64_t limit) {
    return std::ranges::any_of(large, [limit](const large_frame& each) { return each.bytes > limit; });
  };
  if (exceeds(wanted.stack))
    text +=
        "Larger than the stack: a call in a thread overflows it. Make such a thread with a larger stack, or set "
        "WEFT_STACK_SIZE.\n";
  if (exceeds(wanted.guard))
    text +=
        "Larger than the guard: near the stack's end, a call may reach over the guard into other memory, and nothing tells. Set "
        "WEFT_GUARD_SIZE, or make the stack so large that the call never stands near its end.\n";
  return text;
}

std::string show_unknown(const findings& found) {
  std::string text;
  std::uint64_t all = 0;
  std::vector<std::string> parts;
  for (const auto& [file, count] : found.unknown) {
    all += count;
    parts.push_back(fmt::format("{} in {}", show_count(count), file));
  }
  if (all != 0)
    text += wrap(
        fmt::format("Not known: the whole frame of {} function{}, which the tables do not tell (a frame pointer, alloca): {}.",
                    show_count(all), all == 1 ? "" : "s", fmt::join(parts, ", ")),
        columns_for_people);
  if (!found.without_tables.empty())
    text += wrap(fmt::format("Not known: all frames of {}; no unwind tables are there.", fmt::join(found.without_tables, ", ")),
                 columns_for_people);
  return text;
}

std::string show(const order& wanted, std::uint64_t at_least, const findings& found) {
  std::string text = fmt::format("{} of {} functions in {} file{} have a frame of {} bytes or more (stack {}, guard {}).\n",
                                 show_count(found.large.size()), show_count(found.functions), found.files,
                                 found.files == 1 ? "" : "s", show_count(at_least), show_bytes(static_cast<double>(wanted.stack)),
                                 show_bytes(static_cast<double>(wanted.guard)));
  if (!found.large.empty()) text += "\n" + show_table(wanted, found.large) + "\n" + show_cures(wanted, found.large);
  if (found.large.empty() && found.largest)
    text += fmt::format("The largest has {} bytes: {}, in {}.\n", show_count(found.largest->bytes), found.largest->function,
                        found.largest->file);
  text += show_unknown(found);
  return text;
}

void print_frames(const order& wanted) {
  std::uint64_t const at_least = wanted.at_least.value_or(std::min(wanted.stack, wanted.guard) + 1);
  std::vector<std::string> files;
  for (const std::string& each : wanted.files) {
    for (std::string& file : with_libraries(each)) {
      if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
    }
  }
  findings found;
  for (const std::string& each : files) read_file(each, at_least, found);
  fmt::print("{}", show(wanted, at_least, found));
}

}  // namespace

void add_frames(CLI::App& app, int* status) {
  CLI::App* const command = app.add_subcommand(
      "frames", "List the functions of a program and its libraries whose frames are too large for a thread's stack");
  auto const wanted = std::make_shared<order>();
  CLI::AsSizeValue in_bytes(false);
  in_bytes.description("");
  auto const add_size = [command, &in_bytes](const char* name, auto& to, const char* text) {
    return command->add_option(name, to, text)->transform(in_bytes)->type_name("SIZE");
  };
  auto const within = [](std::uint64_t least) { return CLI::Range(least, std::uint64_t{1} << 30).description(""); };
  command
      ->add_option("PROGRAM", wanted->files,
                   "Programs, read with the libraries that they are linked with; or libraries, such as are loaded later")
      ->required();
  add_size("--stack", wanted->stack, "The stack of a thread, from 16K to 1G; otherwise what WEFT_STACK_SIZE says")
      ->check(within(std::uint64_t{16} << 10));
  add_size("--guard", wanted->guard, "The guard beneath it, from 4K to 1G; otherwise what WEFT_GUARD_SIZE says")
      ->check(within(std::uint64_t{4} << 10));
  add_size("--at-least", wanted->at_least,
           "List all frames of so many bytes, such as 32K; otherwise those larger than the stack or the guard");
  command->callback([wanted, status] {
    if (wanted->stack == 0) wanted->stack = setting("WEFT_STACK_SIZE", 0);
    if (wanted->guard == 0) wanted->guard = setting("WEFT_GUARD_SIZE", smallest_guard_bytes());
    print_frames(*wanted);
    *status = exit_right;
  });
}

}  // namespace cli
