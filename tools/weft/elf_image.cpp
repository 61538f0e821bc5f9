// See elf_image.hpp. ELF-64 in this machine's byte order: the System V ABI, "Object Files" and
// "Program Loading".
#include "elf_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <stdexcept>
#include <system_error>

namespace cli {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;  // of one that is not damaged
constexpr unsigned char own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

[[noreturn]] void refuse(const std::string& file, std::string_view why) {
  throw std::runtime_error(fmt::format("{} {}", file, why));
}

}  // namespace

// What is asked for beyond the file's end is not there.
class elf_image::reader {
 public:
  explicit reader(const std::string& file) : file_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about = {};
    int const problem = file_ < 0 || fstat(file_, &about) != 0 ? errno : S_ISDIR(about.st_mode) ? EISDIR : 0;
    if (problem != 0) refuse(file, fmt::format("cannot be read: {}", std::generic_category().message(problem)));
    if (!take(0, &head_) || std::memcmp(head_.e_ident, ELFMAG, SELFMAG) != 0)
      refuse(file, "is no program and no library (no ELF file)");
    if (head_.e_ident[EI_CLASS] != ELFCLASS64 || head_.e_ident[EI_DATA] != own_order)
      refuse(file, "is not of 64 bits in this machine's byte order");
    parts_ = all<Elf64_Phdr>(head_.e_phoff, head_.e_phnum, head_.e_phentsize);
    sections_ = all<Elf64_Shdr>(head_.e_shoff, head_.e_shnum, head_.e_shentsize);
  }
  ~reader() {
    if (file_ >= 0) close(file_);
  }
  reader(const reader&) = delete;
  reader& operator=(const reader&) = delete;

  [[nodiscard]] unsigned machine() const { return head_.e_machine; }
  [[nodiscard]] const std::vector<Elf64_Phdr>& parts() const { return parts_; }
  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  bool take(std::uint64_t from, std::span<std::byte> to) const {
    std::size_t done = 0;
    while (done < to.size()) {
      ssize_t const got = pread(file_, to.data() + done, to.size() - done, static_cast<off_t>(from + done));
      if (got == 0 || (got < 0 && errno != EINTR)) return false;
      if (got > 0) done += static_cast<std::size_t>(got);
    }
    return true;
  }
  template <class T>
  bool take(std::uint64_t from, T* out) const {
    return take(from, std::as_writable_bytes(std::span(out, 1)));
  }

  // Empty: they are not there, or have another form.
  template <class T>
  [[nodiscard]] std::vector<T> all(std::uint64_t from, std::uint64_t count, std::uint64_t each) const {
    if (each != sizeof(T) || count == 0 || count > most_bytes / sizeof(T)) return {};
    std::vector<T> found;
    constexpr std::uint64_t at_once = 4096;  // a damaged count takes no memory
    while (found.size() < count) {
      std::size_t const before = found.size();
      found.resize(std::min(count, before + at_once));
      if (!take(from + before * sizeof(T), std::as_writable_bytes(std::span(found).subspan(before)))) return {};
    }
    return found;
  }

 private:
  int file_;
  Elf64_Ehdr head_{};
  std::vector<Elf64_Phdr> parts_;
  std::vector<Elf64_Shdr> sections_;
};

elf_image::elf_image(const std::string& file) {
  reader const from(file);
  machine_ = from.machine();
  load(from, file);
  read_functions(from);
}

elf_image::~elf_image() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

void elf_image::load(const reader& from, const std::string& file) {
  std::uint64_t first = UINT64_MAX;
  std::uint64_t end = 0;
  for (const Elf64_Phdr& part : from.parts()) {
    if (part.p_type != PT_LOAD) continue;
    if (part.p_filesz > most_bytes || part.p_vaddr > UINT64_MAX - part.p_filesz)
      refuse(file, "is damaged: a segment is too large");
    first = std::min(first, part.p_vaddr);
    end = std::max(end, part.p_vaddr + part.p_filesz);
  }
  if (end <= first) refuse(file, "is neither linked as a program nor as a shared library");
  if (end - first > most_bytes) refuse(file, "is damaged: its segments lie too far apart");
  void* const made = mmap(nullptr, end - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED) refuse(file, fmt::format("finds no memory: {}", std::generic_category().message(errno)));
  memory_ = static_cast<std::byte*>(made);
  bytes_ = end - first;
  first_ = first;
  for (const Elf64_Phdr& part : from.parts()) {
    bool const is_inside = part.p_vaddr >= first && part.p_vaddr < end;
    if (part.p_type == PT_GNU_EH_FRAME && is_inside)
      eh_frame_hdr_ = reinterpret_cast<std::uintptr_t>(memory_ + (part.p_vaddr - first));
    if (part.p_type == PT_LOAD && !from.take(part.p_offset, std::span(memory_ + (part.p_vaddr - first), part.p_filesz)))
      refuse(file, "is damaged: it ends before its last segment does");
  }
}

std::uint64_t elf_image::address_of(std::uintptr_t in_memory) const {
  return first_ + (in_memory - reinterpret_cast<std::uintptr_t>(memory_));
}

// Of all names, or of those that other modules see, where the others were stripped.
void elf_image::read_functions(const reader& from) {
  for (unsigned const wanted : {SHT_SYMTAB, SHT_DYNSYM}) {
    for (const Elf64_Shdr& section : from.sections()) {
      if (section.sh_type != wanted || section.sh_link >= from.sections().size()) continue;
      const Elf64_Shdr& names = from.sections()[section.sh_link];
      std::vector<char> text = from.all<char>(names.sh_offset, names.sh_size, 1);
      text.push_back('\0');
      for (const Elf64_Sym& each :
           from.all<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym), sizeof(Elf64_Sym))) {
        if (ELF64_ST_TYPE(each.st_info) == STT_FUNC && each.st_shndx != SHN_UNDEF && each.st_name < text.size())
          functions_.push_back({each.st_value, each.st_size, text.data() + each.st_name});
      }
    }
    if (!functions_.empty()) break;
  }
  std::ranges::sort(functions_, {}, &function::begin);
}

std::string elf_image::function_at(std::uint64_t address) const {
  auto after = std::ranges::upper_bound(functions_, address, {}, &function::begin);
  if (after == functions_.begin() || address - std::prev(after)->begin >= std::prev(after)->bytes) return "";
  return std::prev(after)->name;
}

}  // namespace cli
