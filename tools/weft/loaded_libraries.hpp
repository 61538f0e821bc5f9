// Which libraries the dynamic loader would load with a program, which does not run meanwhile.
#pragma once

#include <string>
#include <vector>

namespace cli {

struct loaded_libraries {
  std::vector<std::string> files;
  std::string problem;  // the loader's own words, when it does not find one of them
};

// loader: the program's own. Throws as run_child() does.
loaded_libraries find_libraries(const std::string& file, const std::string& loader);

}  // namespace cli
