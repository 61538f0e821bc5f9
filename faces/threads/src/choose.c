#include "choose.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <weft_threads/detail/fail.h>
#include <weft_threads/manage.h>

#include "builtin.h"
#include "environment.h"

static const threads_component *const builtin[] = {&threads_component_weft, &threads_component_fifo, &threads_component_pool};
static const char *const loadable[] = {"argobots", "qthreads"};
enum { builtins = sizeof builtin / sizeof *builtin, loadables = sizeof loadable / sizeof *loadable, longest_path = 4096 };

/* ---- added by the program -------------------------------------------------------------------- */

static const threads_component *added[8];
static size_t added_count;

static bool is_right_version(const threads_component *component) {
  return component->version == THREADS_COMPONENT_VERSION && component->size == sizeof *component;
}

threads_status threads_add_component(const threads_component *component) {
  static const char call[] = "threads_add_component";
  if (component == NULL) return threads_fail_on_null(call, "component");
  if (component->version != THREADS_COMPONENT_VERSION)
    return threads_fail(THREADS_INVALID, call, "component", "its version is %u, which is not this library's", component->version);
  if (component->size != sizeof *component)
    return threads_fail(THREADS_INVALID, call, "component", "its size is %u, which is not this library's", component->size);
  if (component->name == NULL || *component->name == 0)
    return threads_fail_at(THREADS_INVALID, call, "component", "it has no name (%p)", component);
  if (added_count == sizeof added / sizeof *added)
    return threads_fail(THREADS_AGAIN, call, NULL, "%u have been added, which are all that are possible", added_count);
  added[added_count++] = component;
  return THREADS_OK;
}

static const threads_component *among(const threads_component *const *components, size_t count, const char *name) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(name, components[i]->name) == 0) return components[i];
  }
  return NULL;
}

/* ---- modules --------------------------------------------------------------------------------- */

static bool module_in(const char *folder, size_t folder_length, const char *name, char *path) {
  const int length = snprintf(path, longest_path, "%.*s/weft-threads-%s.so", (int)folder_length, folder, name);
  return length > 0 && length < longest_path && access(path, R_OK) == 0;
}

/* The library's own folder of modules lies beside it, wherever it was installed; a program that
 * holds the library itself looks where the library was to be installed. */
static bool module_beside_library(const char *name, char *path) {
  Dl_info library;
  const char *slash = NULL;
  if (dladdr((void *)&threads_component_now, &library) != 0) slash = strrchr(library.dli_fname, '/');
  if (slash != NULL) {
    char folder[longest_path];
    const int length = snprintf(folder, sizeof folder, "%.*s/weft-threads", (int)(slash - library.dli_fname), library.dli_fname);
    if (length > 0 && length < longest_path && module_in(folder, (size_t)length, name, path)) return true;
  }
  return module_in(WEFT_THREADS_MODULES, strlen(WEFT_THREADS_MODULES), name, path);
}

/* Null: not set, or the program has raised privileges (set-user-ID, capabilities): code that the
 * user names must not run with them. */
static const char *folders_of_user(void) {
  static atomic_flag is_said = ATOMIC_FLAG_INIT;
  const char *const folders = getenv("WEFT_THREADS_PATH");
  if (folders == NULL || *folders == 0 || getauxval(AT_SECURE) == 0) return folders;
  if (!atomic_flag_test_and_set_explicit(&is_said, memory_order_relaxed)) {
    fprintf(stderr,
            "weft-threads: warning: ignored, because this program has raised privileges (AT_SECURE): WEFT_THREADS_PATH; "
            "run it without them\n");
  }
  return NULL;
}

/* WEFT_THREADS_PATH: folders, separated by colons, before the library's own. */
static bool find_module(const char *name, char *path) {
  const char *folders = folders_of_user();
  while (folders != NULL && *folders != 0) {
    const size_t length = strcspn(folders, ":");
    if (length != 0 && module_in(folders, length, name, path)) return true;
    folders += length + (folders[length] == ':');
  }
  return module_beside_library(name, path);
}

static const threads_component *refuse_module(void *module, const char *path, const char *why) {
  report_error("%s: %s", path, why);
  if (module != NULL) dlclose(module);
  return NULL;
}

/* It stays loaded: a runtime's OS threads and keys may outlive its end. */
static const threads_component *load_module(const char *path) {
  void *const module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (module == NULL) return refuse_module(NULL, path, dlerror());
  const threads_component *const component = dlsym(module, THREADS_COMPONENT_SYMBOL);
  if (component == NULL) return refuse_module(module, path, "is no implementation: it exports no " THREADS_COMPONENT_SYMBOL);
  if (!is_right_version(component)) {
    return refuse_module(module, path, "was built for another version of this library; build it anew");
  }
  return component;
}

/* ---- names ----------------------------------------------------------------------------------- */

void threads_walk(void (*each)(void *state, const char *name, bool installed), void *state) {
  char path[longest_path];
  for (size_t i = 0; i < builtins; ++i) each(state, builtin[i]->name, true);
  for (size_t i = 0; i < added_count; ++i) {
    if (among(builtin, builtins, added[i]->name) == NULL) each(state, added[i]->name, true);
  }
  for (size_t i = 0; i < loadables; ++i) {
    if (among(added, added_count, loadable[i]) == NULL) each(state, loadable[i], find_module(loadable[i], path));
  }
}

struct text {
  size_t used;
  char all[256];
};

static void append_name(void *state, const char *name, bool installed) {
  struct text *const text = state;
  if (!installed || text->used >= sizeof text->all) return;
  text->used +=
      (size_t)snprintf(text->all + text->used, sizeof text->all - text->used, "%s%s", text->used == 0 ? "" : ", ", name);
}

static bool is_name(const char *name) {
  return *name != 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static bool is_loadable(const char *name) {
  for (size_t i = 0; i < loadables; ++i) {
    if (strcmp(name, loadable[i]) == 0) return true;
  }
  return false;
}

const threads_component *component_by_name(const char *name, const char *asked_by, threads_status *status) {
  const threads_component *const here = among(added, added_count, name);
  if (here != NULL) return here;
  if (among(builtin, builtins, name) != NULL) return among(builtin, builtins, name);
  char path[longest_path];
  *status = THREADS_UNSUPPORTED;
  if (is_name(name) && strlen(name) < 64 && find_module(name, path)) return load_module(path);
  struct text choices = {0, ""};
  threads_walk(append_name, &choices);
  if (is_loadable(name)) {
    report_error(
        "%s=%s: there is no weft-threads-%s.so here (it is built where %s is installed; WEFT_THREADS_PATH names its folder); "
        "here are %s",
        asked_by, name, name, name, choices.all);
  } else {
    *status = THREADS_INVALID;
    report_error("%s=%s: no such implementation; here are %s", asked_by, name, choices.all);
  }
  return NULL;
}
