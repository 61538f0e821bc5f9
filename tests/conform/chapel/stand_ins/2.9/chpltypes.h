/* Stand-in for Chapel 2.9: the types of generated programs. There is no function table by name. */
#ifndef STAND_IN_CHPLTYPES_H
#define STAND_IN_CHPLTYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool chpl_bool;
typedef int32_t c_nodeid_t;
typedef int32_t c_sublocid_t;
typedef int32_t chpl_fn_int_t;     /* an index of the function table */
typedef void (*chpl_fn_p)(void *); /* what stands there */
typedef uint8_t chpl_arg_bundle_kind_t;

#define CHPL_ARG_BUNDLE_KIND_TASK 0
#define CHPL_ARG_BUNDLE_KIND_COMM 1
#define c_sublocid_none_val -2
#define c_sublocid_any_val -3
#define FID_NONE -1

#endif
