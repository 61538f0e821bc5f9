#include <weft_threads/manage.h>

static const struct {
  const char *name, *text;
} statuses[] = {
    [THREADS_OK] = {"THREADS_OK", "the call succeeded"},
    [THREADS_NOMEM] = {"THREADS_NOMEM", "memory is exhausted"},
    [THREADS_INVALID] = {"THREADS_INVALID", "an argument is null, finished or out of range"},
    [THREADS_BUSY] = {"THREADS_BUSY", "the object is held, or in use"},
    [THREADS_TIMEOUT] = {"THREADS_TIMEOUT", "the deadline passed"},
    [THREADS_AGAIN] = {"THREADS_AGAIN", "the system refused a resource for now"},
    [THREADS_UNSUPPORTED] = {"THREADS_UNSUPPORTED", "this implementation of the threads interface cannot do it"},
    [THREADS_NOT_STARTED] = {"THREADS_NOT_STARTED", "threads_start has not been called, or threads_stop has"},
    [THREADS_CANNOT_BLOCK] = {"THREADS_CANNOT_BLOCK", "the caller must not wait"},
    [THREADS_NOT_OWNER] = {"THREADS_NOT_OWNER", "the caller does not hold the mutex, or may not stop what another started"},
    [THREADS_DEADLOCK] = {"THREADS_DEADLOCK", "the call would wait for its own caller"},
};

static bool is_known(threads_status status) { return (unsigned)status < sizeof statuses / sizeof *statuses; }

const char *threads_status_name(threads_status status) { return is_known(status) ? statuses[status].name : "unknown status"; }
const char *threads_status_text(threads_status status) { return is_known(status) ? statuses[status].text : "unknown status"; }
