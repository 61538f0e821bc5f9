#include "kernels/queens_board/queens_board.hpp"

namespace bench::queens_board {

const kernel queens_board = {
    .name = "queens-board",
    .title = "n-queens over one board with undo; each placement a thread or fork",
    .size_word = "n",
    .unit = "placement",
    .default_size = 12,
    .quick_size = 8,
    .max_size = queens::max_size,
    .expected = queens::expected,
};

}  // namespace bench::queens_board
