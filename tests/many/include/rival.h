/* Included before each file of a rival: instructions that the machine must see are calls of it. */
#ifndef MANY_RIVAL_H
#define MANY_RIVAL_H

#include <immintrin.h>

#include "many.h"

#define _mm_pause many_pause
#define __rdtsc many_cycles
#define _tpause(state, until) (many_pause(), 0)

#endif
