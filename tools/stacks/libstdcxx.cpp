#include <algorithm>
#include <filesystem>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>
#include <vector>

#include "calls.h"

namespace {

void match(size_t characters) {
  std::string text;
  for (size_t each = 0; each < characters; ++each) text += each % 2 == 0 ? 'a' : 'b';
  NEED(std::regex_match(text, std::regex("(a|b)*")));
}

void throw_and_catch(void*) {
  try {
    throw std::runtime_error("of no account");
  } catch (const std::runtime_error&) {
  }
}

void random_device(void*) { NEED(std::mt19937_64(std::random_device{}())() != 0); }

void sort_million(void*) {
  std::vector<unsigned> numbers(1000000);
  std::generate(numbers.begin(), numbers.end(), std::minstd_rand());
  std::sort(numbers.begin(), numbers.end());
}

void recursive_directory_iterator(void*) {
  for (const auto& each : std::filesystem::recursive_directory_iterator("/usr/include/linux")) NEED(!each.path().empty());
}

void regex_match_100_characters(void*) { match(100); }
void regex_match_1000_characters(void*) { match(1000); }
void regex_match_10000_characters(void*) { match(10000); }

}  // namespace

int main() {
  static constexpr weft_function calls[] = {throw_and_catch,
                                            random_device,
                                            sort_million,
                                            recursive_directory_iterator,
                                            regex_match_100_characters,
                                            regex_match_1000_characters,
                                            regex_match_10000_characters};
  run_calls(("of gcc " + std::to_string(__GNUC__)).c_str(), calls, sizeof calls / sizeof *calls);
}
