// See tables.hpp.
#include "unwind/tables.hpp"

#include "unwind/cursor.hpp"

namespace weft::unwind {
namespace {

constexpr std::uintptr_t no_end = UINTPTR_MAX;

// ---- the sorted list ----

struct listed {
  std::int32_t code;  // both count from the list's own begin
  std::int32_t entry;
};

std::uintptr_t entry_of(const function_list& list, const listed& one) {
  return list.base + static_cast<std::uintptr_t>(std::intptr_t{one.entry});
}

// The last one that begins at or before code.
bool search(memory* from, const function_list& list, std::uintptr_t code, std::uintptr_t* entry) {
  const auto wanted = static_cast<std::int64_t>(code - list.base);
  std::uint64_t low = 0;
  std::uint64_t high = list.count;
  listed one;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (!from->read(list.first + middle * sizeof one, &one)) return false;
    (one.code <= wanted ? low : high) = middle;
  }
  if (!from->read(list.first + low * sizeof one, &one) || one.code > wanted) return false;
  *entry = entry_of(list, one);
  return true;
}

// ---- entries ----

// A cursor on an entry's body, and where its length stood behind.
cursor open(memory* from, std::uintptr_t at, std::uintptr_t* body) {
  cursor head(from, at, no_end);
  std::uint64_t length = head.fixed<std::uint32_t>();
  if (length == UINT32_MAX) length = head.fixed<std::uint64_t>();
  *body = head.at();
  cursor opened(from, *body, *body + length);
  if (head.has_failed() || length == 0 || length > UINT32_MAX) opened.fail();
  return opened;
}

// The letters of "zPLR" in turn; their data stands in the same order.
void read_augmentation(cursor* body, const char* letters, function_entry* out) {
  for (; *letters != '\0' && !body->has_failed(); ++letters) {
    switch (*letters) {
      case 'R': out->pointers = body->byte(); break;
      case 'P': static_cast<void>(body->pointer(body->byte() & ~encoding::indirect, 0)); break;
      case 'L': static_cast<void>(body->byte()); break;
      case 'S': out->is_signal_frame = true; break;
      case 'B': break;  // aarch64: signed by the other key
      default: return;  // unknown: the size of the data tells where it ends
    }
  }
}

bool read_shared(memory* from, std::uintptr_t at, function_entry* out) {
  std::uintptr_t begin;
  cursor body = open(from, at, &begin);
  const auto id = body.fixed<std::uint32_t>();
  const unsigned version = body.byte();
  if (id != 0 || (version != 1 && version != 3)) return false;
  char letters[8];
  unsigned length = 0;
  while ((letters[length] = static_cast<char>(body.byte())) != '\0') {
    if (++length == sizeof letters) return false;
  }
  out->code_factor = body.uleb();
  out->data_factor = body.sleb();
  out->return_register = version == 1 ? body.byte() : body.uleb();
  out->has_extra = letters[0] == 'z';
  if (!out->has_extra && length != 0) return false;  // it is not known how much data there is
  if (out->has_extra) {
    const std::uint64_t bytes = body.uleb();
    cursor extra = body;
    read_augmentation(&extra, letters + 1, out);
    if (extra.has_failed()) return false;
    body.skip(bytes);
  }
  out->shared = {body.at(), body.end()};
  return !body.has_failed();
}

}  // namespace

bool read_entry(memory* from, std::uintptr_t at, function_entry* out) {
  *out = {};
  std::uintptr_t begin;
  cursor body = open(from, at, &begin);
  const auto back = body.fixed<std::uint32_t>();
  if (body.has_failed() || back == 0 || !read_shared(from, begin - back, out)) return false;
  out->begin = body.pointer(out->pointers, 0);
  out->end = out->begin + body.pointer(out->pointers & encoding::form, 0);
  if (out->has_extra) body.skip(body.uleb());
  out->own = {body.at(), body.end()};
  return !body.has_failed();
}

bool read_list(memory* from, std::uintptr_t eh_frame_hdr, function_list* out) {
  cursor head(from, eh_frame_hdr, no_end);
  const unsigned version = head.byte();
  const unsigned pointer_form = head.byte();
  const unsigned count_form = head.byte();
  const unsigned list_form = head.byte();
  if (version != 1 || list_form != (encoding::to_data | encoding::signed4) || count_form == encoding::omitted) return false;
  static_cast<void>(head.pointer(pointer_form, eh_frame_hdr));
  out->count = head.pointer(count_form, eh_frame_hdr);
  out->base = eh_frame_hdr;
  out->first = head.at();
  constexpr std::uint64_t most = std::uint64_t{1} << 28;  // 2 GiB, which is what an offset reaches
  return !head.has_failed() && out->count != 0 && out->count <= most;
}

bool read_listed(memory* from, const function_list& list, std::uint64_t index, function_entry* out) {
  listed one;
  return from->read(list.first + index * sizeof one, &one) && read_entry(from, entry_of(list, one), out);
}

bool find_function(memory* from, std::uintptr_t eh_frame_hdr, std::uintptr_t code, function_entry* out) {
  function_list list;
  std::uintptr_t entry;
  if (!read_list(from, eh_frame_hdr, &list) || !search(from, list, code, &entry)) return false;
  return read_entry(from, entry, out) && code >= out->begin && code < out->end;
}

}  // namespace weft::unwind
