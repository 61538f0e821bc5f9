/* The part of a module that messages need: see module.h, which says what each function does. */
#ifndef WEFT_NET_MPI_MESSAGES_H
#define WEFT_NET_MPI_MESSAGES_H

#include "module.h"

#define WEFT_NET_INSIDE __attribute__((visibility("hidden")))

WEFT_NET_INSIDE int weft_net_send(const void *from, size_t bytes, int rank, void **request);
WEFT_NET_INSIDE int weft_net_is_sent(void **request, int *out);
WEFT_NET_INSIDE int weft_net_find(weft_net_message *out);
WEFT_NET_INSIDE int weft_net_receive(weft_net_message *found, void *into);

#endif
