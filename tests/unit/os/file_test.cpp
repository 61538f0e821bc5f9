// Lines of files of any length; which files are written, and which are refused.
#include "os/file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

using namespace weft;

namespace {

class file_with {
 public:
  explicit file_with(const std::string& text) {
    const int descriptor = mkstemp(path_);
    REQUIRE(descriptor >= 0);
    CHECK(os::write_all(descriptor, text.data(), text.size()));
    close(descriptor);
  }
  ~file_with() { unlink(path_); }
  file_with(const file_with&) = delete;
  file_with& operator=(const file_with&) = delete;

  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/weft-file-test-XXXXXX";
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  const file_with file(text);
  CHECK(os::walk_lines([](void* to, const char* line) { static_cast<std::vector<std::string>*>(to)->emplace_back(line); }, &lines,
                       "%s", file.path()));
  return lines;
}

}  // namespace

TEST_CASE("lines, also empty ones and a last one without an end") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("one\n\nthree") == std::vector<std::string>{"one", "", "three"});
  CHECK(lines_of("one\n") == std::vector<std::string>{"one"});
}

TEST_CASE("what stands behind a very long line is found; of that itself the start") {
  const std::vector<std::string> lines = lines_of("State:\tS\nGroups:\t" + std::string(100'000, '7') + "\nlast:\t1\n");
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].starts_with("Groups:\t777"));
  CHECK(lines[1].size() < 1000);
  CHECK(lines[2] == "last:\t1");
}

TEST_CASE("a file that is not there") {
  CHECK_FALSE(os::walk_lines([](void*, const char*) {}, nullptr, "/no/such/file"));
}

// ---- files that are written ----

namespace {

// A folder of the test's own with a file, "victim", in it. `mode` is that of the folder "inner",
// where files are to be written.
class scene {
 public:
  explicit scene(mode_t mode) {
    REQUIRE(mkdtemp(top_.data()) != nullptr);
    REQUIRE(mkdir(inner("").c_str(), 0700) == 0);
    REQUIRE(chmod(inner("").c_str(), mode) == 0);
    write_victim();
  }
  ~scene() { CHECK(std::system(("rm -r " + top_).c_str()) == 0); }
  scene(const scene&) = delete;
  scene& operator=(const scene&) = delete;

  std::string inner(const std::string& name) const { return top_ + "/inner/" + name; }
  std::string victim() const { return top_ + "/victim"; }
  bool is_victim_whole() const { return bytes_of(victim()) == 5; }
  static long bytes_of(const std::string& path) {
    struct stat about;
    return stat(path.c_str(), &about) == 0 ? about.st_size : -1;
  }

 private:
  void write_victim() {
    const int descriptor = os::open_for_writing(victim().c_str(), true);
    REQUIRE(descriptor >= 0);
    CHECK(os::write_all(descriptor, "whole", 5));
    close(descriptor);
  }

  std::string top_ = "/tmp/weft-file-test-XXXXXX";
};

constexpr mode_t as_tmp = 01777, of_owner = 0755;

// 0: it was opened; else errno.
int why_refused(const std::string& path, bool cut = true) {
  const int descriptor = os::open_for_writing(path.c_str(), cut);
  if (descriptor < 0) return errno;
  close(descriptor);
  return 0;
}

}  // namespace

TEST_CASE("a file that is created is for its owner alone") {
  const scene here(of_owner);
  const mode_t before = umask(0);
  CHECK(why_refused(here.inner("new")) == 0);
  umask(before);
  struct stat about;
  REQUIRE(stat(here.inner("new").c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
}

TEST_CASE("a file that is there is cut, or is written on at its end") {
  const scene here(of_owner);
  CHECK(why_refused(here.victim(), false) == 0);
  CHECK(here.is_victim_whole());
  CHECK(why_refused(here.victim(), true) == 0);
  CHECK(scene::bytes_of(here.victim()) == 0);
}

TEST_CASE("links: followed in the user's own folders, not where any user may have put them") {
  for (const mode_t mode : {of_owner, as_tmp}) {
    const scene here(mode);
    const bool is_shared = mode == as_tmp;
    CAPTURE(is_shared);
    REQUIRE(symlink("../victim", here.inner("link").c_str()) == 0);
    REQUIRE(symlink("../made by a link", here.inner("dangling").c_str()) == 0);
    REQUIRE(symlink("..", here.inner("folder").c_str()) == 0);
    REQUIRE(link(here.victim().c_str(), here.inner("hard link").c_str()) == 0);
    CHECK(why_refused(here.inner("link")) == (is_shared ? ELOOP : 0));
    CHECK(here.is_victim_whole() == is_shared);
    const std::filesystem::path before = std::filesystem::current_path();
    REQUIRE(chdir(here.inner("").c_str()) == 0);
    for (const char* relative : {"link", "./link", "../inner/link"}) {
      CHECK(why_refused(relative) == (is_shared ? ELOOP : 0));
      CHECK(here.is_victim_whole() == is_shared);
    }
    REQUIRE(chdir(before.c_str()) == 0);
    CHECK(why_refused(here.inner("dangling")) == (is_shared ? ELOOP : 0));
    CHECK((scene::bytes_of(here.inner("../made by a link")) < 0) == is_shared);
    CHECK(why_refused(here.inner("folder/victim"), false) == (is_shared ? ELOOP : 0));
    CHECK(why_refused(here.inner("hard link"), false) == (is_shared ? EEXIST : 0));
    CHECK(why_refused(here.inner("plain")) == 0);
    CHECK(why_refused(here.inner("plain")) == 0);  // now there is one
  }
}

TEST_CASE("another user's file in a folder of all is not written") {
  const scene here(as_tmp);
  REQUIRE(why_refused(here.inner("theirs")) == 0);
  constexpr uid_t another = 65534;
  if (chown(here.inner("theirs").c_str(), another, another) != 0) return;  // only root can give files away
  const int why = why_refused(here.inner("theirs"), false);
  CHECK((why == EEXIST || why == EACCES));  // EACCES: the kernel refuses as well (fs.protected_regular)
}

TEST_CASE("a FIFO: refused without a reader, written with one") {
  const scene here(of_owner);
  const std::string fifo = here.inner("fifo");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(why_refused(fifo) == ENXIO);
  CHECK(std::string(os::why_not_opened(ENXIO)).find("start its reader") != std::string::npos);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  const int writer = os::open_for_writing(fifo.c_str(), true);
  REQUIRE(writer >= 0);
  CHECK((fcntl(writer, F_GETFL) & O_NONBLOCK) == 0);  // or a full pipe would lose what follows
  close(writer);
  close(reader);
}

TEST_CASE("to read a FIFO that no program writes to is refused, not waited for") {
  const scene here(of_owner);
  REQUIRE(mkfifo(here.inner("fifo").c_str(), 0600) == 0);
  CHECK(os::read_whole(here.inner("fifo").c_str()) == nullptr);
}

TEST_CASE("paths that name no file") {
  const scene here(of_owner);
  CHECK(why_refused("") != 0);
  CHECK(why_refused("/") == EISDIR);
  CHECK(why_refused(here.inner("")) == EISDIR);
  CHECK(why_refused(here.victim() + "/file") == ENOTDIR);
  CHECK(why_refused(here.inner("no/file")) == ENOENT);
  CHECK(why_refused(here.inner(std::string(300, 'x')) + "/file") == ENAMETOOLONG);
}
