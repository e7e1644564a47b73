/* This file makes the reduction kernels for AVX-512. */
#define REDUCE_SET mpj_reduce_avx512
#include "pack/reduce/reduce_loops.h"
