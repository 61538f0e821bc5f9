#include "kernels/hash/hash.hpp"

namespace bench::hash {

namespace {

struct hasher {
  sha256 state;
  std::unique_ptr<std::byte[]> buffer = std::make_unique_for_overwrite<std::byte[]>(block_bytes);
  outcome found;
};

void hash_file(hasher& with, std::string&& path) {
  input_file const file(path);
  std::size_t position = 0;
  std::ptrdiff_t count = file.is_open() ? file.read_block(with.buffer.get(), 0) : -1;
  while (count > 0) {
    with.state.update(with.buffer.get(), static_cast<std::size_t>(count));
    position += static_cast<std::size_t>(count);
    count = static_cast<std::size_t>(count) < block_bytes ? 0 : file.read_block(with.buffer.get(), position);
  }
  digest const value = with.state.finish();
  if (count < 0) {
    ++with.found.unreadable;
    return;
  }
  with.found.bytes += position;
  with.found.files.push_back({std::move(path), value});
}

void hash_directory(hasher& with, const std::string& path) {
  listing names = list_directory(path);
  if (!names.is_readable) ++with.found.unreadable;
  for (std::string& file : names.files) hash_file(with, std::move(file));
  for (const std::string& directory : names.directories) hash_directory(with, directory);
}

}  // namespace

kernel_run run_sequential(const kernel_input& input, stopwatch& watch) {
  hasher with;
  watch.start();
  hash_directory(with, input.directory);
  watch.stop();
  return describe(with.found, watch.seconds());
}

}  // namespace bench::hash
