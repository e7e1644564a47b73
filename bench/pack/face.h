/* This header declares what another build of MPJ, loaded into a worker beside its own, offers to
 * it. Its types are made from the same shapes by the same shim. */
#ifndef MPJ_BENCH_PACK_FACE_H
#define MPJ_BENCH_PACK_FACE_H

#include "pattern.h"

struct pack_face {
  pack_type (*type)(int pattern, const struct pack_shape *shape); /* committed */
  void (*pack)(const void *mem, pack_type type, void *packed, size_t bytes);
  void (*unpack)(const void *packed, size_t bytes, void *mem, pack_type type);
  void (*types_free)(void);
};

/* The face of the MPJ library at `path`, which lives till the program ends: the first call loads
 * it, with a C library of its own, so that no symbol of one build meets the other's. Ends the
 * program with a sentence if that fails. */
const struct pack_face *pack_other(const char *path);

#endif
