/* This header marks the functions that a short call runs through. They come to lie side by side:
 * where many ranks share a core each turn begins without address translations, and each page
 * that it touches costs some 50 ns. */
#ifndef MPJ_SRC_BASE_HOT_H
#define MPJ_SRC_BASE_HOT_H

#define MPJ_HOT __attribute__((hot))

/* What a short call passes over: it stays out of the hot functions. */
#define MPJ_ASIDE __attribute__((noinline))

/* What a short call runs through: all that it calls and that does not stay out is part of it. */
#define MPJ_FLAT __attribute__((flatten))

#endif
