// A folder of small files that goes when the object does: fake /proc, /sys and cgroup trees.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace weft::test {

class temp_tree {
 public:
  temp_tree() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    root_ = pattern;
  }
  ~temp_tree() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }
  temp_tree(const temp_tree&) = delete;
  temp_tree& operator=(const temp_tree&) = delete;

  // The file at path below the root, its folders made as needed; a newline is added.
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text << '\n';
  }

  std::string at(const std::string& path) const { return (root_ / path).string(); }

 private:
  std::filesystem::path root_;
};

}  // namespace weft::test
