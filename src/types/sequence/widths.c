/* This file holds the width of loops that unpack.c chooses. */
#include "types/sequence/widths.h"

enum mpj_width mpj_width;
