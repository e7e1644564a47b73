/* This header declares lists of patches: what goes to a rank, or comes from it, each patch a type
 * relative to the buffer, no place of which lies in it twice. A schedule's types are made of such a
 * list: part r is rank r's patches in the order of their keys, which both ends of a pair give
 * alike. */
#ifndef MPJ_SRC_ARRAY_PATCHES_H
#define MPJ_SRC_ARRAY_PATCHES_H

#include "array/describe/grid_array.h"
#include "array/intersect.h"

struct mpj_array_patch {
  int rank;
  int64_t key;
  MPJ_Datatype type; /* owned, committed once the whole is made */
  MPJ_Count bytes;   /* of its data; set then */
  MPJ_Aint displ;    /* of the type, in bytes; 0 unless several buffers are joined */
};

struct mpj_patches {
  size_t n, room;
  struct mpj_array_patch *list; /* owned */
};

/* Moves the type, whatever the status. Errors: MPJ_ERR_NO_MEM. */
int mpj_patches_add(struct mpj_patches *patches, int rank, int64_t key, MPJ_Datatype type);
/* Sort the list, commit the types, note their sizes. */
int mpj_patches_finish(struct mpj_patches *patches);
/* That, and the committed type of nparts parts. Errors: those of the constructors. */
int mpj_patches_type(struct mpj_patches *patches, int nparts, MPJ_Datatype *type);
void mpj_patches_end(struct mpj_patches *patches);

/* The end of rank i's run of patches in a sorted list, which begins at i. */
static inline size_t mpj_patches_of(const struct mpj_patches *patches, size_t i)
{
  size_t end = i + 1;
  while (end < patches->n && patches->list[end].rank == patches->list[i].rank)
    end++;
  return end;
}

/* One axis of a box: how this side stores it, and how the other side holds it. */
struct mpj_side {
  const struct mpj_axis *mine, *theirs;
  MPJ_Range section, their_section;
  int coord;       /* mine */
  int their_dim;   /* grid dimension over which theirs is distributed, or -1 */
  MPJ_Aint stride; /* bytes from one local index to the next */
  MPJ_Aint origin; /* bytes to local index 0, behind the ghosts */
};

/* Who stands at coordinates of the other side's grid, for this rank: a rank, or -1 if none is
 * concerned. The coordinates of dimensions that no side names are the function's to choose. */
typedef int mpj_peer_fn(void *ctx, int coords[]);

/* List what the axes sides[n], the slowest in the order of the elements first, have in common with
 * each rank of the other side. Errors: those of the constructors. O(runs of the axes + patches). */
int mpj_box(int n, const struct mpj_side sides[], MPJ_Datatype element, mpj_peer_fn *peer,
            void *ctx, int64_t key, struct mpj_patches *patches);

#endif
