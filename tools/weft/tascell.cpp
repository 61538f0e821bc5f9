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
  if (!std::filesystem::exists(WEFT_SOURCE_FOLDER "/include/weft/tascell.h", ignored)) {
    throw tascell::usage_problem("weft/tascell.h is not in " + (prefix / "include").string() +
                                 ": install the headers beside the command (Debian's package weft-tascell)");
  }
  return {WEFT_SOURCE_FOLDER "/include", {built + "/lang/runtime", built}};
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
  command->add_flag("--plain", order->is_plain,
                    "Leave the constructs out: plain C for one thread, to compare with; no throw and catch");
  command->add_flag("--explain", order->explains, "Say which tasks may go to other nodes, and do not compile");
  command->add_option(
      "--inline", *levels,
      "How deep small recursive worker functions are inlined into themselves, 0 to 8; by default 4 with -O2 and above");
  command->prefix_command();
  command->callback([command, order, levels, status] {
    try {
      if (!levels->empty()) tascell::take_words({"--inline", *levels}, *order);
      tascell::take_words(command->remaining(), *order);
    } catch (const tascell::usage_problem& problem) {
      throw usage_error(problem.what());
    }
    if (order->source.empty()) throw usage_error("tascell wants a program: weft tascell FILE.tc [-c] [-o OUT] [CC OPTIONS]");
    const char* const compiler = std::getenv("CC");  // NOLINT(concurrency-mt-unsafe): one OS thread
    order->c_compiler = compiler == nullptr ? "cc" : compiler;
    *status = tascell::carry_out(*order, find_installation());
  });
}

}  // namespace cli
