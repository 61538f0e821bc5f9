#include "hydra.h"

long weft_net_patience_us(void) { return 250000; }
