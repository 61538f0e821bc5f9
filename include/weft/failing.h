/* What libraries built on Weft tell of calls of their own that fail, so that weft_last_error() says
 * it to their callers. */
#ifndef WEFT_FAILING_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_FAILING_H

#include <weft/weft.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Makes a failure the caller's last error, for weft_last_error().
 *
 * call is the name of the function that fails, argument that of its argument, or null. cause says
 * what is wrong; a %u, %d or %p in it stands for value, as an unsigned, signed or hexadecimal
 * number. The three texts stay where they are for ever: they are read when the text is asked for.
 * Returns: status, for a return statement.
 * Errors: status, whatever it is.
 * Switches: never. Callers: any.
 * Undefined: call or cause is null; a text that is freed or changed. */
WEFT_API weft_status weft_ext_fail(weft_status status, const char *call, const char *argument, const char *cause, uint64_t value);

/* Gives the caller's last error the name of a call of the library's own, which fails by it.
 *
 * A caller without a failed call keeps none. call stays where it is for ever.
 * Switches: never. Callers: any.
 * Undefined: call is null; a text that is freed or changed. */
WEFT_API void weft_ext_fail_as(const char *call);

#if defined(__cplusplus)
}
#endif
#endif
