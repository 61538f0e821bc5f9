// Texts for readers of outside text: good ones that are damaged, a few times or not at all. A seed
// repeats a text.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace weft::test {

using texts = std::vector<std::string>;

class damaged_text {
 public:
  explicit damaged_text(std::uint64_t seed) : by_(seed) {}

  std::size_t draw(std::size_t below) { return static_cast<std::size_t>(by_() % below); }
  const std::string& one_of(const texts& all) { return all[draw(all.size())]; }

  // words: what the reader knows, put in at any place.
  std::string of(const texts& good, const texts& words) {
    std::string text = one_of(good);
    for (std::size_t times = draw(5); times != 0; --times) damage(&text, words);
    return text;
  }

 private:
  void damage(std::string* text, const texts& words) {
    static const texts numbers = {"0",
                                  "-1",
                                  "1",
                                  "00",
                                  "1023",
                                  "1024",
                                  "1025",
                                  "65535",
                                  "65536",
                                  "2147483647",
                                  "2147483648",
                                  "4294967295",
                                  "4294967296",
                                  "9223372036854775807",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  "99999999999999999999999",
                                  "1e9",
                                  "0x10",
                                  " 1"};
    const std::size_t at = draw(text->size() + 1);
    const std::size_t rest = text->size() - at;
    switch (draw(9)) {
      case 0: text->insert(at, one_of(words)); break;
      case 1: text->insert(at, one_of(numbers)); break;
      case 2: text->erase(at, draw(8)); break;
      case 3: text->resize(at); break;
      case 4: text->insert(at, 1, static_cast<char>(1 + draw(255))); break;  // no text of the environment holds a 0
      case 5:
        if (rest != 0) (*text)[at] = static_cast<char>(1 + draw(255));
        break;
      case 6: text->insert(at, text->substr(at, draw(40))); break;
      case 7: replace_number(text, at, one_of(numbers)); break;
      default: text->insert(at, std::string(draw(6) == 0 ? 600 : draw(30), one_of(words).empty() ? 'x' : one_of(words)[0]));
    }
  }

  static void replace_number(std::string* text, std::size_t from, const std::string& by) {
    constexpr char digits[] = "0123456789";
    const std::size_t begin = text->find_first_of(digits, from);
    if (begin == std::string::npos) return;
    const std::size_t end = text->find_first_not_of(digits, begin);
    text->replace(begin, end == std::string::npos ? end : end - begin, by);
  }

  std::mt19937_64 by_;
};

}  // namespace weft::test
