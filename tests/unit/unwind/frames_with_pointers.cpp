// See frames.hpp.
#define FRAMES_NAMESPACE with_pointers
#include "frames.cpp"
