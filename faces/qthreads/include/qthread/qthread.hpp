// Qthreads on Weft: what C++ programs have besides qthread.h.
#ifndef QTHREAD_HPP
#define QTHREAD_HPP

#include "qthread.h"
#include "syncvar.hpp"

#endif
