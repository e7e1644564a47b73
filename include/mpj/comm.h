/* This header declares communicators: sets of ranks, numbered from 0, that call
 * collectives together. A collective on one has nothing to do with those on
 * another, whoever is in both.
 *
 * A communicator is made from another by all its ranks together; they call in the
 * same order as its collectives. The handle is the caller's to free. If the call
 * fails on one rank (a bad argument, no memory), it fails on all with the same
 * code, and those who were told say which rank it was; no communicator is made,
 * and the old one stays usable. (A rank that runs out of memory at the very end may
 * leave others with a communicator all of whose calls fail.) A dead rank is MPJ_ERR_PEER as in any
 * collective. A rank may be in as many communicators, and have as many persistent requests, as
 * there is memory for; beyond 1021 of the former, ranks can be 4 operations ahead of each other,
 * not 32. A handle has a meaning on the rank that made it.
 *
 * Errors of all: MPJ_ERR_COMM (null, freed, no communicator), MPJ_ERR_ARG.
 * Threads: as the rank's level allows (MPJ_Init_thread). */
#ifndef MPJ_COMM_H
#define MPJ_COMM_H

#include <mpj/base.h>

#ifdef __cplusplus
extern "C" {
#endif

MPJ_PUBLIC int MPJ_Comm_rank(MPJ_Comm comm, int *rank);
MPJ_PUBLIC int MPJ_Comm_size(MPJ_Comm comm, int *size);

/* The same ranks in the same order; attributes are copied as their callbacks say,
 * the name is not. */
MPJ_PUBLIC int MPJ_Comm_dup(MPJ_Comm comm, MPJ_Comm *newcomm);

/* One communicator for each color, of the ranks that give it.
 *   color    at least 0, or MPJ_UNDEFINED: this rank gets MPJ_COMM_NULL
 *   key      orders the ranks of a color; equal keys: as in comm
 *   newcomm  set on success */
MPJ_PUBLIC int MPJ_Comm_split(MPJ_Comm comm, int color, int key, MPJ_Comm *newcomm);

/* One for each machine, of the ranks that share its memory. */
MPJ_PUBLIC int MPJ_Comm_split_node(MPJ_Comm comm, int key, MPJ_Comm *newcomm);

/* One of the ranks listed: ranks[i] of comm becomes rank i.
 *   ranks    [n], each once; the same list on all ranks that are in it. A rank that
 *            is not in its own list gets MPJ_COMM_NULL; so disjoint lists make
 *            several communicators at once
 * Errors: also MPJ_ERR_ARG where two ranks' lists contradict each other, naming the two. */
MPJ_PUBLIC int MPJ_Comm_create(MPJ_Comm comm, int n, const int ranks[], MPJ_Comm *newcomm);

/* The same ranks in the same order, with places in an n-dimensional torus or mesh: row-major, the
 * last dimension the fastest.
 *   ndims     1 to MPJ_TORUS_DIMS_MAX
 *   dims      [ndims] each at least 1; their product is comm's size
 *   periodic  [ndims] whether the dimension wraps around; NULL: all do
 *   reorder   whether ranks might be given other numbers; every rank keeps its own, as the numbers
 *             of a job already go along its nodes
 * Ranks must agree on ndims, dims and periodic: MPJ_ERR_ARG names two that do not, and what each
 * gave. A duplicate (MPJ_Comm_dup) is the same torus. */
#define MPJ_TORUS_DIMS_MAX 32
MPJ_PUBLIC int MPJ_Comm_create_torus(MPJ_Comm comm, int ndims, const int dims[],
                                     const int periodic[], int reorder, MPJ_Comm *newcomm);
/* The shape of comm: *ndims 0 if it is no torus.
 *   dims, periodic  [maxdims] or NULL; the first *ndims are set, and maxdims is at least that */
MPJ_PUBLIC int MPJ_Comm_torus(MPJ_Comm comm, int maxdims, int *ndims, int dims[], int periodic[]);
/* Where a rank is: coords[maxdims], of which as many are set as comm has dimensions; and who is at
 * coords, which wrap around where the dimension does. Errors: MPJ_ERR_COMM (comm is no torus),
 * MPJ_ERR_ARG (outside). */
MPJ_PUBLIC int MPJ_Comm_coords(MPJ_Comm comm, int rank, int maxdims, int coords[]);
MPJ_PUBLIC int MPJ_Comm_rank_at(MPJ_Comm comm, const int coords[], int *rank);

/* Set the function by which this rank says whether a buffer qualifies: whether the data of a Bcast
 * is to be put into it by one copy. The algorithms of Bcast that choose a protocol for each
 * neighbourhood ask for that (MPJ_COLL_BCAST=neighbourhood). By default a buffer qualifies if other
 * ranks can write or read its memory in one copy, its data lies in stretches of at least 64 bytes,
 * and these have the alignment that the machine asks for, if it asks for one.
 *   fn   fn(ctx, buf, type) returns non-zero if the buffer of this rank's call qualifies. The
 * buffer may not have its data yet. fn may only call inquiries of the type. NULL: as by default ctx
 * borrowed, passed to fn Each rank sets its own. A duplicate of comm takes it over. */
typedef int MPJ_Comm_qualifies_fn(void *ctx, const void *buf, MPJ_Datatype type);
MPJ_PUBLIC int MPJ_Comm_set_qualifies(MPJ_Comm comm, MPJ_Comm_qualifies_fn *fn, void *ctx);
/* How many messages of this rank, of all its communicators, have been put, and how many have gone
 * by the FIFO, since MPJ_Init. Either may be NULL. */
MPJ_PUBLIC int MPJ_Neighbourhood_counts(MPJ_Count *put, MPJ_Count *fifo);

/* Give the communicator up and set it to MPJ_COMM_NULL; without waiting. What is
 * under way ends in good order, persistent requests stay usable, and its resources
 * are used again once all its ranks have freed it and their requests are gone.
 * Attributes are deleted; if a callback fails with some code, so does this, and
 * comm stays. Errors: MPJ_ERR_COMM (WORLD, SELF). */
MPJ_PUBLIC int MPJ_Comm_free(MPJ_Comm *comm);

/* How two communicators compare: the same one; the same ranks in the same order;
 * the same ranks; else. */
enum { MPJ_IDENT = 0, MPJ_CONGRUENT = 1, MPJ_SIMILAR = 2, MPJ_UNEQUAL = 3 };
MPJ_PUBLIC int MPJ_Comm_compare(MPJ_Comm a, MPJ_Comm b, int *result);

/* comm's ranks by their numbers in another communicator, MPJ_UNDEFINED for one that
 * is not in it: others[i] for ranks[i], n of them. */
MPJ_PUBLIC int MPJ_Comm_translate(MPJ_Comm comm, int n, const int ranks[], MPJ_Comm other,
                                  int others[]);

/* A name, for people and tools; "" until it is set, but for WORLD and SELF, whose
 * names are those of the constants at first. At most MPJ_COMM_NAME_MAX bytes, the
 * final 0 counted. */
#define MPJ_COMM_NAME_MAX 128
MPJ_PUBLIC int MPJ_Comm_set_name(MPJ_Comm comm, const char *name);
MPJ_PUBLIC int MPJ_Comm_get_name(MPJ_Comm comm, char name[MPJ_COMM_NAME_MAX]);

/* Attributes: values that a program hangs on a handle under keys of its own.
 *   copy    called by MPJ_Comm_dup for each attribute in the order they were set:
 *           if it sets *flag, the new handle gets *value_out. NULL: none is copied.
 *           It calls no collective
 *   delete  called when an attribute is deleted, replaced, or its handle freed,
 *           the last set first; for SELF's by MPJ_Finalize. NULL: nothing to do
 * A callback that returns another value than MPJ_SUCCESS makes the call that led
 * to it fail with that value. A key that was freed goes on for the attributes that
 * have it, and takes no new ones. */
typedef int (*MPJ_Comm_copy_attr_fn)(MPJ_Comm oldcomm, int keyval, void *extra_state,
                                     void *value_in, void **value_out, int *flag);
typedef int (*MPJ_Comm_delete_attr_fn)(MPJ_Comm comm, int keyval, void *value, void *extra_state);
MPJ_PUBLIC int MPJ_Comm_create_keyval(MPJ_Comm_copy_attr_fn copy, MPJ_Comm_delete_attr_fn del,
                                      int *keyval, void *extra_state);
/* *keyval becomes MPJ_KEYVAL_INVALID. */
MPJ_PUBLIC int MPJ_Comm_free_keyval(int *keyval);
MPJ_PUBLIC int MPJ_Comm_set_attr(MPJ_Comm comm, int keyval, void *value);
/* *flag := there is one; *value is set only then. */
MPJ_PUBLIC int MPJ_Comm_get_attr(MPJ_Comm comm, int keyval, void **value, int *flag);
MPJ_PUBLIC int MPJ_Comm_delete_attr(MPJ_Comm comm, int keyval);
/* A copy callback that hands the value on as it is. */
MPJ_PUBLIC int MPJ_Comm_dup_attr(MPJ_Comm oldcomm, int keyval, void *extra_state, void *value_in,
                                 void **value_out, int *flag);

#ifdef __cplusplus
}
#endif
#endif
