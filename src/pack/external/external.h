/* This header declares the external32 form of each basic type (MPI 4.1, 14.5.2). */
#ifndef MPJ_SRC_PACK_EXTERNAL_EXTERNAL_H
#define MPJ_SRC_PACK_EXTERNAL_EXTERNAL_H

#include <stdbool.h>

#include <mpj/base.h>

/* Convert n elements at any addresses, from native to external or back. Returns
 * false if a value has no external form. */
typedef bool mpj_external_fn(const char *from, char *to, MPJ_Count n);

struct mpj_external {
  int size; /* bytes of an external element */
  mpj_external_fn *pack, *unpack;
};

/* That of the basic type (row of mpj_basics); its functions are NULL where this
 * build cannot convert. Threads: any. */
struct mpj_external mpj_external_of(int basic);

#endif
