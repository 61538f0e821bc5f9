// Included before all else in what is compiled for models: gcc leaves copies and fills to calls of
// the C library, which the explorer would not see. They get the names that clang gives them, so
// that race.cpp does.
#pragma once

#include <stddef.h>

extern "C" {
void* memcpy(void* to, const void* from, size_t bytes) noexcept __asm__("__tsan_memcpy");
void* memmove(void* to, const void* from, size_t bytes) noexcept __asm__("__tsan_memmove");
void* memset(void* to, int value, size_t bytes) noexcept __asm__("__tsan_memset");
}
