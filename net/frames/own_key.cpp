// See own_key.hpp. What is in a folder is reached by the folder's descriptor, so that the checks of
// owner and mode hold for the folder that is used.
#include "net/frames/own_key.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::net {
namespace {

constexpr std::size_t path_bytes = 4096;

struct key_folder {
  char path[path_bytes];
  int opened;  // a descriptor; less than 0: it is not there
};

bool refuse(const char* whose, const char* path, const char* why, const char* cure) {
  fprintf(stderr, "%s: the folder %s of the key %s; %s, or name a key with --key-file\n", whose, path, why, cure);
  return false;
}

// Of a call of the system that has just failed.
bool refuse_by_errno(const char* whose, const char* path, const char* call) {
  char why[128];
  (void)snprintf(why, sizeof why, "cannot be %s: %s", call, strerror(errno));
  return refuse(whose, path, why, "let XDG_RUNTIME_DIR and HOME name folders of your own");
}

bool is_of_user_alone(const char* whose, const key_folder& folder) {
  struct stat of = {};
  if (fstat(folder.opened, &of) != 0) return refuse_by_errno(whose, folder.path, "examined");
  if (of.st_uid != geteuid())
    return refuse(whose, folder.path, "belongs to another user", "let XDG_RUNTIME_DIR and HOME name folders of your own");
  if ((of.st_mode & 022) != 0) return refuse(whose, folder.path, "can be written by other users", "chmod 700 it");
  return true;
}

// True without a descriptor: it is not there. False: a line has told why it is not used.
bool open_folder(const char* whose, key_folder* out) {
  out->opened = open(out->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (out->opened < 0 && errno == ENOENT) return true;
  if (out->opened < 0) return refuse_by_errno(whose, out->path, "opened");
  if (is_of_user_alone(whose, *out)) return true;
  close(out->opened);
  out->opened = -1;
  return false;
}

bool open_runtime_folder(const char* whose, key_folder* out) {
  const char* const path = getenv("XDG_RUNTIME_DIR");
  out->opened = -1;
  if (path == nullptr || path[0] != '/' || strlen(path) >= path_bytes) return true;
  (void)snprintf(out->path, path_bytes, "%s", path);
  return open_folder(whose, out);
}

bool open_home_folder(const char* whose, bool makes_it, key_folder* out) {
  const char* const home = getenv("HOME");
  out->opened = -1;
  if (home == nullptr || home[0] != '/' || strlen(home) + sizeof "/.weft" > path_bytes) return true;
  (void)snprintf(out->path, path_bytes, "%s/.weft", home);
  if (makes_it && mkdir(out->path, 0700) != 0 && errno != EEXIST) return refuse_by_errno(whose, out->path, "made");
  return open_folder(whose, out);
}

void name_key(unsigned port, char (&out)[sizeof own_key_file::name]) {
  (void)snprintf(out, sizeof out, "weft-tascell-%u.key", port);
}

bool fail_to_make(const char* whose, const key_folder& folder, const char* name) {
  fprintf(stderr, "%s: the key file %s/%s cannot be made: %s; remove what is there, or name another with --key-file\n", whose,
          folder.path, name, strerror(errno));
  return false;
}

// Under a random name until it is whole.
bool put_key(const key_folder& folder, const own_key_file& as, struct stat* of) {
  unsigned char bytes[8];
  char draft[64];
  random_bytes(bytes, sizeof bytes);
  unsigned long long number = 0;
  memcpy(&number, bytes, sizeof bytes);
  (void)snprintf(draft, sizeof draft, ".%s.%016llx", as.name, number);
  const int made = openat(folder.opened, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (made < 0) return false;
  const bool is_good = fchmod(made, 0600) == 0 && write_new_key(made) && fstat(made, of) == 0 &&
                       renameat(folder.opened, draft, folder.opened, as.name) == 0;
  const int problem = errno;
  close(made);
  if (!is_good) (void)unlinkat(folder.opened, draft, 0);
  errno = problem;
  return is_good;
}

// True with *is_there false: the folder has none.
bool read_in(const char* whose, const key_folder& folder, const char* name, bool* is_there, key* out) {
  char file[path_bytes + sizeof own_key_file::name + 1];
  (void)snprintf(file, sizeof file, "%s/%s", folder.path, name);
  const int opened = openat(folder.opened, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  *is_there = opened >= 0 || errno != ENOENT;
  if (!*is_there) return true;
  struct stat of = {};
  const bool is_own = opened >= 0 && fstat(opened, &of) == 0 && S_ISREG(of.st_mode) && of.st_uid == geteuid();
  const bool is_good = is_own && read_opened_key(whose, file, opened, out);
  if (!is_own)
    fprintf(stderr,
            "%s: the key file %s is no file of this user; remove it and start the server again, or name a key with --key-file\n",
            whose, file);
  if (opened >= 0) close(opened);
  return is_good;
}

bool find_in(const char* whose, const key_folder& folder, const char* name, bool* is_there, key* out) {
  *is_there = false;
  if (folder.opened < 0) return true;
  const bool is_good = read_in(whose, folder, name, is_there, out);
  close(folder.opened);
  return is_good;
}

}  // namespace

bool make_own_key(const char* whose, unsigned port, key* out, own_key_file* made) {
  key_folder folder;
  if (!has_libcrypto(whose) || !open_runtime_folder(whose, &folder)) return false;
  if (folder.opened < 0 && !open_home_folder(whose, true, &folder)) return false;
  if (folder.opened < 0) {
    fprintf(stderr, "%s: neither XDG_RUNTIME_DIR nor HOME names a folder for a key; set one, or name a key with --key-file\n",
            whose);
    return false;
  }
  name_key(port, made->name);
  struct stat of = {};
  bool is_there = put_key(folder, *made, &of) || fail_to_make(whose, folder, made->name);
  if (is_there && read_in(whose, folder, made->name, &is_there, out) && is_there) {
    made->folder = folder.opened;
    made->device = of.st_dev;
    made->number = of.st_ino;
    return true;
  }
  close(folder.opened);
  return false;
}

void remove_own_key(own_key_file* made) {
  struct stat of = {};
  if (made->folder < 0) return;
  if (fstatat(made->folder, made->name, &of, AT_SYMLINK_NOFOLLOW) == 0 && of.st_dev == made->device && of.st_ino == made->number)
    (void)unlinkat(made->folder, made->name, 0);
  close(made->folder);
  made->folder = -1;
}

bool find_own_key(const char* whose, unsigned port, key* out) {
  key_folder folder;
  char name[sizeof own_key_file::name];
  bool is_there = false;
  name_key(port, name);
  if (!open_runtime_folder(whose, &folder) || !find_in(whose, folder, name, &is_there, out)) return false;
  return is_there || (open_home_folder(whose, false, &folder) && find_in(whose, folder, name, &is_there, out));
}

}  // namespace weft::net
