// All headers compile with a C++ library that has no std::stop_token, as libc++ 19.
#include <weft/all.hpp>

#include <version>

#if defined(__cpp_lib_jthread)
static_assert(sizeof(weft::jthread) != 0);
#else
static_assert(sizeof(weft::task<int>) != 0);
#endif
