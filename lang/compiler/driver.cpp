// Runs the C compiler as a child, twice, with files in a temporary folder between.
#include "driver.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "syntax.hpp"

extern char** environ;

namespace tascell {

namespace {

using words = std::vector<std::string>;

constexpr const char* prelude =
    "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n"
    "#include <weft/tascell_lowered.h>\n"
    "weft_setjmp_begin setjmp(weft_buffer) weft_setjmp_end\n";

// Options whose value is the next word.
constexpr std::array<std::string_view, 20> with_value = {
    "-I",  "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-MF", "-MT",
    "-MQ", "-L", "-l", "-Xlinker", "-T",       "-u",      "-z",         "--param",  "-x",  "-target"};

// A folder for files between the steps, which goes with the object.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "weft-tascell-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw driver_error("no temporary folder can be made in " + name + ": " + std::strerror(errno));
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& name, const std::string& text) {
  std::ofstream file(name, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw driver_error(name + " cannot be written: " + std::strerror(errno));
}

std::string read_file(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) throw driver_error(name + " is a folder, and no program");
  std::ifstream file(name, std::ios::binary);
  if (!file) throw driver_error(name + " cannot be read: " + std::strerror(errno));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool succeeds(const words& command) {
  std::vector<char*> arguments;
  for (const std::string& each : command) arguments.push_back(const_cast<char*>(each.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  int const refused = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
  if (refused != 0) throw driver_error(command[0] + " cannot be run: " + std::strerror(refused) + "; set CC to a C compiler");
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The C compiler may have options in its name: CC="ccache gcc".
words command_of(const std::string& text) {
  std::istringstream in(text);
  words result;
  for (std::string each; in >> each;) result.push_back(each);
  if (result.empty()) result.emplace_back("cc");
  return result;
}

bool is_for_linker(const std::string& word) {
  return word[0] != '-' || word.starts_with("-l") || word.starts_with("-L") || word.starts_with("-Wl,") || word == "-Xlinker";
}

bool is_for_dependencies(const std::string& word) { return word.starts_with("-M") && word != "-Mach"; }

// The words of one step: those of which is_wanted says so, with their values.
template <typename Wanted>
words chosen(const words& all, Wanted is_wanted) {
  words result;
  for (size_t i = 0; i < all.size(); i++) {
    bool const has_value = std::ranges::find(with_value, all[i]) != with_value.end() && i + 1 < all.size();
    if (is_wanted(all[i])) {
      result.push_back(all[i]);
      if (has_value) result.push_back(all[i + 1]);
    }
    if (has_value) i++;
  }
  return result;
}

void append(words& to, const words& more) { to.insert(to.end(), more.begin(), more.end()); }

// Where the C compiler would write dependencies.
struct dependencies {
  std::string file;    // empty: they are not asked for
  words preprocessor;  // what tells the preprocessor so, which writes another file than the C compiler
};

dependencies dependencies_of(const order& what, const std::string& out) {
  dependencies result;
  bool has_target = false;
  for (size_t i = 0; i < what.words.size(); i++) {
    const std::string& word = what.words[i];
    if (word == "-MD" || word == "-MMD") result.file = std::filesystem::path(out).replace_extension(".d").string();
    has_target = has_target || word.starts_with("-MT") || word.starts_with("-MQ");
  }
  for (size_t i = 0; i < what.words.size() && !result.file.empty(); i++) {
    const std::string& word = what.words[i];
    if (word == "-MF" && i + 1 < what.words.size()) result.file = what.words[i + 1];
    if (word.starts_with("-MF") && word.size() > 3) result.file = word.substr(3);
  }
  if (!result.file.empty()) result.preprocessor = {"-MF", result.file};
  if (!result.file.empty() && !has_target) append(result.preprocessor, {"-MQ", out});
  return result;
}

std::string file_made(const order& what) {
  if (!what.out.empty()) return what.out;
  return std::filesystem::path(what.source).stem().string() + (what.emits_c ? ".c" : what.only_compiles ? ".o" : "");
}

// Takes a file out of the dependencies: a temporary one is not there when they are read.
void forget_dependency(const std::string& file, const std::string& dependency) {
  std::string text = read_file(file);
  std::string const own_rule = "\n" + dependency + ":\n";  // by -MP
  if (size_t const at = text.find(own_rule); at != std::string::npos) text.erase(at, own_rule.size() - 1);
  if (size_t const at = text.find(" " + dependency); at != std::string::npos) text.erase(at, dependency.size() + 1);
  write_file(file, text);
}

bool optimises(const words& all) {
  return std::ranges::any_of(all, [](const std::string& each) { return each == "-O2" || each == "-O3" || each == "-Ofast"; });
}

// Lines of the files that messages are about.
class line_reader {
 public:
  std::string operator()(const std::string& file, unsigned line) {
    std::vector<std::string>& lines = files_[file];
    if (lines.empty()) {
      std::ifstream in(file);
      for (std::string each; std::getline(in, each);) lines.push_back(each);
      if (lines.empty()) lines.emplace_back();
    }
    return line > 0 && line <= lines.size() ? lines[line - 1] : "";
  }

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

std::string value_after(const words& all, size_t& at) {
  if (at + 1 >= all.size()) throw usage_problem(all[at] + " wants a value behind it");
  return all[++at];
}

// Words that let the C compiler do something else than compile.
bool asks_for_other_text(const std::string& word) { return word == "-E" || word == "-S" || word == "-M" || word == "-MM"; }

int levels_of(const std::string& text) {
  bool const is_number = text.size() == 1 && text[0] >= '0' && text[0] <= '8';
  if (!is_number) throw usage_problem("--inline " + text + ": a number of levels from 0 to 8 is wanted");
  return text[0] - '0';
}

}  // namespace

void take_words(const words& all, order& into) {
  for (size_t i = 0; i < all.size(); i++) {
    const std::string& word = all[i];
    if (word == "-c") {
      into.only_compiles = true;
    } else if (word == "--emit-c") {
      into.emits_c = true;
    } else if (word == "-o") {
      into.out = value_after(all, i);
    } else if (word == "--explain") {
      into.explains = true;
    } else if (word == "--plain") {
      into.is_plain = true;
    } else if (word == "--inline") {
      into.inline_levels = levels_of(value_after(all, i));
    } else if (word.ends_with(".tc")) {
      if (!into.source.empty())
        throw usage_problem("one program at a time: " + into.source + " or " + word + "; compile each with -c, and link them");
      into.source = word;
    } else if (asks_for_other_text(word)) {
      throw usage_problem(word + " cannot be asked for; --emit-c writes the C text, -c -MD writes dependencies");
    } else {
      into.words.push_back(word);
      if (std::ranges::find(with_value, word) != with_value.end()) into.words.push_back(value_after(all, i));
    }
  }
}

int carry_out(const order& what, const installation& where) {
  temporary_folder const folder;
  read_file(what.source);  // a message of our own if it is not there
  write_file(folder.file("prelude.h"), prelude);
  words preprocess = command_of(what.c_compiler);
  append(preprocess,
         {"-E", "-isystem", where.include_folder, "-include", folder.file("prelude.h"), "-o", folder.file("program.i")});
  append(preprocess, chosen(what.words, [](const std::string& word) { return !is_for_linker(word); }));
  std::string const out = file_made(what);
  dependencies const names = dependencies_of(what, out);
  append(preprocess, names.preprocessor);
  append(preprocess, {"-x", "c", what.source});
  if (!succeeds(preprocess)) return 1;
  if (!names.file.empty()) forget_dependency(names.file, folder.file("prelude.h"));
  lower_options options;
  options.inline_levels = what.inline_levels >= 0 ? what.inline_levels : optimises(what.words) ? 4 : 0;
  options.is_plain = what.is_plain;
  line_reader lines;
  compiled const made = compile_text(read_file(folder.file("program.i")), what.source, options, std::ref(lines));
  for (const std::string& each : made.messages) std::fputs(each.c_str(), stderr);
  if (!made.is_good) return 1;
  if (what.explains) {
    for (const std::string& each : made.explanations) std::fputs(each.c_str(), stdout);
    return 0;
  }
  std::string const stem = std::filesystem::path(what.source).stem().string();
  std::string const c_file = what.emits_c ? out : folder.file(stem + ".i");
  write_file(c_file, "# 1 \"" + what.source + "\"\n" + made.c);
  if (what.emits_c) return 0;
  words compile = command_of(what.c_compiler);
  if (what.only_compiles) compile.emplace_back("-c");
  append(compile, {"-o", out});
  compile.push_back(c_file);
  append(compile, chosen(what.words, [](const std::string& word) { return !is_for_dependencies(word); }));
  if (!what.only_compiles && !what.is_plain) {
    for (const std::string& each : where.library_folders) append(compile, {"-L" + each, "-Wl,-rpath," + each});
    append(compile, {"-lweft-tascell", "-lweft", "-pthread"});
  }
  return succeeds(compile) ? 0 : 1;
}

}  // namespace tascell
