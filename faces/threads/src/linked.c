/* Makes the implementation beside it known, when both are linked into a program. */
#include <weft_threads/component.h>

extern const threads_component weft_threads_component;

__attribute__((constructor)) static void make_known(void) { threads_add_component(&weft_threads_component); }
