// The object that puts stdexec's parallel scheduler on Weft. cpp_senders.cpp uses it.
#include <weft/parallel_scheduler.hpp>
