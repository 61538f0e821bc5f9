// What the tests of Tascell share.
#pragma once

#include <cstdlib>

#include <weft/tascell.h>

// A variable of the environment, for as long as the object lives.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  ~variable() { unsetenv(name_); }

 private:
  const char* name_;
};

// Of the last run.
inline weft_tascell_counts counts() {
  weft_tascell_counts out;
  weft_tascell_last_counts(&out);
  return out;
}
