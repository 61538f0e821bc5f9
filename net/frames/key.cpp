#include "net/frames/key.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::net {
namespace {

// Of libcrypto, versions 1.1 and 3.
using hmac_function = unsigned char* (*)(const void* hash, const void* key, int key_bytes, const unsigned char* data,
                                         std::size_t bytes, unsigned char* out, unsigned* out_bytes);
using hash_function = const void* (*)();

hmac_function hmac = nullptr;
hash_function sha256 = nullptr;

bool load_libcrypto() {
  if (hmac != nullptr) return true;
  const char* const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"};
  for (const char* name : names) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    sha256 = reinterpret_cast<hash_function>(dlsym(library, "EVP_sha256"));
    hmac = reinterpret_cast<hmac_function>(dlsym(library, "HMAC"));
    if (hmac != nullptr && sha256 != nullptr) return true;
  }
  hmac = nullptr;
  return false;
}

constexpr char digits[] = "0123456789abcdef";

int value_of(char digit) {
  const char* const at = digit == '\0' ? nullptr : strchr(digits, digit);
  return at == nullptr ? -1 : static_cast<int>(at - digits);
}

bool make_file(const char* whose, const char* file) {
  const int made = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0 && errno == EEXIST) return true;
  const bool is_good = made >= 0 && write_new_key(made);
  if (!is_good) fprintf(stderr, "%s: the key file %s cannot be made: %s; name another\n", whose, file, strerror(errno));
  if (made >= 0) close(made);
  return is_good;
}

bool is_private(const char* whose, const char* file, int opened) {
  struct stat of = {};
  if (fstat(opened, &of) == 0 && (of.st_mode & 077) == 0) return true;
  fprintf(stderr, "%s: others may read the key file %s; chmod 600 it\n", whose, file);
  return false;
}

}  // namespace

bool has_libcrypto(const char* whose) {
  if (load_libcrypto()) return true;
  fprintf(stderr,
          "%s: a key needs libcrypto, which cannot be loaded; install OpenSSL, or start the server and all nodes with --no-key, "
          "which lets every user of this machine in\n",
          whose);
  return false;
}

bool write_new_key(int file) {
  unsigned char bytes[key_bytes];
  char text[2 * key_bytes + 1];
  random_bytes(bytes, sizeof bytes);
  for (std::size_t i = 0; i < key_bytes; ++i) {
    text[2 * i] = digits[bytes[i] >> 4];
    text[2 * i + 1] = digits[bytes[i] & 15];
  }
  text[sizeof text - 1] = '\n';
  return write(file, text, sizeof text) == static_cast<ssize_t>(sizeof text);
}

bool read_opened_key(const char* whose, const char* file, int opened, key* out) {
  char text[2 * key_bytes];
  if (!has_libcrypto(whose) || !is_private(whose, file, opened)) return false;
  bool is_good = read(opened, text, sizeof text) == static_cast<ssize_t>(sizeof text);
  for (std::size_t i = 0; is_good && i < key_bytes; ++i) {
    const int high = value_of(text[2 * i]), low = value_of(text[2 * i + 1]);
    is_good = high >= 0 && low >= 0;
    out->bytes[i] = static_cast<unsigned char>(high * 16 + low);
  }
  if (!is_good) fprintf(stderr, "%s: %s holds no key: want 64 hexadecimal digits, as the server makes them\n", whose, file);
  out->is_set = is_good;
  return is_good;
}

bool read_key(const char* whose, const char* file, bool makes_it, key* out) {
  if (!has_libcrypto(whose) || (makes_it && !make_file(whose, file))) return false;
  const int opened = open(file, O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    fprintf(stderr, "%s: the key file %s cannot be read: %s; copy it from the server's machine\n", whose, file, strerror(errno));
    return false;
  }
  const bool is_good = read_opened_key(whose, file, opened, out);
  close(opened);
  return is_good;
}

void random_bytes(unsigned char* out, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = getrandom(out + done, bytes - done, 0);
    if (got > 0) done += static_cast<std::size_t>(got);
    if (got < 0 && errno != EINTR) abort();
  }
}

void prove(const key& with, const char* role, const unsigned char* nonce_of_node, const unsigned char* nonce_of_server,
           std::uint64_t program, unsigned char (&out)[proof_bytes]) {
  memset(out, 0, sizeof out);
  if (!with.is_set) return;
  unsigned char text[8 + 2 * nonce_bytes + sizeof program] = {};
  for (unsigned i = 0; i < 8 && role[i] != 0; ++i) text[i] = static_cast<unsigned char>(role[i]);
  memcpy(text + 8, nonce_of_node, nonce_bytes);
  memcpy(text + 8 + nonce_bytes, nonce_of_server, nonce_bytes);
  memcpy(text + 8 + 2 * nonce_bytes, &program, sizeof program);
  unsigned made = 0;
  if (hmac(sha256(), with.bytes, static_cast<int>(key_bytes), text, sizeof text, out, &made) == nullptr) abort();
}

// In a time that does not depend on where they differ.
bool is_same_proof(const unsigned char* one, const unsigned char* other) {
  unsigned char difference = 0;
  for (std::size_t i = 0; i < proof_bytes; ++i) difference = static_cast<unsigned char>(difference | (one[i] ^ other[i]));
  return difference == 0;
}

}  // namespace weft::net
