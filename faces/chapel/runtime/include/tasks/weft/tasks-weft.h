/* Chapel's tasking layer on Weft in a tree of version 1.3, whose chpltasks.h includes this file for
 * the types of the layer. */
#ifndef CHPL_WEFT_TASKS_WEFT_H /* SPDX-License-Identifier: BSD-3-Clause */
#define CHPL_WEFT_TASKS_WEFT_H

#include "chpl-tasks-impl.h"

#endif
