/* What tests compile in place of HIP's header of this name: the types that waitfor_all has. */
#pragma once

typedef struct ihipStream_t *hipStream_t;
typedef enum hipError_t { hipSuccess = 0, hipErrorNotReady = 600, hipErrorUnknown = 999 } hipError_t;
#define hipStreamPerThread (reinterpret_cast<hipStream_t>(2))
