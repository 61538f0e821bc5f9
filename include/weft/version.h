/* Weft: the version of these headers. */
#ifndef WEFT_VERSION_H /* SPDX-License-Identifier: BSD-3-Clause */
#define WEFT_VERSION_H

/* The first number of the version. */
#define WEFT_VERSION_MAJOR 0
/* The second number of the version. */
#define WEFT_VERSION_MINOR 1
/* The third number of the version. */
#define WEFT_VERSION_PATCH 0
/* The version as text. */
#define WEFT_VERSION "0.1.0"

#endif
