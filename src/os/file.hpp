// Small text files of /proc and /sys, used at start only, from the OS thread that starts the
// runtime; and records that a run writes.
#pragma once

#include <cstddef>

namespace weft::os {

// Reads the start of the file at the path that format makes (at most 511 bytes) into out, ends it
// with a null, and takes one newline off its end. False: there is no such file, or it cannot be
// read.
bool read_text(char* out, std::size_t capacity, const char* format, ...) __attribute__((format(printf, 3, 4)));

// Calls each(state, line) for the lines of the file at the path that format makes, without their
// newlines; of long ones the start. False as above.
bool walk_lines(void (*each)(void* state, const char* line), void* state, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// The whole of a file, with a null behind it; to be freed by free(). Null: there is no such file,
// it cannot be read, or no memory.
char* read_whole(const char* path);

// A file to be written from its start (cut) or its end; less than 0: errno says why not. One that
// is not there is created with mode 0600. In a folder that all users may write to (/tmp), a
// symbolic link on the way or at its end is not followed (ELOOP), and another user's file or a hard
// link is not written (EEXIST). A FIFO that no program reads is refused (ENXIO) rather than waited
// for.
int open_for_writing(const char* path, bool cut);

// A file that takes the place of the one at its path once it is whole: until then, and if it never
// is, the earlier one stays. It is made beside that one, under its name with the process's number
// and ".part" behind.
class whole_file {
 public:
  // As open_for_writing(path, true). What is no regular file of one name is written in place, and
  // so is one in whose folder no other can be made.
  int start(const char* path);
  // It has been written: it is at its path. False: errno says why not, and the earlier one
  // stays.
  bool finish();
  // It is taken away.
  void give_up();

 private:
  void leave_folder();

  int folder_ = -1;  // less than 0: the file is written in place
  char name_[256];
  char part_name_[256];
};

// In words, with a cure where there is one.
const char* why_not_opened(int error);

// False: not all could be written; errno says why.
bool write_all(int descriptor, const char* bytes, std::size_t count);

// A decimal number at *text, which moves behind it. False: there is none, or it is above 2^31.
bool take_number(const char** text, unsigned* out);

}  // namespace weft::os
