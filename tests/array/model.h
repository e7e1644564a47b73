/* This header declares random distributed arrays, and a model of them that knows who owns what by
 * counting from index 0 on, to compare the library with. */
#ifndef MPJ_TESTS_ARRAY_MODEL_H
#define MPJ_TESTS_ARRAY_MODEL_H

#include <stdbool.h>

#include <mpj/array.h>
#include <mpj/mpj.h>

#include "types/random_type.h"

enum { MODEL_DIMS = 5, MODEL_GRID = 6, MODEL_SIZE = 400, MODEL_RANKS = 64 };

/* What an element is made of: a number, in one of several forms. The last two have one signature
 * and unlike layouts. */
enum element {
  ELEMENT_INT64,
  ELEMENT_DOUBLE,
  ELEMENT_STRUCT,
  ELEMENT_GAP,
  ELEMENT_BEHIND,
  ELEMENTS
};
/* It, or another of its signature. */
enum element element_alike(enum element element, struct mpj_random *rng);
MPJ_Datatype element_type(enum element element); /* committed; to be freed */
size_t element_extent(enum element element);
void element_set(enum element element, void *at, int64_t value);
int64_t element_get(enum element element, const void *at);

struct model {
  int ndims, grid_ndims, order, size, rank; /* of comm */
  MPJ_Axis axes[MODEL_DIMS];
  int grid[MODEL_GRID], *ranks; /* into places, or NULL */
  int places[MODEL_RANKS];
  MPJ_Count lengths[MODEL_DIMS][MODEL_SIZE];
  enum element element;
  int owner[MODEL_DIMS][MODEL_SIZE]; /* coordinate, and place among what that holds */
  MPJ_Count local[MODEL_DIMS][MODEL_SIZE];
  MPJ_Count held[MODEL_DIMS][MODEL_RANKS];
  MPJ_Count shape[MODEL_DIMS], strides[MODEL_DIMS]; /* of this rank's local array */
  bool padded, inside;
  int coords[MODEL_GRID]; /* this rank's */
  MPJ_Array array;
};

/* What a model may be like. */
struct wanted {
  int ndims;
  enum element element;
  bool ghosts; /* some axes have them, and no coordinate has two pieces of any */
};

/* The same on all ranks but for `rank`; makes the array too. Prints what went wrong. */
int model_make(struct model *m, struct mpj_random *rng, MPJ_Comm comm, const struct wanted *wanted);
/* The same over `size` ranks, of which this is `rank`, or -1: none; without an array. */
void model_draw(struct model *m, struct mpj_random *rng, int size, int rank,
                const struct wanted *wanted);
int model_create(struct model *m, MPJ_Comm comm);
void model_free(struct model *m);

/* A rank's coordinates; false: it is outside. */
bool model_coords(const struct model *m, int rank, int coords[]);
/* Whether a rank holds the element at index (of replicas each does). */
bool model_holds(const struct model *m, int rank, const MPJ_Count index[]);
/* Where this rank has it. */
MPJ_Count model_offset(const struct model *m, const MPJ_Count index[]);
/* Elements of this rank's local array; of the global array; the number of an index there, and back.
 */
MPJ_Count model_room(const struct model *m);
MPJ_Count model_total(const struct model *m);
MPJ_Count model_number(const struct model *m, const MPJ_Count index[]);
void model_index(const struct model *m, MPJ_Count number, MPJ_Count index[]);
/* How many ranks hold each element, and the highest that holds this one. */
int model_copies(const struct model *m);
int model_highest(const struct model *m, const MPJ_Count index[]);

/* A buffer for this rank's local array: every element and all gaps are `fill`. */
char *model_buffer(const struct model *m, int64_t fill);

#endif
