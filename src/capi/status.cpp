// weft.h: the words of weft_status. It stands on nothing, so libweft-dist is built with it, too.
#include <weft/weft.h>

namespace {

struct status_words {
  const char* name;
  const char* text;
};

constexpr status_words words[] = {
    {"WEFT_OK", "success"},
    {"WEFT_NOMEM", "memory, or address space for a stack, is exhausted"},
    {"WEFT_INVALID", "an argument is null, foreign, finished or out of range"},
    {"WEFT_BUSY", "the object is held or still in use: try again later"},
    {"WEFT_TIMEOUT", "the deadline passed"},
    {"WEFT_AGAIN", "the system or a table has no more of this resource for now"},
    {"WEFT_UNSUPPORTED", "this kernel, CPU, build or situation does not allow it"},
    {"WEFT_NOT_INITIALIZED", "the runtime is not running: call weft_init first"},
    {"WEFT_CANNOT_BLOCK", "the caller is a tasklet, a callback or an OS thread outside, which may not do this"},
    {"WEFT_NOT_OWNER", "the caller does not hold this object, or may not act on it"},
    {"WEFT_DEADLOCK", "the call would wait for its own caller"},
    {"WEFT_ENDED", "the object was closed while the call waited"},
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

}  // extern "C"
