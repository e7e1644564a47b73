/* This file is the table of the classes of blocks. */
#include "pack/kernels/kernels.h"

/* 3, 7, ... entries of one class. */
#define THREE(c) c, c, c
#define SEVEN(c) THREE(c), c, THREE(c)
#define FIFTEEN(c) SEVEN(c), c, SEVEN(c)
#define SIXTY_THREE(c) FIFTEEN(c), c, FIFTEEN(c), c, FIFTEEN(c), c, FIFTEEN(c)

const unsigned char mpj_block_classes[MPJ_BLOCK_TABLE] = {
    MPJ_BLOCK_TO_4,   MPJ_BLOCK_1,
    MPJ_BLOCK_2,      MPJ_BLOCK_TO_4,
    MPJ_BLOCK_4,      THREE(MPJ_BLOCK_TO_8),
    MPJ_BLOCK_8,      THREE(MPJ_BLOCK_TO_16),
    MPJ_BLOCK_12,     THREE(MPJ_BLOCK_TO_16),
    MPJ_BLOCK_16,     SEVEN(MPJ_BLOCK_TO_32),
    MPJ_BLOCK_24,     SEVEN(MPJ_BLOCK_TO_32),
    MPJ_BLOCK_32,     SEVEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_40,     SEVEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_48,     FIFTEEN(MPJ_BLOCK_TO_64),
    MPJ_BLOCK_64,     SIXTY_THREE(MPJ_BLOCK_TO_128),
    MPJ_BLOCK_TO_128, SIXTY_THREE(MPJ_BLOCK_TO_256),
    MPJ_BLOCK_TO_256, SIXTY_THREE(MPJ_BLOCK_TO_256),
    MPJ_BLOCK_TO_256};
