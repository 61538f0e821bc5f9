// weft-ranks, which `weft info --ranks` starts on all ranks: with WEFT_LAUNCH_DESCRIBE the library
// prints, before main, what the ranks reach each other by.
#include <weft/dist.h>

int main() { return weft_dist_ranks() > 0 ? 0 : 1; }
