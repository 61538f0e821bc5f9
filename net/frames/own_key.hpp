// The key that a server makes when no file is named, and that nodes of the same user find on its
// machine. It lies in a folder to which only that user may write: XDG_RUNTIME_DIR, or ~/.weft where
// that is not there. The server that holds a port owns the file of that port. Linked as C.
#pragma once

#include <sys/types.h>

#include "net/frames/key.hpp"

namespace weft::net {

// The file of a server that runs.
struct own_key_file {
  int folder = -1;  // a descriptor; less than 0: no file was made
  char name[40] = "";
  dev_t device = 0;
  ino_t number = 0;
};

// Makes a key for the server that listens on the port, in place of one that a dead server has left.
// False: a line on stderr, which begins with `whose`, has told why and what helps.
bool make_own_key(const char* whose, unsigned port, key* out, own_key_file* made);
// Removes the file, if it is still the server's own.
void remove_own_key(own_key_file* made);

// Reads the key of this user's server on the port of this machine. out->is_set: whether there is
// one. False: as above.
bool find_own_key(const char* whose, unsigned port, key* out);

}  // namespace weft::net
