// The numbers of kinds, equal in all nodes.
#pragma once

#include <cstdint>

#include <weft/tascell_lowered.h>

namespace weft::tascell_runtime {

inline constexpr std::uint32_t no_kind = UINT32_MAX;
std::uint32_t number_of(const weft_tascell_kind* kind);
const weft_tascell_kind* kind_at(std::uint32_t number);
// Whether tasks of the kind, or null, may go to another node.
bool can_go(const weft_tascell_kind* kind);
// Of all that is registered.
std::uint64_t program_hash();

}  // namespace weft::tascell_runtime
