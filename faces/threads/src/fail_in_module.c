/* A module is loaded into programs that hold this library as an archive, too, and can then not see libweft: there it tells nothing. */
#include <weft/failing.h>
#include <weft_threads/detail/fail.h>

#pragma weak weft_ext_fail
#pragma weak weft_ext_fail_as

void threads_tell(threads_status status, const char *call, const char *argument, const char *cause, uint64_t value) {
  if (weft_ext_fail != NULL) weft_ext_fail((weft_status)status, call, argument, cause, value);
}

void threads_tell_as(const char *call) {
  if (weft_ext_fail_as != NULL) weft_ext_fail_as(call);
}
