// weft.h: the words of weft_status. It stands on nothing, so libweft-dist is built with it, too.
#include <weft/failing.h>
#include <weft/weft.h>

#include "base/failure.hpp"

namespace {

struct status_words {
  const char* name;
  const char* text;
};

constexpr status_words words[] = {
    {"WEFT_OK", "success"},
    {"WEFT_NOMEM", "memory is exhausted"},
    {"WEFT_INVALID", "an argument is not valid (weft_last_error() names it)"},
    {"WEFT_BUSY", "the object is in use: try again later (weft_last_error() says why)"},
    {"WEFT_TIMEOUT", "the deadline passed"},
    {"WEFT_AGAIN", "there is no more of this for now (weft_last_error() says of what)"},
    {"WEFT_UNSUPPORTED", "it is not possible here (weft_last_error() says why)"},
    {"WEFT_NOT_INITIALIZED", "the runtime is not running: call weft_init first"},
    {"WEFT_CANNOT_BLOCK", "the caller must not wait (weft_last_error() says what it is)"},
    {"WEFT_NOT_OWNER", "the object is not the caller's (weft_last_error() says why)"},
    {"WEFT_DEADLOCK", "the call would wait for its own caller"},
    {"WEFT_ENDED", "the object was closed, or the runtime ended, while the call waited"},
};

const status_words& words_of(weft_status which) {
  static constexpr status_words unknown{"WEFT_?", "not a status of this library"};
  const auto index = static_cast<unsigned>(which);
  return index < sizeof words / sizeof *words ? words[index] : unknown;
}

}  // namespace

extern "C" {

const char* weft_status_name(weft_status which) { return words_of(which).name; }
const char* weft_status_text(weft_status which) { return words_of(which).text; }

weft_status weft_ext_fail(weft_status status, const char* call, const char* argument, const char* cause, uint64_t value) {
  return weft::fail(status, call, argument, cause, nullptr, value);
}
void weft_ext_fail_as(const char* call) { weft::rename_failure(call); }

}  // extern "C"
