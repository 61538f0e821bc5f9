/* The end of the keys that were made through this interface. */
#ifndef WEFT_THREADS_SRC_WEFT_KEYS_H
#define WEFT_THREADS_SRC_WEFT_KEYS_H

void weft_keys_end(void); /* after the runtime's end, with which the last values went */

#endif
