/* Weft as Open MPI's threads: the class of conditions whose waiters make progress. The framework
 * does the waiting (opal/mca/threads/condition.h) and leaves the class to its components. */
#include "opal_config.h"

#include "opal/mca/threads/condition.h"

static void make(opal_condition_t *condition) { condition->c_waiting = condition->c_signaled = 0; }

static void end(opal_condition_t *condition) { (void)condition; }

OBJ_CLASS_INSTANCE(opal_condition_t, opal_object_t, make, end);
