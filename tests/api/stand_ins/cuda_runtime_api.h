/* What tests compile in place of CUDA's header of this name: the types that waitfor_all has. */
#pragma once

typedef struct CUstream_st *cudaStream_t;
typedef enum cudaError { cudaSuccess = 0, cudaErrorNotReady = 600, cudaErrorUnknown = 999 } cudaError_t;
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(2))
