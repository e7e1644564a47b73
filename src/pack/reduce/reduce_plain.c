/* This file makes the reduction kernels for portable C. */
#define REDUCE_SET mpj_reduce_plain
#include "pack/reduce/reduce_loops.h"
