/* This header declares a distributed array: axes over a grid of ranks, and how a rank stores what
 * it holds. It is a description: it owns no data, and only `comm` and `replicas` belong to one
 * rank.
 *
 * Invariant: no two axes have one grid dimension; positions(grid) <= size of comm. */
#ifndef MPJ_SRC_ARRAY_GRID_ARRAY_H
#define MPJ_SRC_ARRAY_GRID_ARRAY_H

#include "array/describe/format.h"
#include "base/refcount.h"

enum { MPJ_ARRAY_MARK = 0x41504a4d };

struct mpj_grid_array {
  uint32_t mark;           /* of the handle pool */
  mpj_refcount references; /* the handle, and the schedules */
  _Atomic bool freed;      /* by the program: schedules may have it yet */
  int ndims, grid_ndims, order;
  int size, rank, positions; /* of comm; in the grid */
  MPJ_Count serial;          /* in checking mode: see mpj_array_agree_new; else 0 */
  MPJ_Comm comm;             /* the caller's */
  MPJ_Comm replicas;        /* of the ranks that hold what this one does; owned, made when needed */
  bool replicas_made;       /* it has been, and may be null: this rank is outside the grid */
  MPJ_Datatype element;     /* owned */
  MPJ_Aint extent;          /* of an element, bytes */
  struct mpj_axis *axes;    /* [ndims] owned */
  int *grid, *axis_of;      /* [grid_ndims] owned: extents; the axis over it, or -1 */
  int *ranks, *position_of; /* [positions], [size] owned, or NULL: position i is rank i */
  MPJ_Count *padding;       /* [ndims] this rank's local sizes, owned, or NULL: the least */
};

/* Its coordinate along an axis; 0 where that is not distributed. */
static inline int mpj_array_coord(const struct mpj_grid_array *array, int axis, const int coords[])
{
  const int dim = array->axes[axis].grid_dim;
  return dim < 0 ? 0 : coords[dim];
}

/* What a number of a description is: a public constant, or any number. */
enum mpj_number_kind { MPJ_NUMBER_PLAIN, MPJ_NUMBER_ORDER, MPJ_NUMBER_FORMAT, MPJ_NUMBER_EDGE };
enum { MPJ_NUMBER_BYTES = 32 };
/* array_facts.c: the constant's name as users write it, or the number in text. */
const char *mpj_number_text(enum mpj_number_kind kind, MPJ_Count value,
                            char text[MPJ_NUMBER_BYTES]);

/* array_agree.c: all ranks of comm call it with the status of a call and, in checking mode, numbers
 * that must be equal on all, each with the name of what it describes. Every rank returns an error
 * if one has, or if they are in unlike public functions: its own, or the one of the lowest rank
 * that has one, with that rank's sentence. */
struct mpj_fact {
  const char *name;
  MPJ_Count value;
  int index;         /* with a field: the user's name of it is name[index]field */
  const char *field; /* or NULL: it is the name */
  /* Or the value is a digest of a list, borrowed until the call ends: list() says how many numbers
   * there are, and writes them where out is not NULL. Ranks that are alike in what stands before
   * have equally many. text: they are characters. */
  const void *of;
  MPJ_Count (*list)(const void *of, MPJ_Count out[]);
  bool text;
  enum mpj_number_kind kind; /* of a value that is none */
};
int mpj_array_agree(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[]);
/* The same of a comparison, whose sentences say themselves of which ranks they speak. */
int mpj_array_agree_alike(MPJ_Comm comm, int status);
/* The same of a call that makes an array or a schedule. In checking mode it gets a serial number,
 * equal on all ranks: how many rank 0 has made before. serial: set on success; 0 in other modes. */
int mpj_array_agree_new(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[],
                        MPJ_Count *serial);

enum {
  MPJ_ARRAY_DIMS_MAX = 64,
  MPJ_ARRAY_FACTS = 5 + (1 + MPJ_AXIS_DIGEST) * MPJ_ARRAY_DIMS_MAX,
  MPJ_FACTS_MAX = 4 + 14 * MPJ_ARRAY_DIMS_MAX /* the most that a call compares */
};
/* array_facts.c: what tells types of elements apart, of equal sizes too; and what an element is, as
 * text in words. */
uint64_t mpj_element_digest(MPJ_Datatype element);
enum { MPJ_ELEMENT_WORDS = 16 };
void mpj_element_text(MPJ_Datatype element, MPJ_Count words[MPJ_ELEMENT_WORDS]);
struct mpj_fact mpj_fact_of_element(MPJ_Datatype element);
/* MPJ_ERR_SIGNATURE: the elements of `from` and `to` have unlike signatures. */
int mpj_elements_match(MPJ_Datatype from, MPJ_Datatype to);
/* An array's numbers, and those of ranges[n] of the axes axis[n]; they return how many. */
int mpj_array_facts(const struct mpj_grid_array *array, struct mpj_fact facts[]);
/* The error that number k of the digests (format.h) of axis d of two arrays is. */
int mpj_axes_differ(int d, const MPJ_Count from[], const MPJ_Count to[], int k);
int mpj_facts_of_ranges(const char *name, int n, const int axis[], const MPJ_Range ranges[],
                        struct mpj_fact facts[]);

#endif
