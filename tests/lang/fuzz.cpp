// Fuzzing of the Tascell compiler, aware of the grammar: the programs of constructs/ and
// diagnostics/ are taken apart into tokens, and tokens, groups in brackets and statements are
// removed, doubled, exchanged between programs, or replaced by words of the language. Whatever
// comes of it, the compiler ends, and either makes C or says what is wrong. A crash or a hang ends
// the test with the seed, which repeats it.
//
// usage: lang_fuzz SECONDS FOLDER [SEED]
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "compiler/syntax.hpp"

namespace {

using text_list = std::vector<std::string>;

const text_list language = {"do_two",
                            "do_many",
                            "wind",
                            "reversible",
                            "throw",
                            "catch",
                            "check_request",
                            "worker",
                            "task",
                            "task_exec",
                            "handles",
                            "share",
                            "in",
                            "out",
                            "copy",
                            "shared",
                            "reduce",
                            "(+: x)",
                            "guard",
                            "split at",
                            "poll",
                            "broadcast",
                            "worker_data",
                            "worker_init",
                            "this",
                            "this.",
                            "WDATA",
                            "PROBABILITY",
                            "fi",
                            "swap",
                            "for (int i : 0, 9)",
                            "return",
                            "break",
                            "continue",
                            "goto",
                            "case 1:",
                            "default:",
                            "if",
                            "else",
                            "while",
                            "do",
                            "switch",
                            "{",
                            "}",
                            "(",
                            ")",
                            "[",
                            "]",
                            ";",
                            ",",
                            ":",
                            "..",
                            "*",
                            "&",
                            "=",
                            "+=",
                            "++",
                            "->",
                            ".",
                            "?",
                            "int",
                            "long",
                            "struct",
                            "typedef",
                            "static",
                            "const",
                            "sizeof",
                            "0",
                            "1",
                            "'x'",
                            "\"s\"",
                            "x",
                            "n",
                            "({",
                            "})",
                            "#pragma x\n",
                            "# 7 \"other.h\" 3\n",
                            "__attribute__((unused))",
                            "_Static_assert(1, \"\")",
                            "enum { A, B }",
                            "int (*p)(int)",
                            "a[n]"};

unsigned long current_seed = 0;

void tell_seed(int) {
  char text[64];
  int const length = std::snprintf(text, sizeof text, "fuzz: hang or crash with seed %lu\n", current_seed);
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) _exit(2);
  _exit(1);
}

// Words with the space before them; directives are left out, so that no header is wanted.
text_list words_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#")) text += line + "\n";
  }
  for (size_t at = text.find("//"); at != std::string::npos; at = text.find("//")) text.erase(at, text.find('\n', at) - at);
  for (size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*")) text.erase(at, text.find("*/", at) + 2 - at);
  tascell::source from;
  from.text = text;
  text_list result;
  try {
    tascell::split_into_tokens(from);
  } catch (const tascell::syntax_error&) {
    return result;
  }
  for (const tascell::token& each : from.tokens) result.emplace_back(each.text);
  return result;
}

class fuzzer {
 public:
  fuzzer(std::vector<text_list> programs, unsigned long seed) : programs_(std::move(programs)), random_(seed) {}

  std::string next() {
    text_list words = one_of(programs_);
    for (size_t changes = 1 + below(4); changes > 0 && !words.empty(); changes--) change(words);
    std::string result = "typedef unsigned long size_t; void *malloc(size_t); int printf(const char *, ...);\n";
    for (const std::string& each : words) result += each + (below(9) == 0 ? "\n" : " ");
    return result;
  }

 private:
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }
  template <typename Element>
  const Element& one_of(const std::vector<Element>& from) {
    return from[below(from.size())];
  }

  // The end of the group or of the statement that begins at a word.
  static size_t end_of_part(const text_list& words, size_t begin) {
    int depth = 0;
    for (size_t at = begin; at < words.size(); at++) {
      if (words[at] == "(" || words[at] == "{" || words[at] == "[") depth++;
      if (words[at] == ")" || words[at] == "}" || words[at] == "]") depth--;
      if (depth < 0) return at;
      if (depth == 0 && (words[at] == ";" || words[at] == "}" || words[at] == ")")) return at + 1;
    }
    return words.size();
  }

  void change(text_list& words) {
    size_t const at = below(words.size());
    auto const place = words.begin() + static_cast<std::ptrdiff_t>(at);
    auto const end = words.begin() + static_cast<std::ptrdiff_t>(end_of_part(words, at));
    switch (below(7)) {
      case 0: words.erase(place); break;
      case 1: words.insert(place, one_of(language)); break;
      case 2: *place = one_of(language); break;
      case 3: words.erase(place, end); break;
      case 4: {
        text_list const part(place, end);
        words.insert(place, part.begin(), part.end());
        break;
      }
      case 5: std::swap(*place, words[below(words.size())]); break;
      default: {
        const text_list& other = one_of(programs_);
        if (other.empty()) break;
        size_t const from = below(other.size());
        words.insert(place, other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(end_of_part(other, from)));
      }
    }
  }

  std::vector<text_list> programs_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: lang_fuzz SECONDS FOLDER [SEED]\n");
    return 2;
  }
  std::vector<text_list> programs;
  for (const char* folder : {"checks", "constructs", "diagnostics", "programs"}) {
    for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(arguments[2]) / folder)) {
      if (file.path().extension() == ".tc") programs.push_back(words_of(file.path()));
    }
  }
  unsigned long const first = count > 3 ? std::strtoul(arguments[3], nullptr, 10) : std::random_device()();
  std::printf("first seed %lu\n", first);
  std::fflush(stdout);
  for (int signal : {SIGALRM, SIGSEGV, SIGABRT}) std::signal(signal, tell_seed);
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(arguments[1]));
  unsigned long made = 0;
  unsigned long good = 0;
  do {
    current_seed = first + made;
    alarm(10);
    tascell::lower_options options;
    options.inline_levels = static_cast<int>(made % 3);
    tascell::compiled const result = tascell::compile_text(fuzzer(programs, current_seed).next(), "fuzz.tc", options,
                                                           [](const std::string&, unsigned) { return std::string(); });
    alarm(0);
    good += result.is_good ? 1 : 0;
    made++;
    if (result.is_good == result.c.empty() || (!result.is_good && result.messages.empty())) {
      std::fprintf(stderr, "fuzz: silent with seed %lu\n", current_seed);
      return 1;
    }
  } while (std::chrono::steady_clock::now() < end && count < 5);
  std::printf("figure: fuzzed programs = %lu\nfigure: of these compiled = %lu\n", made, good);
  return good == 0 ? 1 : 0;
}
