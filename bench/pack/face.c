/* This file is what a worker's module shows: it is linked, with the shim and the patterns, into
 * pack_mpj_face.so, which other.c loads beside another build's libmpj. */
#include "face.h"

#include "pack_options.h"

static pack_type type(int pattern, const struct pack_shape *shape)
{
  pack_type made = pack_patterns[pattern].type(shape);
  pack_commit(&made);
  return made;
}

extern const struct pack_face pack_face;
__attribute__((visibility("default")))
const struct pack_face pack_face = {type, pack_pack, pack_unpack, pack_types_free};
