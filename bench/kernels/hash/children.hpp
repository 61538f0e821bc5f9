// SHA-256 of a directory's files over harness/children.hpp, for tasks, which cannot wait for a free
// buffer, as for threads: first every directory is listed by a child of its own; then a few lanes,
// children, too, take one file after the other. A lane holds the buffers of two windows of blocks:
// while those of the one are hashed, children read those of the other. So few files are open and
// few blocks are in memory, however large the directory is.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <utility>

#include "harness/children.hpp"
#include "harness/together.hpp"
#include "kernels/hash/hash.hpp"

namespace bench::hash {

inline constexpr std::size_t window = 4;  // blocks that are read at the same time
inline constexpr unsigned lanes_per_worker = 2;

template <class Way>
struct folder_by {
  std::string path;
  std::vector<std::string> files;  // below it, too
  std::uint64_t unreadable = 0;

  void run() {
    listing names = list_directory(path);
    if (!names.is_readable) ++unreadable;
    files = std::move(names.files);
    std::size_t const count = names.directories.size();
    if (count == 0) return;
    std::vector<folder_by> below(count);
    for (std::size_t index = 0; index < count; ++index) below[index].path = std::move(names.directories[index]);
    Way::run_all(below.data(), count);
    for (folder_by& each : below) {
      files.insert(files.end(), std::move_iterator(each.files.begin()), std::move_iterator(each.files.end()));
      unreadable += each.unreadable;
    }
  }
  [[nodiscard]] bool is_leaf() const { return false; }
};

struct block_read {
  const input_file* file = nullptr;
  std::size_t position = 0;
  std::unique_ptr<std::byte[]> buffer;  // made at first use, kept for the next file
  std::ptrdiff_t count = 0;

  void run() {
    if (buffer == nullptr) buffer = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
    count = file->read_block(buffer.get(), position);
  }
  [[nodiscard]] bool is_leaf() const { return true; }
};

struct block_window {
  std::array<block_read, window> blocks;
  std::size_t count = 0;  // that were read

  // As many as the file is expected to have from position on, and at least one.
  template <class Way>
  void read(const input_file& file, std::size_t position, std::size_t expected_bytes) {
    std::size_t const missing = expected_bytes > position ? (expected_bytes - position) / block_bytes + 1 : 1;
    count = std::min(missing, window);
    for (std::size_t index = 0; index < count; ++index, position += block_bytes) {
      blocks[index].file = &file;
      blocks[index].position = position;
    }
    Way::run_all(blocks.data(), count);
  }
  [[nodiscard]] std::size_t end() const { return blocks[count - 1].position + block_bytes; }
  // A block that is not full, or that cannot be read, ends the file.
  [[nodiscard]] bool is_last() const {
    return std::any_of(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count), is_short);
  }
  static bool is_short(const block_read& block) { return block.count < static_cast<std::ptrdiff_t>(block_bytes); }
};

// The files of all directories, and the next one that no lane has taken.
struct work_list {
  std::vector<std::string> files;
  std::atomic<std::size_t> next = 0;
};

template <class Way>
class lane_by {
 public:
  work_list* of = nullptr;
  outcome found;

  void run() {
    for (std::size_t index = take(); index < of->files.size(); index = take()) hash_file(std::move(of->files[index]));
  }
  [[nodiscard]] bool is_leaf() const { return false; }

 private:
  std::size_t take() { return of->next.fetch_add(1, std::memory_order_relaxed); }

  void hash_file(std::string&& path) {
    input_file const file(path);
    bytes_ = 0;
    bool const is_readable = file.is_open() && hash_blocks(file);
    digest const value = state_.finish();
    if (!is_readable) {
      ++found.unreadable;
      return;
    }
    found.bytes += bytes_;
    found.files.push_back({std::move(path), value});
  }

  bool hash_blocks(const input_file& file) {
    std::size_t const expected_bytes = file.expect_bytes();
    now_.template read<Way>(file, 0, expected_bytes);
    while (!now_.is_last()) {
      auto const read_next = [&] { next_.template read<Way>(file, now_.end(), expected_bytes); };
      Way::run([&] { hash_window(); }, read_next);
      std::swap(now_, next_);
    }
    return hash_window();
  }

  // Up to the end of the file; whether all of them could be read.
  bool hash_window() {
    for (std::size_t index = 0; index < now_.count; ++index) {
      const block_read& block = now_.blocks[index];
      if (block.count < 0) return false;
      state_.update(block.buffer.get(), static_cast<std::size_t>(block.count));
      bytes_ += static_cast<std::uint64_t>(block.count);
      if (block_window::is_short(block)) break;
    }
    return true;
  }

  sha256 state_;
  block_window now_;
  block_window next_;
  std::uint64_t bytes_ = 0;
};

template <class Way>
outcome hash_directory_by(const kernel_input& input) {
  folder_by<Way> root{input.directory, {}};
  root.run();
  work_list all{std::move(root.files)};
  std::size_t const count = std::size_t{input.workers} * lanes_per_worker;
  auto const lanes = std::make_unique<lane_by<Way>[]>(count);
  for (std::size_t index = 0; index < count; ++index) lanes[index].of = &all;
  Way::run_all(lanes.get(), count);
  outcome found;
  found.unreadable = root.unreadable;
  for (std::size_t index = 0; index < count; ++index) found.take(std::move(lanes[index].found));
  return found;
}

template <class Way>
kernel_run run_by(const kernel_input& input, stopwatch& watch) {
  watch.start();
  outcome found = hash_directory_by<Way>(input);
  watch.stop();
  return describe(found, watch.seconds());
}

}  // namespace bench::hash
