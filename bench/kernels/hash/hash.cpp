#include "kernels/hash/hash.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>

namespace bench::hash {

namespace {

// Some file systems do not say what an entry is.
unsigned char type_of(const dirent& entry, const std::string& path) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status{};
  return lstat(path.c_str(), &status) == 0 ? static_cast<unsigned char>(IFTODT(status.st_mode)) : entry.d_type;
}

void list_entry(const dirent& entry, const std::string& folder, listing& out) {
  std::string_view const name = entry.d_name;
  if (name == "." || name == "..") return;
  std::string path = folder;
  if (!path.ends_with('/')) path += '/';
  path += name;
  unsigned char const type = type_of(entry, path);
  if (type == DT_DIR) out.directories.push_back(std::move(path));
  if (type == DT_REG) out.files.push_back(std::move(path));
}

std::string in_hexadecimal(const digest& value) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (unsigned char const byte : value) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace

void outcome::take(outcome&& other) {
  files.insert(files.end(), std::move_iterator(other.files.begin()), std::move_iterator(other.files.end()));
  bytes += other.bytes;
  unreadable += other.unreadable;
}

listing list_directory(const std::string& path) {
  listing found;
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr) return {{}, {}, false};
  while (const dirent* const entry = readdir(folder)) list_entry(*entry, path, found);
  closedir(folder);
  return found;
}

input_file::input_file(const std::string& path)
    : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {}

input_file::~input_file() {
  if (is_open()) close(descriptor_);
}

std::size_t input_file::expect_bytes() const {
  struct stat status{};
  return fstat(descriptor_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
}

std::ptrdiff_t input_file::read_block(std::byte* buffer, std::size_t position) const {
  std::size_t filled = 0;
  while (filled < block_bytes) {
    ssize_t const count = pread(descriptor_, buffer + filled, block_bytes - filled, static_cast<off_t>(position + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return static_cast<std::ptrdiff_t>(filled);
}

std::uint64_t combine(std::vector<file_digest>& files) {
  std::ranges::sort(files, {}, &file_digest::path);
  sha256 lines;
  for (const file_digest& file : files) {
    std::string const line = in_hexadecimal(file.value) + "  " + file.path + '\0';
    lines.update(line.data(), line.size());
  }
  digest const value = lines.finish();
  std::uint64_t answer = 0;
  for (std::size_t place = 0; place < sizeof answer; ++place) answer = answer << 8 | value[place];
  return answer;
}

kernel_run describe(outcome& found, double seconds) {
  auto const bytes = static_cast<double>(found.bytes);
  return {combine(found.files),
          found.files.size(),
          {{"bytes", bytes}, {"bytes_per_second", bytes / seconds}, {"unreadable", static_cast<double>(found.unreadable)}}};
}

const kernel hash = {
    .name = "hash",
    .title = "SHA-256 of every file under a directory; directories, files and blocks are threads",
    .size_word = "",
    .unit = "file",
    .default_size = 0,
    .quick_size = 0,
    .max_size = 0,
    .expected = ask_sha256sum,
    .is_digest = true,
};

}  // namespace bench::hash
