// Preloaded: a machine without libcrypto, as dlopen sees it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

void* dlopen(const char* file, int flags) {
  if (file != NULL && strncmp(file, "libcrypto", strlen("libcrypto")) == 0) return NULL;
  void* (*const next)(const char*, int) = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
  return next(file, flags);
}
