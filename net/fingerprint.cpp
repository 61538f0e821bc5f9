// See fingerprint.hpp.
#include "net/fingerprint.hpp"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/assert.hpp"
#include "net/control.hpp"
#include "os/file.hpp"
#include "os/vm.hpp"

namespace weft::net {
namespace {

// FNV-1a.
struct hash {
  std::uint64_t value = 0xcbf29ce484222325;

  void add(const void* bytes, std::size_t count) {
    const auto* each = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < count; ++i) value = (value ^ each[i]) * 0x100000001b3;
  }
  void add(std::uint64_t number) { add(&number, sizeof number); }
};

struct modules {
  hash build, layout;
};

constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

// Without a build id (clang's default) the file's size in memory stands for it.
void add_build(hash* into, const dl_phdr_info& module) {
  for (int part = 0; part < module.dlpi_phnum; ++part) {
    const ElfW(Phdr)& header = module.dlpi_phdr[part];
    into->add(header.p_memsz);
    if (header.p_type != PT_NOTE) continue;
    const auto* note = reinterpret_cast<const unsigned char*>(module.dlpi_addr + header.p_vaddr);
    const auto* const end = note + header.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      const auto* const head = reinterpret_cast<const ElfW(Nhdr)*>(note);
      const auto* const content = note + sizeof *head + padded(head->n_namesz);
      if (head->n_type == NT_GNU_BUILD_ID) into->add(content, head->n_descsz);
      note = content + padded(head->n_descsz);
    }
  }
}

int add_module(dl_phdr_info* module, std::size_t, void* state) {
  auto* const all = static_cast<modules*>(state);
  add_build(&all->build, *module);
  all->layout.add(module->dlpi_addr);
  return 0;
}

// x86: "flags", aarch64: "Features"; of the first processor.
void add_flags(void* state, const char* line) {
  auto* const flags = static_cast<hash*>(state);
  const bool is_list = strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0;
  if (is_list && flags->value == hash().value) flags->add(line, strlen(line));
}

void look_for_shadow_stack(void* state, const char* line) {
  constexpr char name[] = "x86_Thread_features:";
  if (strncmp(line, name, sizeof name - 1) == 0 && strstr(line, "shstk") != nullptr) *static_cast<bool*>(state) = true;
}

}  // namespace

bool tells_shadow_stack(const char* status_file) {
  bool is_told = false;
  return os::walk_lines(look_for_shadow_stack, &is_told, "%s", status_file) && is_told;
}

std::uint64_t fingerprint_of(const char* text) {
  hash all;
  all.add(text, strlen(text));
  return all.value;
}

fingerprint take_fingerprint(const job& all) {
  modules found;
  dl_iterate_phdr(add_module, &found);
  found.layout.add(getauxval(AT_SYSINFO_EHDR));
  found.layout.add(reinterpret_cast<std::uintptr_t>(&errno));  // in thread-local storage
  hash flags, features, sizes;
  sizes.add(all.region_bytes);
  sizes.add(all.shared_bytes);
  sizes.add(all.words_bytes);
  sizes.add(all.alike);
  (void)os::walk_lines(add_flags, &flags, "/proc/cpuinfo");
  features.add(getauxval(AT_HWCAP));
  features.add(getauxval(AT_HWCAP2));
  hash canary;
  // The C library makes both from the kernel's 16 random bytes.
  if (const auto random = getauxval(AT_RANDOM); random != 0) canary.add(reinterpret_cast<const void*>(random), 16);
  fingerprint mine;
  mine.build = found.build.value;
  mine.sizes = sizes.value;
  mine.region_at = reinterpret_cast<std::uintptr_t>(all.region);
  mine.layout = found.layout.value;
  mine.features = features.value;
  mine.flags = flags.value == hash().value ? 0 : flags.value;
  mine.canary = canary.value;
  mine.page_bytes = static_cast<std::uint32_t>(os::page_bytes());
  mine.has_shadow_stack = tells_shadow_stack("/proc/self/status") ? 1 : 0;
  return mine;
}

const char* objection(const fingerprint& mine, const fingerprint& first) {
  if (mine.has_shadow_stack != 0)
    return "it has shadow stacks (CET), under which stacks cannot move; start with GLIBC_TUNABLES=glibc.cpu.x86_shstk=off";
  if (mine.build != first.build)
    return "it runs another build of the program or of a library than rank 0; give all ranks the same files";
  if (mine.page_bytes != first.page_bytes) return "its pages are of another size than rank 0's; use machines of one kind";
  const bool has_other_flags = mine.flags != first.flags && mine.flags != 0 && first.flags != 0;
  if (mine.features != first.features || has_other_flags)
    return "its processor has other features than rank 0's; use machines of one kind";
  if (mine.library != first.library)
    return "it has loaded another MPI than rank 0, or another version; set WEFT_LAUNCH_MPI to one module on all machines";
  if (mine.sizes != first.sizes)
    return "its stacks or its heap have other sizes than rank 0's, or it has another policy; give all ranks the same WEFT_DIST_* "
           "variables";
  if (mine.region_at != first.region_at)
    return "its stacks lie at another address than rank 0's; give all ranks the same WEFT_LAUNCH_REGION_AT, or none";
  if (mine.layout != first.layout)
    return "its code or data lie at other addresses than rank 0's; start the ranks with weft launch";
  if (mine.canary != first.canary)
    return "its stack protector's canary is another than rank 0's; start the ranks with weft launch";
  return nullptr;
}

status compare_fingerprints(const job& all, const fingerprint& mine) {
  all.common->of[all.rank].print = mine;
  barrier(all);
  const char* const why = objection(mine, all.common->of[0].print);
  if (why == nullptr) return status::ok;
  tell_failure(all, "rank %d of %d cannot start: %s", all.rank, all.ranks, why);
  return status::unsupported;
}

}  // namespace weft::net
