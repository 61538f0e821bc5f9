// All that runs in parallel on top of forks and threads: calls, loops.
#pragma once

#include <weft/dropped_exceptions.hpp>
#include <weft/invoke.hpp>
#include <weft/parallel_for.hpp>
#include <weft/range.hpp>
