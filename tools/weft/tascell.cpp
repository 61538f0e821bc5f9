// weft tascell: compiles a Tascell program.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/usage.hpp"
#include "commands.hpp"
#include "compiler/driver.hpp"

namespace cli {

namespace {

// Beside this program, as it was installed or as it was built.
tascell::installation find_installation() {
  std::error_code ignored;
  std::filesystem::path const program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::filesystem::path const prefix = program.parent_path().parent_path();
  if (std::filesystem::exists(prefix / "include/weft/tascell.h", ignored)) {
    return {(prefix / "include").string(), {(prefix / WEFT_LIBRARY_FOLDER).string()}};
  }
  std::string const built = WEFT_BUILD_FOLDER;
  return {WEFT_SOURCE_FOLDER "/include", {built + "/lang/runtime", built}};
}

std::string value_after(const std::vector<std::string>& words, size_t& at) {
  if (at + 1 >= words.size()) throw usage_error(words[at] + " wants a value behind it");
  return words[++at];
}

int levels_of(const std::string& text) {
  bool const is_number = text.size() == 1 && text[0] >= '0' && text[0] <= '8';
  if (!is_number) throw usage_error("--inline " + text + ": a number of levels from 0 to 8 is wanted");
  return text[0] - '0';
}

// The words behind the first that is not an option of this command.
void take_words(const std::vector<std::string>& words, tascell::order& into) {
  for (size_t i = 0; i < words.size(); i++) {
    const std::string& word = words[i];
    if (word == "-c") {
      into.only_compiles = true;
    } else if (word == "--emit-c") {
      into.emits_c = true;
    } else if (word == "-o") {
      into.out = value_after(words, i);
    } else if (word == "--inline") {
      into.inline_levels = levels_of(value_after(words, i));
    } else if (word.ends_with(".tc")) {
      if (!into.source.empty())
        throw usage_error("one program at a time: " + into.source + " or " + word + "; compile each with -c, and link them");
      into.source = word;
    } else {
      into.words.push_back(word);
    }
  }
  if (into.source.empty()) throw usage_error("tascell wants a program: weft tascell FILE.tc [-c] [-o OUT] [CC OPTIONS]");
}

}  // namespace

void add_tascell(CLI::App& app, int* status) {
  CLI::App* const command =
      app.add_subcommand("tascell", "Compile a Tascell program: weft tascell FILE.tc [-c] [-o OUT] [CC OPTIONS]");
  auto const order = std::make_shared<tascell::order>();
  auto const levels = std::make_shared<std::string>();
  command->add_flag("-c", order->only_compiles, "Compile to an object file, and do not link");
  command->add_option("-o", order->out, "The file to write");
  command->add_flag("--emit-c", order->emits_c, "Write the C text, and do not compile it");
  command->add_option(
      "--inline", *levels,
      "How deep small recursive worker functions are inlined into themselves, 0 to 8; by default 4 with -O2 and above");
  command->prefix_command();
  command->callback([command, order, levels, status] {
    if (!levels->empty()) order->inline_levels = levels_of(*levels);
    take_words(command->remaining(), *order);
    const char* const compiler = std::getenv("CC");  // NOLINT(concurrency-mt-unsafe): one OS thread
    order->c_compiler = compiler == nullptr ? "cc" : compiler;
    *status = tascell::carry_out(*order, find_installation());
  });
}

}  // namespace cli
