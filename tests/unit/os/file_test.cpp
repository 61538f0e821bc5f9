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

// ---- files that take the place of others once they are whole ------------------------------------

namespace {

std::string text_of(const std::string& path) {
  char* const text = os::read_whole(path.c_str());
  const std::string copy = text != nullptr ? text : "none";
  std::free(text);
  return copy;
}

std::string part_of(const std::string& path) { return path + "." + std::to_string(getpid()) + ".part"; }

// Writes "new", and ends as it is told. Returns what lies at the path meanwhile.
std::string replace(const std::string& path, bool is_whole) {
  os::whole_file file;
  const int descriptor = file.start(path.c_str());
  REQUIRE(descriptor >= 0);
  CHECK(os::write_all(descriptor, "new", 3));
  const std::string meanwhile = text_of(path);
  close(descriptor);
  if (is_whole) {
    CHECK(file.finish());
  } else {
    file.give_up();
  }
  CHECK(text_of(part_of(path)) == "none");
  return meanwhile;
}

mode_t mode_of(const std::string& path) {
  struct stat about;
  REQUIRE(lstat(path.c_str(), &about) == 0);
  return about.st_mode;
}

}  // namespace

TEST_CASE("a file stays until the one in its place is whole") {
  for (const mode_t of_folder : {of_owner, as_tmp}) {
    const scene here(of_folder);
    const std::string path = here.inner("file");
    CHECK(replace(path, false) == "none");
    CHECK(text_of(path) == "none");
    CHECK(replace(path, true) == "none");
    CHECK((mode_of(path) & 0777) == 0600);
    REQUIRE(chmod(path.c_str(), 0644) == 0);
    CHECK(why_refused(path) == 0);  // and cut
    CHECK(replace(path, false).empty());
    CHECK(text_of(path).empty());
    CHECK(replace(path, true).empty());
    CHECK(text_of(path) == "new");
    CHECK((mode_of(path) & 0777) == 0644);
  }
}

TEST_CASE("what a failed run left under the name of a part is written over") {
  const scene here(of_owner);
  CHECK(why_refused(here.inner("file.part")) == 0);
  CHECK(replace(here.inner("file"), true) == "none");
  CHECK(text_of(here.inner("file")) == "new");
}

TEST_CASE("links and other kinds of files are written in place") {
  const scene here(of_owner);
  const std::string link = here.inner("link"), twin = here.inner("twin");
  REQUIRE(symlink(here.victim().c_str(), link.c_str()) == 0);
  CHECK(replace(link, true) == "new");
  CHECK(S_ISLNK(mode_of(link)));
  CHECK(text_of(here.victim()) == "new");
  REQUIRE(::link(here.victim().c_str(), twin.c_str()) == 0);
  CHECK(replace(twin, true) == "new");
  CHECK(text_of(here.victim()) == "new");
  os::whole_file device;
  const int descriptor = device.start("/dev/null");
  REQUIRE(descriptor >= 0);
  close(descriptor);
  CHECK(device.finish());
  CHECK(S_ISCHR(mode_of("/dev/null")));
}

TEST_CASE("a file in the place of which another cannot be put is told, and stays") {
  const scene here(of_owner);
  const std::string path = here.inner("file");
  os::whole_file file;
  const int descriptor = file.start(path.c_str());
  REQUIRE(descriptor >= 0);
  close(descriptor);
  REQUIRE(mkdir(path.c_str(), 0700) == 0);
  CHECK_FALSE(file.finish());
  CHECK(errno == EISDIR);
  CHECK(text_of(part_of(path)) == "none");
}

TEST_CASE("a file that has the name of the part is left alone") {
  const scene here(of_owner);
  const std::string path = here.inner("file");
  os::whole_file first, second;
  const int part = first.start(path.c_str());
  REQUIRE(part >= 0);
  const int in_place = second.start(path.c_str());
  REQUIRE(in_place >= 0);
  CHECK(os::write_all(in_place, "second", 6));
  CHECK(second.finish());
  CHECK(text_of(path) == "second");
  CHECK(os::write_all(part, "first", 5));
  CHECK(first.finish());
  CHECK(text_of(path) == "first");
  close(in_place);
  close(part);
}

TEST_CASE("a whole file is refused where any file is") {
  const scene here(as_tmp);
  REQUIRE(symlink(here.victim().c_str(), here.inner("link").c_str()) == 0);
  for (const std::string& path : {here.inner("link"), here.inner("no/file"), std::string("/")}) {
    os::whole_file file;
    CHECK(file.start(path.c_str()) < 0);
  }
  CHECK(here.is_victim_whole());
}
