// Qthreads on Weft: what C++ programs have besides qthread.h.
#ifndef QTHREAD_HPP /* SPDX-License-Identifier: BSD-3-Clause */
#define QTHREAD_HPP

#include "qthread.h"
#include "syncvar.hpp"

#endif
