// The positions of the pieces: each piece in all ways that it can lie, those that are the same
// counted once.
#include <algorithm>
#include <string_view>
#include <vector>

#include "kernels/pentomino/pentomino.hpp"

namespace bench::pentomino {

namespace {

struct square {
  int column;
  int row;
  friend constexpr auto operator<=>(const square&, const square&) = default;
};
using shape = std::array<square, 5>;  // sorted, the first one at 0, 0

struct piece {
  char name;
  std::array<std::string_view, 3> rows;
};

constexpr std::array<piece, 12> pieces = {{
    {'F', {".##", "##.", ".#."}},
    {'I', {"#####", "", ""}},
    {'L', {"####", "#...", ""}},
    {'N', {"##..", ".###", ""}},
    {'P', {"##", "##", "#."}},
    {'T', {"###", ".#.", ".#."}},
    {'U', {"#.#", "###", ""}},
    {'V', {"#..", "#..", "###"}},
    {'W', {"#..", "##.", ".##"}},
    {'X', {".#.", "###", ".#."}},
    {'Y', {"####", ".#..", ""}},
    {'Z', {"##.", ".#.", ".##"}},
}};
constexpr char without_symmetry = 'P';

shape read(const piece& of) {
  shape drawn{};
  std::size_t found = 0;
  for (int row = 0; row < 3; ++row) {
    std::string_view const line = of.rows[static_cast<std::size_t>(row)];
    for (int column = 0; column < static_cast<int>(line.size()); ++column) {
      if (line[static_cast<std::size_t>(column)] == '#') drawn[found++] = {column, row};
    }
  }
  return drawn;
}

shape bring_to_origin(shape drawn) {
  std::ranges::sort(drawn);
  square const first = drawn[0];
  for (square& each : drawn) each = {each.column - first.column, each.row - first.row};
  return drawn;
}

// Bit 0: the diagonal is the mirror; bits 1 and 2: left and right, above and below change places.
shape turn(shape drawn, unsigned how) {
  for (square& each : drawn) {
    if ((how & 1) != 0) std::swap(each.column, each.row);
    if ((how & 2) != 0) each.column = -each.column;
    if ((how & 4) != 0) each.row = -each.row;
  }
  return bring_to_origin(drawn);
}

// Whatever maps a rectangle to itself changes bits 1 and 2.
std::vector<shape> turn_every_way(const piece& of) {
  unsigned const ways = of.name == without_symmetry ? 2 : 8;
  std::vector<shape> found;
  for (unsigned way = 0; way < ways; ++way) {
    shape const turned = turn(read(of), way);
    if (std::ranges::find(found, turned) == found.end()) found.push_back(turned);
  }
  return found;
}

bool is_inside(const shape& drawn, int first_row, int rows) {
  return std::ranges::all_of(drawn, [=](const square& each) { return first_row + each.row >= 0 && first_row + each.row < rows; });
}

}  // namespace

class puzzle_maker {
 public:
  puzzle_maker(puzzle& made, int rows) : made_(made), rows_(rows) {}

  void add(const piece& of) {
    std::vector<shape> const shapes = turn_every_way(of);
    position_set const same = ((position_set{1} << shapes.size()) - 1) << next_;
    made_.all_ |= same;
    for (const shape& drawn : shapes) {
      made_.of_same_piece_[next_] = same;
      add_position(drawn);
      ++next_;
    }
  }

 private:
  void add_position(const shape& drawn) {
    for (unsigned first = 0; first < squares; ++first) {
      if (is_inside(drawn, static_cast<int>(first) % rows_, rows_)) made_.inside_[first] |= position_set{1} << next_;
    }
    if (!std::ranges::any_of(made_.inside_, [this](position_set at) { return (at >> next_ & 1) != 0; })) return;
    for (const square& each : drawn) made_.shapes_[next_] |= square_set{1} << (each.column * rows_ + each.row);
  }

  puzzle& made_;
  int rows_;
  std::size_t next_ = 0;
};

puzzle::puzzle(std::uint64_t rows) {
  puzzle_maker maker(*this, static_cast<int>(rows));
  for (const piece& each : pieces) maker.add(each);
}

}  // namespace bench::pentomino
