// Reads the backtraces in a dump.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace weft::test {

// The lines from the one that names the thread up to the next thread's.
inline std::vector<std::string> block_of(const std::string& text, const std::string& who) {
  std::vector<std::string> lines;
  const std::size_t at = text.find(who);
  if (at == std::string::npos) return lines;
  std::size_t begin = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    if (!lines.empty() && line.find("      ") == std::string::npos) break;
    lines.push_back(line);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return lines;
}

// Without its offset and its file.
inline std::string function_at(const std::string& line, std::size_t name) {
  std::string function = line.substr(name, line.find('+', name) - name);
  const std::size_t file = function.rfind(" (");  // behind a function that stands at its begin
  if (file != std::string::npos && function.find(')', file) == std::string::npos) function.resize(file);
  return function;
}

// The functions of its frames without offsets, innermost first; of those that one line stands for,
// the first and the last.
inline std::vector<std::string> functions_of(const std::string& text, const std::string& who) {
  std::vector<std::string> found;
  for (const std::string& line : block_of(text, who)) {
    const std::size_t number = line.find("    #");
    if (number == std::string::npos) continue;
    const bool is_folded = line.find(" to #", number) != std::string::npos;
    const std::size_t words = is_folded ? line.find('#', number + 5) : number + 4;
    found.push_back(function_at(line, line.find(' ', words + 1) + 1));
    if (is_folded) found.push_back(function_at(line, line.find(" ... ") + 5));
  }
  return found;
}

// Those of them that are in `wanted`, in their order.
inline std::vector<std::string> these_of(const std::vector<std::string>& all, const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  for (const std::string& one : all) {
    if (std::find(wanted.begin(), wanted.end(), one) != wanted.end()) found.push_back(one);
  }
  return found;
}

// Backtraces need it; emulators lack it.
inline bool has_process_vm_readv() {
  int from = 1, to = 0;
  const iovec here{&to, sizeof to}, there{&from, sizeof from};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(sizeof to);
}

}  // namespace weft::test
