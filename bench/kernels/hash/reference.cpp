// What find and sha256sum, which share no code with the kernel, say about a directory.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "kernels/hash/hash.hpp"

namespace bench::hash {

namespace {

constexpr const char* script = "find -H \"$0\" -type f -print0 2>/dev/null | xargs -0 -r sha256sum -z -- 2>/dev/null";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t path_at = digest_digits + 2;

struct pipe_ends {
  int read;
  int write;
};

pipe_ends make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("hash: no pipe for sha256sum");
  return {ends[0], ends[1]};
}

// Only what may be done between fork and exec in a process with several OS threads.
[[noreturn]] void become_script(const pipe_ends& output, const char* directory) {
  dup2(output.write, STDOUT_FILENO);
  execlp("sh", "sh", "-c", script, directory, nullptr);
  _exit(127);
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (ssize_t count = 0; (count = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

std::string run_script(const std::string& directory) {
  pipe_ends const output = make_pipe();
  pid_t const child = fork();
  if (child == 0) become_script(output, directory.c_str());
  close(output.write);
  std::string text = child > 0 ? read_all(output.read) : "";
  close(output.read);
  int status = 0;
  // Status 123 is xargs': some file could not be read.
  bool const has_run = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
                       (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 123);
  if (!has_run) throw std::runtime_error("hash: find, xargs or sha256sum did not run");
  return text;
}

unsigned char from_hexadecimal(char digit) { return static_cast<unsigned char>(digit <= '9' ? digit - '0' : digit - 'a' + 10); }

file_digest parse(std::string_view line) {
  if (line.size() <= path_at) throw std::runtime_error("hash: sha256sum printed a line without a path");
  file_digest file{std::string(line.substr(path_at)), {}};
  for (std::size_t place = 0; place < file.value.size(); ++place) {
    file.value[place] =
        static_cast<unsigned char>(from_hexadecimal(line[2 * place]) << 4 | from_hexadecimal(line[2 * place + 1]));
  }
  return file;
}

}  // namespace

std::uint64_t ask_sha256sum(const kernel_input& input) {
  std::string const text = run_script(input.directory);
  std::vector<file_digest> files;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t const end = std::min(text.find('\0', begin), text.size());
    files.push_back(parse(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return combine(files);
}

}  // namespace bench::hash
