// Full/empty words that hold their state themselves: weft_syncvar, 8 bytes with a value of 60 bits.
// The length of the longest common subsequence of two texts, a thread for each row of the table: a
// cell is empty until it is computed, and the thread below waits for it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include <weft/weft.hpp>

namespace {

constexpr std::string_view across = "the warp is held under tension", down = "the weft is drawn through";

void must(weft_status status) {
  if (status != WEFT_OK) throw weft::error(status, "31_full_empty");
}

// A value that is written once, and that any number of threads wait for.
class cell {
 public:
  std::uint64_t get() {
    std::uint64_t value = 0;
    must(weft_syncvar_read_ff(&word_, &value));
    return value;
  }
  void set(std::uint64_t value) { must(weft_syncvar_write_ef(&word_, value)); }

 private:
  weft_syncvar word_ = WEFT_SYNCVAR_EMPTY_INIT;
};

using row = std::vector<cell>;

void compute_row(row& above, char letter, row& mine) {
  mine[0].set(0);
  std::uint64_t left = 0;
  for (std::size_t column = 1; column < mine.size(); ++column) {
    std::uint64_t longest = std::max(left, above[column].get());
    if (letter == across[column - 1]) longest = above[column - 1].get() + 1;
    mine[column].set(longest);
    left = longest;
  }
}

}  // namespace

int main() {
  const weft::runtime runtime;
  std::vector<row> table(down.size() + 1);
  for (row& each : table) each = row(across.size() + 1);
  for (cell& each : table[0]) each.set(0);
  std::vector<weft::thread> threads;
  for (std::size_t number = down.size(); number > 0; --number) {  // the last row first: each has to wait
    threads.emplace_back([&table, number] { compute_row(table[number - 1], down[number - 1], table[number]); });
  }
  std::printf("%llu characters in common\n", static_cast<unsigned long long>(table.back().back().get()));
  for (weft::thread& each : threads) each.join();
}
