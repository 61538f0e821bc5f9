// See loaded_libraries.hpp.
#include "loaded_libraries.hpp"

#include <sstream>

#include "child.hpp"

namespace cli {

loaded_libraries find_libraries(const std::string& file, const std::string& loader) {
  constexpr double seconds = 30;
  loaded_libraries found;
  child_order const order{.file = loader, .words = {loader, "--list", file}, .environment = {}};
  child_result const said = run_child(order, seconds, [](double) {});
  if (said.exit_status != 0) found.problem = said.errors.empty() ? loader + ": " + said.failure(seconds) : said.errors;
  while (found.problem.ends_with('\n')) found.problem.pop_back();
  std::istringstream lines(said.output);
  for (std::string line; std::getline(lines, line);) {
    std::size_t const arrow = line.find("=> ");
    std::size_t const from = arrow != std::string::npos ? arrow + 3 : line.find_first_not_of('\t');
    std::size_t const to = line.rfind(" (0x");
    std::string const library = from < to && to != std::string::npos ? line.substr(from, to - from) : "";
    if (library.find('/') != std::string::npos) found.files.push_back(library);  // else the kernel's own
  }
  return found;
}

}  // namespace cli
