/* This file makes the reduction kernels for AVX2. */
#define REDUCE_SET mpj_reduce_avx2
#include "pack/reduce/reduce_loops.h"
