// The kinds of tasks that a program can send to other nodes, and their numbers: files in order of
// their texts' hashes, so that the numbers are the same in every process of one program.
#include <weft/tascell.h>

#include "kinds.hpp"

namespace weft::tascell_runtime {
namespace {

weft_tascell_kinds* first_list = nullptr;

std::uint64_t mixed(std::uint64_t with, std::uint64_t what) {  // FNV-1a, of bytes
  for (unsigned i = 0; i < 8; ++i) with = (with ^ (what >> 8 * i & 255)) * 0x100000001B3u;
  return with;
}

}  // namespace

std::uint32_t number_of(const weft_tascell_kind* kind) {
  std::size_t before = 0;
  for (const weft_tascell_kinds* each = first_list; each != nullptr; each = each->next) {
    for (std::size_t i = 0; i < each->count; ++i)
      if (each->kinds[i] == kind) return static_cast<std::uint32_t>(before + i);
    before += each->count;
  }
  return no_kind;
}

const weft_tascell_kind* kind_at(std::uint32_t number) {
  std::size_t before = 0;
  for (const weft_tascell_kinds* each = first_list; each != nullptr; each = each->next) {
    if (number < before + each->count) return each->kinds[number - before];
    before += each->count;
  }
  return nullptr;
}

bool can_go(const weft_tascell_kind* kind) { return kind != nullptr && kind->pack_in != nullptr && number_of(kind) != no_kind; }

std::uint64_t program_hash() {
  std::uint64_t hash = mixed(0xCBF29CE484222325u, sizeof(void*) + 256 * sizeof(long));
  for (const weft_tascell_kinds* each = first_list; each != nullptr; each = each->next) {
    hash = mixed(hash, each->hash);
    for (std::size_t i = 0; i < each->count; ++i) hash = mixed(mixed(hash, each->kinds[i]->bytes), each->kinds[i]->place.line);
  }
  return hash;
}

}  // namespace weft::tascell_runtime

void weft_tascell_register(weft_tascell_kinds* kinds) {
  using weft::tascell_runtime::first_list;
  weft_tascell_kinds** at = &first_list;
  while (*at != nullptr && (*at)->hash < kinds->hash) at = &(*at)->next;
  kinds->next = *at;
  *at = kinds;
}
