// The guide's page and the manual page about environment variables are what the table says. With
// WEFT_TEST_WRITE_DOCS set the pages are written anew instead.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "os/env.hpp"

using namespace weft;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  return text;
}

std::string default_of(const os::variable_info& each) { return each.default_text != nullptr ? each.default_text : ""; }

std::string description_of(const os::variable_info& each) {
  return each.description + std::string(each.is_for_ordinary ? " Ignored in a program with raised privileges." : "");
}

const char* kind_of(os::value_type type) {
  constexpr const char* names[] = {"number", "bytes", "time", "choice", "text", "switch"};
  return names[static_cast<unsigned>(type)];
}

constexpr const char* values_text =
    "Bytes take `K`, `M` or `G` (powers of 1024). Times are nanoseconds, or take `us`, `ms` or `s`; `off`\n"
    "is 0. Switches know `1 on yes true` and `0 off no false`. An empty value counts as unset. A value\n"
    "that cannot be used makes `weft_init` fail with one line on stderr; a `WEFT_` name that does not\n"
    "exist gets a warning with the nearest name that does (but those that begin with `WEFT_THREADS`,\n"
    "which are of the threads interface, `WEFT_LAUNCH_` and `WEFT_DIST_`, which are of programs that\n"
    "`weft launch` starts, `WEFT_TASCELL_`, which are of Tascell runs, and `WEFT_MPI_`, which are of\n"
    "`libweft-mpi`). Where a program sets the same thing in `weft_config`, `weft.h` says which of the two\n"
    "holds. `weft info` shows what is in force.\n"
    "\n"
    "A program with raised privileges (set-user-ID, set-group-ID, file capabilities: what the kernel\n"
    "calls `AT_SECURE`) ignores the variables that name files or a signal, and says so in one line. Files\n"
    "that Weft writes are created with mode 0600. In a folder that all users may write to, such as\n"
    "`/tmp`, Weft follows no symbolic link and writes neither to another user's file nor to a hard link.\n";

void append_row(const os::variable_info& each, void* context) {
  auto& page = *static_cast<std::ostringstream*>(context);
  const std::string range = replaced(each.range, "|", "` `");
  const std::string shown = each.type == os::value_type::choice ? '`' + range + '`' : range;
  const std::string fallback = default_of(each);
  page << "| `" << each.name << "` | " << kind_of(each.type) << " | " << shown << " | "
       << (fallback.empty() ? "" : '`' + fallback + '`') << " | " << description_of(each) << " |\n";
}

std::string guide() {
  std::ostringstream page;
  page << "# Environment variables\n\n<!-- Made from the table in src/os/env.cpp by the test unit.os_env_doc; see there. -->\n\n"
       << values_text << "\n| variable | value | accepted | default | what it does |\n|---|---|---|---|---|\n";
  os::walk_variables(append_row, &page);
  return page.str();
}

void append_entry(const os::variable_info& each, void* context) {
  auto& page = *static_cast<std::ostringstream*>(context);
  page << ".TP\n.B " << each.name << "\n" << description_of(each) << "\nAccepted: " << replaced(each.range, "|", ", ");
  if (each.default_text != nullptr) page << "; default " << each.default_text;
  page << ".\n";
}

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Of the newest version in the changelog, as tools/docs/roff.py has it for the other pages.
std::string date() {
  const std::string log = content_of(WEFT_TEST_DOCS "/../CHANGELOG.md");
  const std::size_t heading = log.find("\n## [");
  const std::size_t dash = log.find(" - ", heading);
  return dash < log.find('\n', heading + 1) ? log.substr(dash + 3, std::strlen("2026-01-31")) : "";
}

std::string manual() {
  std::ostringstream page;
  page << ".\\\" Made from the table in src/os/env.cpp by the test unit.os_env_doc; see there.\n"
       << ".TH WEFT 7 \"" << date()
       << "\" \"Weft\" \"Weft\"\n.SH NAME\nweft \\- environment variables of the Weft runtime\n.SH DESCRIPTION\n"
       << replaced(replaced(values_text, "`", ""), "\n\n", "\n.PP\n") << ".SH ENVIRONMENT\n";
  os::walk_variables(append_entry, &page);
  page << ".SH SEE ALSO\n.BR weft (1)\n";
  return page.str();
}

void compare(const std::string& path, const std::string& wanted) {
  if (std::getenv("WEFT_TEST_WRITE_DOCS") != nullptr) std::ofstream(path) << wanted;
  INFO("if the table is right: WEFT_TEST_WRITE_DOCS=1 ctest -R unit.os_env_doc");
  CAPTURE(path);
  CHECK(content_of(path) == wanted);
}

}  // namespace

TEST_CASE("the guide's page is the table") { compare(WEFT_TEST_DOCS "/guide/environment.md", guide()); }
TEST_CASE("the manual page is the table") { compare(WEFT_TEST_DOCS "/man/weft.7", manual()); }
