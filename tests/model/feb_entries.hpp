// The heap of models over the full/empty table, for one file of a program: it has few entries, and
// nothing larger, so that all words of a stripe are in one chain. A model sets entries_made to 0 when
// an execution begins.
#pragma once

#include "explorer/explorer.hpp"
#include "os/heap.hpp"
#include "sync/feb_table.hpp"

namespace {

constexpr int most_entries = 4;
alignas(weft::sync::feb_entry) unsigned char entries[most_entries][sizeof(weft::sync::feb_entry)];
int entries_made;

}  // namespace

namespace weft::os {

void* allocate(std::size_t bytes) {
  if (bytes != sizeof(sync::feb_entry)) return nullptr;
  explorer::check(entries_made < most_entries, "entries are used again");
  return entries[entries_made++];
}

}  // namespace weft::os
