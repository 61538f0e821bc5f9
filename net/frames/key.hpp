// The key by which a server and its nodes know each other: a file of 32 random bytes in
// hexadecimal, and HMAC-SHA256 of libcrypto, which is loaded where a key is used. Linked as C.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::net {

inline constexpr std::size_t key_bytes = 32, proof_bytes = 32, nonce_bytes = 32;

struct key {
  bool is_set = false;
  unsigned char bytes[key_bytes] = {};
};

// Which key a side has.
struct key_choice {
  const char* file = nullptr;  // null: that of this user's server on this machine (own_key.hpp)
  bool is_none = false;
};

// Reads the key; makes_it: makes the file, for its owner alone, if it is not there. False: a line
// on stderr, which begins with `whose`, has said why and what helps.
bool read_key(const char* whose, const char* file, bool makes_it, key* out);

// The steps of read_key. A file that is open is named for the line, and stays open; write_new_key
// leaves the reason in errno.
bool has_libcrypto(const char* whose);
bool write_new_key(int file);
bool read_opened_key(const char* whose, const char* file, int opened, key* out);

void random_bytes(unsigned char* out, std::size_t bytes);

// What a side shows that it knows the key: over its role and both sides' nonces. All 0 without a
// key.
void prove(const key& with, const char* role, const unsigned char* nonce_of_node, const unsigned char* nonce_of_server,
           std::uint64_t program, unsigned char (&out)[proof_bytes]);
bool is_same_proof(const unsigned char* one, const unsigned char* other);

}  // namespace weft::net
