// Functions that stop in the middle: a generator that walks a tree, one that merges two others, and
// two sides that hand values over.
#include <cstdio>
#include <memory>
#include <optional>
#include <ranges>

#include <weft/coroutine2.hpp>
#include <weft/generator.hpp>
#include <weft/runtime.hpp>

namespace {

struct tree {
  std::unique_ptr<tree> left;
  int value;
  std::unique_ptr<tree> right;
};

std::unique_ptr<tree> make_tree(int from, int to) {
  if (from == to) return nullptr;
  const int middle = from + (to - from) / 2;
  return std::unique_ptr<tree>(new tree{make_tree(from, middle), middle, make_tree(middle + 1, to)});
}

// Yields from wherever the recursion stands.
void walk(const tree* at, weft::yielder<int>& yield) {
  if (at == nullptr) return;
  walk(at->left.get(), yield);
  yield(at->value);
  walk(at->right.get(), yield);
}

weft::generator<int> values_of(const tree* root) {
  return weft::generator<int>([root](weft::yielder<int>& yield) { walk(root, yield); });
}

weft::generator<int> merge(weft::generator<int> one, weft::generator<int> other) {
  return weft::generator<int>([one = std::move(one), other = std::move(other)](weft::yielder<int>& yield) mutable {
    std::optional<int> left = one.next(), right = other.next();
    while (left && right) {
      auto& smaller = *left <= *right ? left : right;
      yield(*smaller);
      smaller = (&smaller == &left ? one : other).next();
    }
    if (left) yield(*left);
    if (right) yield(*right);
    yield.all(std::move(one));
    yield.all(std::move(other));
  });
}

}  // namespace

int main() {
  const weft::runtime runtime;

  const auto low = make_tree(0, 10), high = make_tree(5, 20);
  std::printf("merged:");
  for (const int each : merge(values_of(low.get()), values_of(high.get())) | std::views::take(12)) std::printf(" %d", each);
  std::printf("\n");

  // The owner pushes, the function pulls: three words a line.
  using words = weft::coroutine<const char*>;
  words::push_type line([](words::pull_type& source) {
    for (int column = 0; source; source()) std::printf("%s%s", source.get(), ++column % 3 == 0 ? "\n" : " ");
  });
  for (const char* each : {"a", "stack", "of", "its", "own", "each"}) line(each);
  return 0;
}
