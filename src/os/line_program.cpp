// See line_program.hpp.
#include "os/line_program.hpp"

#include <string.h>

namespace weft::os {
namespace {

constexpr std::size_t most_bytes = 256 * 1024 * 1024;

// Reads forward, never beyond the end: then it is damaged, and everything is 0.
class bytes {
 public:
  bytes(const unsigned char* begin, const unsigned char* end) : at_(begin), end_(end) {}

  bool is_at_end() const { return at_ == end_; }
  bool is_damaged() const { return is_damaged_; }
  const unsigned char* at() const { return at_; }

  std::uint64_t fixed(unsigned count) {
    std::uint64_t value = 0;
    if (left() < count) return damage();
    memcpy(&value, at_, count);  // little-endian, as the machines that Weft runs on
    at_ += count;
    return value;
  }
  std::uint64_t offset(bool is_wide) { return fixed(is_wide ? 8 : 4); }
  std::uint64_t unsigned_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t one = fixed(1);
      if (is_damaged_ || shift > 63) return damage();
      value |= (one & 0x7f) << shift;
      if ((one & 0x80) == 0) return value;
    }
  }
  std::int64_t signed_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const std::uint64_t one = fixed(1);
      if (is_damaged_ || shift > 63) return static_cast<std::int64_t>(damage());
      value |= (one & 0x7f) << shift;
      shift += 7;
      if ((one & 0x80) != 0) continue;
      if ((one & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }
  const char* text() {
    const void* zero = left() != 0 ? memchr(at_, 0, left()) : nullptr;
    if (zero == nullptr) return damage(), "";
    const char* const begin = reinterpret_cast<const char*>(at_);
    at_ = static_cast<const unsigned char*>(zero) + 1;
    return begin;
  }
  void skip(std::uint64_t count) {
    if (left() < count) {
      damage();
    } else {
      at_ += count;
    }
  }
  // The next `count` bytes, which are left behind.
  bytes take(std::uint64_t count) {
    const unsigned char* const begin = at_;
    skip(count);
    return is_damaged_ ? bytes(end_, end_) : bytes(begin, at_);
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint64_t damage() {
    is_damaged_ = true;
    at_ = end_;
    return 0;
  }

  const unsigned char* at_;
  const unsigned char* end_;
  bool is_damaged_ = false;
};

const char* text_in(const section& where, std::uint64_t offset) {
  if (offset >= where.bytes) return nullptr;
  const unsigned char* const begin = where.begin + offset;
  if (memchr(begin, 0, where.bytes - offset) == nullptr) return nullptr;
  return reinterpret_cast<const char*>(begin);
}

// ---- the header ----

struct header {
  bool is_wide;  // offsets of 8 bytes
  unsigned version;
  unsigned shortest_instruction;
  int line_base;
  unsigned line_range;
  unsigned opcode_base;
  const unsigned char* operand_counts;  // by opcode, from 1 on
  bytes tables;                         // directories and files
};

bool read_header(bytes* unit, bool is_wide, header* out) {
  out->is_wide = is_wide;
  out->version = static_cast<unsigned>(unit->fixed(2));
  if (out->version < 2 || out->version > 5) return false;
  if (out->version == 5) unit->skip(2);  // sizes of addresses and of segment selectors
  bytes head = unit->take(unit->offset(is_wide));
  out->shortest_instruction = static_cast<unsigned>(head.fixed(1));
  if (out->version >= 4) head.skip(1);                    // operations in an instruction: of other machines
  head.skip(1);                                           // is_stmt
  const int line_base = static_cast<int>(head.fixed(1));  // of two's complement, in a byte
  out->line_base = line_base < 128 ? line_base : line_base - 256;
  out->line_range = static_cast<unsigned>(head.fixed(1));
  out->opcode_base = static_cast<unsigned>(head.fixed(1));
  if (out->line_range == 0 || out->opcode_base == 0) return false;
  out->operand_counts = head.at();
  head.skip(out->opcode_base - 1);
  out->tables = head;
  return !head.is_damaged() && !unit->is_damaged();
}

// ---- names of files ----

const char* file_before_5(bytes tables, std::uint64_t number) {
  while (*tables.text() != '\0') continue;  // directories
  for (std::uint64_t index = 1; !tables.is_damaged(); ++index) {
    const char* const name = tables.text();
    if (*name == '\0') return nullptr;
    if (index == number) return name;
    for (int each = 0; each < 3; ++each) tables.unsigned_number();  // directory, time, size
  }
  return nullptr;
}

enum form : unsigned {
  data2 = 0x05,
  data4 = 0x06,
  data8 = 0x07,
  plain_text = 0x08,
  block = 0x09,
  data1 = 0x0b,
  text_offset = 0x0e,
  number = 0x0f,
  data16 = 0x1e,
  line_text_offset = 0x1f
};

// A text, or null for what is none. False: of a form that is not known.
bool read_form(const line_sections& all, bytes* from, bool is_wide, std::uint64_t which, const char** text) {
  *text = nullptr;
  switch (which) {
    case plain_text: *text = from->text(); break;
    case line_text_offset: *text = text_in(all.line_strings, from->offset(is_wide)); break;
    case text_offset: *text = text_in(all.strings, from->offset(is_wide)); break;
    case number: from->unsigned_number(); break;
    case data1: from->skip(1); break;
    case data2: from->skip(2); break;
    case data4: from->skip(4); break;
    case data8: from->skip(8); break;
    case data16: from->skip(16); break;
    case block: from->skip(from->unsigned_number()); break;
    default: return false;
  }
  return !from->is_damaged();
}

// Of entry `wanted` of a table of directories or files the path, or null. Afterwards `tables` is at
// that entry, or behind the table.
const char* path_in_table(const line_sections& all, bytes* tables, bool is_wide, std::uint64_t wanted) {
  constexpr std::uint64_t is_path = 1;
  const auto formats = static_cast<unsigned>(tables->fixed(1));
  bytes description = *tables;
  for (unsigned each = 0; each < 2 * formats; ++each) tables->unsigned_number();
  const std::uint64_t count = tables->unsigned_number();
  for (std::uint64_t index = 0; index < count && formats != 0 && !tables->is_damaged(); ++index) {
    bytes description_of_one = description;
    const char* path = nullptr;
    for (unsigned each = 0; each < formats; ++each) {
      const std::uint64_t what = description_of_one.unsigned_number();
      const char* text = nullptr;
      if (!read_form(all, tables, is_wide, description_of_one.unsigned_number(), &text)) return nullptr;
      if (what == is_path) path = text;
    }
    if (index == wanted) return path;
  }
  return nullptr;
}

const char* file_of(const line_sections& all, const header& head, std::uint64_t number) {
  if (head.version < 5) return file_before_5(head.tables, number);
  bytes tables = head.tables;
  path_in_table(all, &tables, head.is_wide, UINT64_MAX);  // directories
  return tables.is_damaged() ? nullptr : path_in_table(all, &tables, head.is_wide, number);
}

// ---- the program ----

struct row {
  std::uint64_t address = 0;
  std::uint64_t file = 1;
  std::uint64_t line = 1;
};

class machine {
 public:
  machine(const header& head, bytes program, std::uint64_t wanted) : head_(head), program_(program), wanted_(wanted) {}

  // False: the program has no row for the wanted address.
  bool run(row* out) {
    while (!program_.is_at_end() && !is_found_) step();
    *out = found_;
    return is_found_ && !program_.is_damaged();
  }

 private:
  enum standard : unsigned { copy = 1, advance_pc, advance_line, set_file, const_add_pc = 8, fixed_advance_pc };
  enum extended : unsigned { end_sequence = 1, set_address };

  // A row ends where the next one of its sequence begins.
  void add_row() {
    if (has_last_ && last_.address <= wanted_ && wanted_ < now_.address) {
      is_found_ = true;
      found_ = last_;
    }
    last_ = now_;
    has_last_ = true;
  }
  void advance(std::uint64_t operations) { now_.address += operations * head_.shortest_instruction; }

  void step() {
    const auto opcode = static_cast<unsigned>(program_.fixed(1));
    if (program_.is_damaged()) return;
    if (opcode >= head_.opcode_base) return special(opcode);
    if (opcode == 0) return step_extended();
    switch (opcode) {
      case copy: return add_row();
      case advance_pc: return advance(program_.unsigned_number());
      case advance_line: now_.line += static_cast<std::uint64_t>(program_.signed_number()); return;
      case set_file: now_.file = program_.unsigned_number(); return;
      case const_add_pc: return advance((255 - head_.opcode_base) / head_.line_range);
      case fixed_advance_pc: now_.address += program_.fixed(2); return;
      default: break;
    }
    for (unsigned each = 0; each < head_.operand_counts[opcode - 1]; ++each) program_.unsigned_number();
  }

  void special(unsigned opcode) {
    const unsigned adjusted = opcode - head_.opcode_base;
    advance(adjusted / head_.line_range);
    now_.line += static_cast<std::uint64_t>(std::int64_t{head_.line_base} + adjusted % head_.line_range);
    add_row();
  }

  void step_extended() {
    bytes instruction = program_.take(program_.unsigned_number());
    const auto opcode = static_cast<unsigned>(instruction.fixed(1));
    if (opcode == set_address) now_.address = instruction.fixed(8);
    if (opcode != end_sequence) return;
    add_row();
    now_ = {};
    has_last_ = false;
  }

  const header& head_;
  bytes program_;
  const std::uint64_t wanted_;
  row now_, last_, found_;
  bool has_last_ = false;
  bool is_found_ = false;
};

// One compilation unit's.
bool find_in_unit(const line_sections& all, bytes unit, bool is_wide, std::uint64_t address, source_line* out) {
  header head = {false, 0, 0, 0, 0, 0, nullptr, bytes(nullptr, nullptr)};
  row found;
  if (!read_header(&unit, is_wide, &head) || !machine(head, unit, address).run(&found) || found.line == 0) return false;
  const char* const file = file_of(all, head, found.file);
  if (file == nullptr || *file == '\0') return false;
  *out = {file, found.line};
  return true;
}

}  // namespace

bool find_line(const line_sections& all, std::uint64_t address, source_line* out) {
  constexpr std::uint64_t wide = 0xffffffff;
  bytes rest(all.lines.begin, all.lines.begin + (all.lines.bytes < most_bytes ? all.lines.bytes : most_bytes));
  while (!rest.is_at_end()) {
    std::uint64_t length = rest.fixed(4);
    const bool is_wide = length == wide;
    if (is_wide) length = rest.fixed(8);
    const bytes unit = rest.take(length);
    if (rest.is_damaged()) return false;
    if (find_in_unit(all, unit, is_wide, address, out)) return true;
  }
  return false;
}

}  // namespace weft::os
