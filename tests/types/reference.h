/* This header declares the naive reference of datatypes: a type as the plain
 * list that MPI defines it by, every element and every bound marker an entry,
 * made by the definitions and nothing else. Slow on purpose.
 *
 * All functions of tests; they end the program when memory runs out. A ref is
 * counted: each constructor returns an owned one (release it) and borrows the
 * old ones. Arguments are taken to be legal. */
#ifndef MPJ_TESTS_TYPES_REFERENCE_H
#define MPJ_TESTS_TYPES_REFERENCE_H

#include <stdbool.h>

#include <mpj/datatype.h>

/* Entries whose basic is one of these stand for no data. */
enum { MPJ_REF_LB = -1, MPJ_REF_UB = -2 };

struct mpj_ref_entry {
  int basic;      /* row of mpj_basics, or a marker */
  MPJ_Aint displ; /* bytes */
};

struct mpj_ref;

/* A part: `type` laid at origin. */
struct mpj_ref_part {
  MPJ_Aint origin;
  struct mpj_ref *type; /* shared */
};

/* Zeroed memory, to be freed by free(). */
void *mpj_ref_allocate(size_t bytes);

struct mpj_ref_grid; /* what a distribution was made of */

struct mpj_ref {
  int references;
  MPJ_Count n; /* entries, markers included */
  struct mpj_ref_entry *map;
  MPJ_Count nparts;
  struct mpj_ref_part *parts; /* [nparts]; NULL: one part, the type itself */
  struct mpj_ref_grid *grid;  /* NULL unless a distribution, dup or resized */
};

struct mpj_ref *mpj_ref_basic(int basic);
struct mpj_ref *mpj_ref_contiguous(MPJ_Count count, struct mpj_ref *old);
struct mpj_ref *mpj_ref_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride,
                                struct mpj_ref *old);
struct mpj_ref *mpj_ref_hindexed(MPJ_Count count, const MPJ_Count blocklens[],
                                 const MPJ_Aint displs[], struct mpj_ref *old);
struct mpj_ref *mpj_ref_struct(MPJ_Count count, const MPJ_Count blocklens[],
                               const MPJ_Aint displs[], struct mpj_ref *const olds[]);
/* Part parts[k] is olds[k] at displs[k]; the other ones of nparts are empty. */
struct mpj_ref *mpj_ref_sparse(MPJ_Count nparts, MPJ_Count n, const MPJ_Count parts[],
                               const MPJ_Aint displs[], struct mpj_ref *const olds[]);
struct mpj_ref *mpj_ref_subarray(int ndims, const MPJ_Count sizes[], const MPJ_Count subsizes[],
                                 const MPJ_Count starts[], int order, struct mpj_ref *old);
struct mpj_ref *mpj_ref_resized(struct mpj_ref *old, MPJ_Aint lb, MPJ_Aint extent);
struct mpj_ref *mpj_ref_dup(struct mpj_ref *old);
/* blocks may be NULL: no dimension is general. A darray is a part of this. */
struct mpj_ref *mpj_ref_distribution(int ndims, const MPJ_Count gsizes[], const int distribs[],
                                     const MPJ_Count dargs[], const MPJ_Count *const blocks[],
                                     const int psizes[], int order, struct mpj_ref *old);
/* Elements [first, first + count) of the data. */
struct mpj_ref *mpj_ref_slice(const struct mpj_ref *old, MPJ_Count first, MPJ_Count count);
/* The shape of a part's local array, and the array. */
int mpj_ref_local_sizes(const struct mpj_ref *distribution, MPJ_Count part, MPJ_Count sizes[]);
struct mpj_ref *mpj_ref_local(const struct mpj_ref *distribution, MPJ_Count part);

struct mpj_ref *mpj_ref_retain(struct mpj_ref *ref);
void mpj_ref_release(struct mpj_ref *ref);

/* Part i; for a type without a list of parts, the type itself. Borrowed. */
struct mpj_ref_part mpj_ref_part(struct mpj_ref *ref, MPJ_Count i);

/* The data alone: number of elements, and their bytes. */
MPJ_Count mpj_ref_elements(const struct mpj_ref *ref);
MPJ_Count mpj_ref_bytes(const struct mpj_ref *ref);

/* Bounds by the formulas of MPI 4.1, 5.1.6 to 5.1.8. */
MPJ_Aint mpj_ref_lb(const struct mpj_ref *ref);
MPJ_Aint mpj_ref_extent(const struct mpj_ref *ref);
MPJ_Aint mpj_ref_true_lb(const struct mpj_ref *ref);
MPJ_Aint mpj_ref_true_ub(const struct mpj_ref *ref);

/* Whether some byte belongs to two elements, so that nothing may be received
 * into the type. */
bool mpj_ref_overlaps(const struct mpj_ref *ref);

/* Whether the sequences of letters (of whole maps) are equal. */
bool mpj_ref_same_signature(const struct mpj_ref *a, const struct mpj_ref *b);
bool mpj_ref_same_map(const struct mpj_ref *a, const struct mpj_ref *b);

/* The packed stream of the data at base, by copying one element after another;
 * and back. */
void mpj_ref_pack(const struct mpj_ref *ref, const void *base, void *packed);
void mpj_ref_unpack(const struct mpj_ref *ref, const void *packed, void *base);

#endif
