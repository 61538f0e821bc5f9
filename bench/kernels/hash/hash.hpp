// SHA-256 of every regular file under a directory: real input, of which it is not known beforehand
// where the work is. Symbolic links are not followed. The answer stands for the lines "digest
// path" of all files in the order of their paths; it is checked against what find and sha256sum say
// about the same directory (reference.cpp). Files that cannot be read are counted and left out, as
// sha256sum does. units: files.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "harness/kernel.hpp"

namespace bench::hash {

using digest = std::array<unsigned char, 32>;

inline constexpr std::size_t block_bytes = std::size_t{256} * 1024;

// By OpenSSL (sha256_openssl.cpp), or without another library (sha256_alone.cpp): the build chooses.
class sha256 {
 public:
  sha256();
  ~sha256();
  sha256(const sha256&) = delete;
  sha256& operator=(const sha256&) = delete;

  void update(const void* bytes, std::size_t count);
  digest finish();  // and starts anew

 private:
  struct state;
  std::unique_ptr<state> state_;
};

struct file_digest {
  std::string path;
  digest value{};
};

struct outcome {
  std::vector<file_digest> files;
  std::uint64_t bytes = 0;
  std::uint64_t unreadable = 0;  // files and directories

  void take(outcome&& other);
};

struct listing {
  std::vector<std::string> files;  // paths
  std::vector<std::string> directories;
  bool is_readable = true;
};

// Reads the whole directory and closes it: a thread that then waits holds no descriptor.
listing list_directory(const std::string& path);

// An open file to read; is_open() is false when it cannot be.
class input_file {
 public:
  explicit input_file(const std::string& path);
  ~input_file();
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] std::size_t expect_bytes() const;  // its size now
  // Fills buffer from position on; less than block_bytes only at the end. Negative: it cannot be
  // read.
  [[nodiscard]] std::ptrdiff_t read_block(std::byte* buffer, std::size_t position) const;

 private:
  int descriptor_;
};

// Sorts, and digests the lines that sha256sum would print.
std::uint64_t combine(std::vector<file_digest>& files);
kernel_run describe(outcome& found, double seconds);

std::uint64_t ask_sha256sum(const kernel_input& input);
kernel_run run_sequential(const kernel_input& input, stopwatch& watch);
kernel_run run_ult(const kernel_input& input, stopwatch& watch);

extern const kernel hash;

}  // namespace bench::hash
