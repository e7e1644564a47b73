/* This header declares distributed arrays, and schedules that move their data.
 *
 * An array is n axes over a grid of ranks. It says which rank holds which element, and where: it
 * owns no data; a rank allocates its local array (MPJ_Array_local says its shape) and gives its
 * address when data is moved. Indices count from 0.
 *
 * A schedule is made once, from descriptions, and run as often as wanted, on any buffers of these
 * shapes: forward, and backward with an operation. Making one is a collective of the array's
 * communicator; if it fails on one rank it fails on all with the same code (but where a handle is
 * none, which that rank alone hears), and all hear the sentence of the lowest rank that has failed.
 * Running one is a collective too. With MPJ_CHECK=1 ranks whose descriptions differ are named, with
 * what differs: sizes, sections, amounts, which arrays and schedules are meant (by serial numbers,
 * which count what rank 0 has made), and, of a run, which way and with which operation.
 *
 * A mistake of one rank in a run (a NULL buffer, an operation that does not apply) is found by that
 * rank before it sends or writes anything; its buffers stay as they are, and the run fails there
 * and on the ranks that exchange data with it, with its code. They learn of it while they run: data
 * between others may have moved, and what a run writes is undefined on them; a rank that exchanges
 * nothing with it may have ended well before it hears. With MPJ_CHECK=1 all hear of it, before any
 * data moves.
 *
 * A communicator stays the caller's and outlives arrays and schedules over it. Arrays, element
 * types and operations may be freed while schedules made of them live. Threads: as of collectives
 * (mpj/coll.h). */
#ifndef MPJ_ARRAY_H
#define MPJ_ARRAY_H

#include <mpj/base.h>
#include <mpj/datatype.h>
#include <mpj/op.h>
#include <mpj/request.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mpj_grid_array *MPJ_Array;
typedef struct mpj_array_schedule *MPJ_Schedule;
#define MPJ_ARRAY_NULL ((MPJ_Array)0)
#define MPJ_SCHEDULE_NULL ((MPJ_Schedule)0)

/* distribute: beside MPJ_DISTRIBUTE_BLOCK, _CYCLIC and _GENERAL, the owner of each index. */
#define MPJ_DISTRIBUTE_INDIRECT 125

/* How one axis is distributed; 128 bytes for good, and what is not set is zero. */
typedef struct {
  MPJ_Count size;           /* indices, at least 0 */
  MPJ_Count darg;           /* BLOCK, CYCLIC: block length; 0 or MPJ_DISTRIBUTE_DFLT_DARG:
                             * ceil(size / processes), and 1. Others: 0, or _DFLT_DARG */
  const MPJ_Count *lengths; /* GENERAL: how many each coordinate holds, [processes of the grid
                             * dimension]; INDIRECT: the coordinate that owns each index, [size].
                             * Others: not looked at */
  MPJ_Count ghost_low, ghost_high; /* indices of room before and behind what a rank holds */
  int distribute; /* 0 or MPJ_DISTRIBUTE_NONE: not distributed; MPJ_DISTRIBUTE_BLOCK, _CYCLIC,
                   * _GENERAL, _INDIRECT */
  int grid_dim; /* over which grid dimension; each is used by one axis at most. Not looked at where
                 * the axis is not distributed */
  int first;    /* the coordinate that holds index 0; the next block is the next coordinate's. 0 if
                 * INDIRECT or not distributed */
  int periodic; /* 1: the axis is a ring, for halos; 0: it is none */
  int64_t reserved[9];
} MPJ_Axis;

/* Indices start, start + step, ..., count of them. */
typedef struct {
  MPJ_Count start, count, step;
} MPJ_Range;

/* Describe an array over comm's ranks.
 *   axes[ndims]       1 to 64 of them; read before return, lengths too
 *   grid_ndims        0 to 64; 0: one place
 *   grid[grid_ndims]  extents, at least 1; their product is at most comm's size. Place i, in row-
 *                     major order, is rank i. Ranks beyond hold nothing. Along dimensions that no
 *                     axis is distributed over the array is replicated
 *   order             MPJ_ORDER_C (last axis fastest) or MPJ_ORDER_FORTRAN, of the local arrays
 *   element           any type; borrowed
 *   array             set on success; release with MPJ_Array_free
 * A local array's shape is what the rank holds of each axis, ghosts counted.
 * Errors: MPJ_ERR_ARG (also: ghosts on an axis of which a coordinate has more than one piece;
 * `first` or `darg` where the distribution has none),
 * MPJ_ERR_TYPE, MPJ_ERR_COMM, MPJ_ERR_OVERFLOW, MPJ_ERR_NO_MEM. */
MPJ_PUBLIC int MPJ_Array_create(int ndims, const MPJ_Axis axes[], int grid_ndims, const int grid[],
                                int order, MPJ_Datatype element, MPJ_Comm comm, MPJ_Array *array);

/* The same with the ranks in an order of one's own, and a padded local array.
 *   ranks        who stands at each place of the grid, row-major; or NULL. The same on all ranks
 *   local_sizes  [ndims] this rank's local shape, at least as much as it holds with ghosts; or NULL
 */
MPJ_PUBLIC int MPJ_Array_create_on(int ndims, const MPJ_Axis axes[], int grid_ndims,
                                   const int grid[], const int ranks[], int order,
                                   const MPJ_Count local_sizes[], MPJ_Datatype element,
                                   MPJ_Comm comm, MPJ_Array *array);

/* Release the handle and set it to MPJ_ARRAY_NULL. Does not communicate. */
MPJ_PUBLIC int MPJ_Array_free(MPJ_Array *array);

/* What follows does not communicate. Of another rank it says the shape without padding: the offsets
 * of another rank's elements are those of its least local array.
 *
 * The local array of a rank, with its ghosts: its shape and the strides between neighbours, in
 * elements, [ndims] each; 0 for a rank outside the grid. */
MPJ_PUBLIC int MPJ_Array_local(MPJ_Array array, int rank, MPJ_Count sizes[], MPJ_Count strides[]);

/* Who holds the element at index[ndims], and where in its local array, in elements. Of a replicated
 * array the first copy. */
MPJ_PUBLIC int MPJ_Array_owner(MPJ_Array array, const MPJ_Count index[], int *rank,
                               MPJ_Count *offset);

/* The index of what a rank has at `offset` of its local array. MPJ_ERR_ARG: that is a ghost,
 * padding or outside. */
MPJ_PUBLIC int MPJ_Array_global(MPJ_Array array, int rank, MPJ_Count offset, MPJ_Count index[]);

/* What a rank holds of an axis, as ranges of step 1, rising: at most max of them, at least 0, are
 * listed, *n is how many there are. */
MPJ_PUBLIC int MPJ_Array_ranges(MPJ_Array array, int rank, int axis, MPJ_Count max,
                                MPJ_Range ranges[], MPJ_Count *n);

/* A rank's coordinates in the grid, [grid_ndims]; MPJ_UNDEFINED for a rank outside. */
MPJ_PUBLIC int MPJ_Array_coords(MPJ_Array array, int rank, int coords[]);

/* The global array, dense in the order of storage, as a committed type with a part for each rank:
 * what the rank holds, in that order. For files and for collectives with one rank that has all. A
 * type of p parts takes O(p) memory. *distribution is the caller's to free. */
MPJ_PUBLIC int MPJ_Array_type(MPJ_Array array, MPJ_Datatype *distribution);

/* Copy a section of an array to a section of another, of the same shape, however both are
 * distributed. The arrays' communicators have the same ranks in the same order.
 *
 *   section, to_section  [ndims of the array]: one range for each axis, inside the array; steps may
 *                        be negative, and are not 0 where count is over 1. NULL: the whole array
 *   axis_of              [ndims of to]: axis d of `to` is axis axis_of[d] of `from`, each at most
 *                        once; -1: none, and the section has one index there. An axis of `from`
 *                        that is not named has one index, too. NULL: axes in order
 *
 * Of a replicated source the copy sends whose coordinates in the dimensions that replicate are the
 * receiver's, so a rank that has a copy reads its own. Of a replicated target all copies are
 * written. The buffers do not overlap.
 * Errors: MPJ_ERR_ARG, MPJ_ERR_SIGNATURE (unlike elements), MPJ_ERR_NO_MEM. */
MPJ_PUBLIC int MPJ_Remap_create(MPJ_Array from, const MPJ_Range section[], MPJ_Array to,
                                const MPJ_Range to_section[], const int axis_of[],
                                MPJ_Schedule *schedule);

/* The same between arrays over different communicators, of groups that may be disjoint. Collective
 * over `both`, which has all ranks of both; a rank that is not in an array's communicator gives
 * MPJ_ARRAY_NULL for it. The ranks learn the descriptions of each other's arrays. Rank order is
 * that of `both`. Sections and axis_of are the same on all ranks. Errors: also MPJ_ERR_ARG (a rank
 * of an array is not in both; no rank has one of the arrays; ranks describe one unlike, which of
 * them and in what all hear in any mode). */
MPJ_PUBLIC int MPJ_Remap_create_between(MPJ_Array from_or_null, const MPJ_Range section[],
                                        MPJ_Array to_or_null, const MPJ_Range to_section[],
                                        const int axis_of[], MPJ_Comm both, MPJ_Schedule *schedule);

/* Fill the ghosts of `to` with what the owners of their indices hold in `from`: along a ring beyond
 * its end, too. Ghosts beyond the end of an axis that is none stay as they are. `from` is `to`, and
 * the buffers are one (a run with two is MPJ_ERR_ARG); or an array distributed alike, ghosts or
 * not, and then what a rank holds is copied as well. Ghosts may be wider than a neighbour's block:
 * they come from the next but one, too. A rank that holds no index of an axis has room for its
 * ghosts there, to which nothing comes.
 *
 *   low, high  [ndims] widths below and above what a rank holds, at most the ghosts of `to`; NULL:
 *              these
 *   corners    0: only ghosts beside one face; 1: those beyond edges and corners, too, in one
 *              exchange
 *
 * Backward with an op combines ghosts into their owners' elements, those of one rank region by
 * region. A region is one choice for each axis, and regions go by the choice along the axis that is
 * the slowest in from's order of storage, then the next: what the rank holds; the ghosts below;
 * those above; of ghosts that go round a ring several times each lap is a choice, the nearest
 * first.
 *
 * Errors: MPJ_ERR_ARG, MPJ_ERR_SIGNATURE, MPJ_ERR_NO_MEM, MPJ_ERR_UNSUPPORTED (more than 2^63
 * regions). */
MPJ_PUBLIC int MPJ_Halo_create(MPJ_Array from, MPJ_Array to, const MPJ_Count low[],
                               const MPJ_Count high[], int corners, MPJ_Schedule *schedule);

/* Move an array along an axis: the element at index i goes to index i + by, from one buffer to
 * another of the same array.
 *   edge  what becomes of indices to which nothing comes: MPJ_EDGE_KEEP, they keep what `to` has
 *         there (which the program may have put there); MPJ_EDGE_ZERO, zeros; MPJ_EDGE_CYCLIC, what
 *         leaves at one end comes in at the other */
enum { MPJ_EDGE_KEEP = 0, MPJ_EDGE_ZERO = 1, MPJ_EDGE_CYCLIC = 2 };
MPJ_PUBLIC int MPJ_Shift_create(MPJ_Array array, int axis, MPJ_Count by, int edge,
                                MPJ_Schedule *schedule);

/* Gather elements of an array by global subscripts: each rank names what it wants.
 *   n       how many, of this rank
 *   index   [n][ndims of the array], in any order, repeated too
 *   places  [n] where in `to` each goes, in elements; none twice (MPJ_ERR_ARG). NULL: in order
 *
 * `from` is the array, `to` is any memory of elements. What is named repeatedly travels once. Of a
 * replicated array the copy sends that a remap would read. Backward combines into `from`; what a
 * rank names repeatedly is combined first, in the order in which it was named, and counts as one
 * value. Memory and messages grow with what this rank wants and is asked for, and with log2 of the
 * ranks. Errors: MPJ_ERR_ARG (an index outside the array), MPJ_ERR_OVERFLOW, MPJ_ERR_NO_MEM. */
MPJ_PUBLIC int MPJ_Subscript_create(MPJ_Array array, MPJ_Count n, const MPJ_Count index[],
                                    const MPJ_Count places[], MPJ_Schedule *schedule);

/* The same by ranks and offsets: `from` is memory of nroots elements on each rank, and leaf i is
 * element offsets[i] of ranks[i]'s.
 *   places  as above; ranks, offsets [n]
 * An offset outside its rank's memory is MPJ_ERR_ARG on that rank (or, beyond 2^44, on the one
 * that names it), and fails on all. */
MPJ_PUBLIC int MPJ_Graph_create(MPJ_Count nroots, MPJ_Count n, const MPJ_Count places[],
                                const int ranks[], const MPJ_Count offsets[], MPJ_Datatype element,
                                MPJ_Comm comm, MPJ_Schedule *schedule);

/* Join schedules over one communicator, or congruent ones, so that their data goes in one message a
 * pair of ranks.
 *
 *   n          at least 1, the same on all ranks
 *   schedules  [n], and one at least, by whose communicator all hear of an n below 1; in the same
 *              order on all ranks; none of them joined itself. They may be freed
 *
 * What is run then takes arrays of n addresses, one for each: from, to and fetched point to them,
 * and they are read before return. Buffers that one schedule writes are no other's. */
MPJ_PUBLIC int MPJ_Schedule_join(int n, const MPJ_Schedule schedules[], MPJ_Schedule *joined);

/* Bound the memory that a run of the schedule takes, beside what the collectives below it do, whose
 * buffers have a size that does not depend on it. Forward takes none. Backward with an op then goes
 * in rounds, which all ranks count alike: an element of a round takes up to four times its size for
 * each rank that sends or receives some. A round's types are made when a run comes to it, and freed
 * behind it, so the schedule keeps nothing for each; a run has, beside the bound, one round's types
 * and 12 bytes for each of its steps. A request has the types of all rounds. Making types is time
 * that short rounds feel: of 256 KiB and more they cost up to 1.2 times, of 64 KiB 1.5 to 2.5, of
 * 16 KiB 2 to 3.4 times as much as with types that are kept (2.8 KB for each round).
 *
 *   scratch_bytes  on this rank, the same on all; 0: no bound
 *
 * Members of a joined schedule have equal shares of it. Collective. The call itself takes some
 * words for each rank that it exchanges with; where something is named repeatedly the schedule
 * keeps 8 bytes for each round; if one round is enough the call takes 8 for each of the places, and
 * frees them. Errors: MPJ_ERR_REQUEST (a persistent request of the schedule, or of one that shares
 * a member with it, active or not, has not been freed, or a run of these is under way; but runs
 * forward, and backward with MPJ_REPLACE, that are neither persistent nor of several phases go on);
 * MPJ_ERR_ARG (less than an element needs; over 2^28 rounds): after these the bounds are as they
 * were; MPJ_ERR_NO_MEM, MPJ_ERR_PEER: after these there may be none, on any rank. */
MPJ_PUBLIC int MPJ_Schedule_limit(MPJ_Schedule schedule, MPJ_Count scratch_bytes);

/* Run the schedule: data of `from`, this rank's local array of the one, arrives in `to`, that of
 * the other. A rank of whose array nothing is moved may give NULL there, in all runs below, too; a
 * joined schedule's arrays of addresses are not NULL. */
MPJ_PUBLIC int MPJ_Schedule_forward(MPJ_Schedule schedule, const void *from, void *to);

/* Run it backward: from := to (op) from, wherever forward copies from. Where several places of `to`
 * belong to one place of `from` they are combined with it one after another in rank order, those of
 * a rank in the order of its places: the next (op) what the place has then. So the bits are the
 * same from run to run; with MPJ_REPLACE the highest rank wins. Of replicated targets the copies
 * are first combined as MPJ_Reduce does. Of replicated sources the copies that send get the result,
 * and no others.
 *
 * All ranks give the same op, those that move nothing, too (MPJ_ERR_OP: it is none); whether it
 * applies to the elements each rank finds by those that it moves. If theirs differ and are valid it
 * is MPJ_ERR_OP on all, of predefined ones with a replicated target, of all with MPJ_CHECK=1; else
 * each combines what comes to it by its own. */
MPJ_PUBLIC int MPJ_Schedule_backward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op);

/* The same, and fetched, of the shape of `to`, gets what was in `from` before this rank's values
 * came (all that it names of one place count as one value; but of a halo each region of ghosts is a
 * value of its own, and the next region fetches what it has made of the place). fetched overlaps
 * neither from nor to: if it is one of them, and something comes, that is MPJ_ERR_ARG. */
MPJ_PUBLIC int MPJ_Schedule_fetch_op(MPJ_Schedule schedule, void *from, const void *to,
                                     void *fetched, MPJ_Op op);

/* The nonblocking and persistent forms (mpj/request.h). Unless `to` is replicated, a run forward,
 * or backward in one round, is one Ialltoall; what else it does (combining, copies, zeros) is done
 * by whoever waits or tests when that has ended. Others are several operations, which the request
 * begins one after another, and a nonblocking one begins with what an init costs. */
MPJ_PUBLIC int MPJ_Schedule_iforward(MPJ_Schedule schedule, const void *from, void *to,
                                     MPJ_Request *request);
MPJ_PUBLIC int MPJ_Schedule_forward_init(MPJ_Schedule schedule, const void *from, void *to,
                                         MPJ_Request *request);
MPJ_PUBLIC int MPJ_Schedule_ibackward(MPJ_Schedule schedule, void *from, const void *to, MPJ_Op op,
                                      MPJ_Request *request);
MPJ_PUBLIC int MPJ_Schedule_backward_init(MPJ_Schedule schedule, void *from, const void *to,
                                          MPJ_Op op, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Schedule_ifetch_op(MPJ_Schedule schedule, void *from, const void *to,
                                      void *fetched, MPJ_Op op, MPJ_Request *request);
MPJ_PUBLIC int MPJ_Schedule_fetch_op_init(MPJ_Schedule schedule, void *from, const void *to,
                                          void *fetched, MPJ_Op op, MPJ_Request *request);

/* What a schedule consists of. Phase 0 is the exchange: an Alltoall of from, send, to, recv over
 * comm. Others: a broadcast (recv, over a communicator that is the array's; send is null), a local
 * copy (both null), zeros (recv: where; comm is null). The types are the caller's to free, and may
 * be null where this rank has no part.
 *
 * Of a joined schedule these are the phases of all that it has been joined of, in their order, each
 * with types relative to that one's own buffers; their exchanges, phase 0 of each, go in one. */
MPJ_PUBLIC int MPJ_Schedule_phases(MPJ_Schedule schedule, int *n);
MPJ_PUBLIC int MPJ_Schedule_types(MPJ_Schedule schedule, int phase, MPJ_Datatype *send,
                                  MPJ_Datatype *recv, MPJ_Comm *comm);

/* Phases, peers, messages and bytes of this rank, the bound and the number of rounds, as text; cut
 * at size - 1 bytes. *needed, unless it is NULL, is the size that holds all of it. */
MPJ_PUBLIC int MPJ_Schedule_print(MPJ_Schedule schedule, char *text, MPJ_Count size,
                                  MPJ_Count *needed);

/* Make it, run it forward, free it. Backward once is three calls: a create, MPJ_Schedule_backward,
 * MPJ_Schedule_free. */
MPJ_PUBLIC int MPJ_Remap(MPJ_Array from_array, const MPJ_Range section[], MPJ_Array to_array,
                         const MPJ_Range to_section[], const int axis_of[], const void *from,
                         void *to);
MPJ_PUBLIC int MPJ_Remap_between(MPJ_Array from_array_or_null, const MPJ_Range section[],
                                 MPJ_Array to_array_or_null, const MPJ_Range to_section[],
                                 const int axis_of[], MPJ_Comm both, const void *from, void *to);
MPJ_PUBLIC int MPJ_Halo(MPJ_Array from_array, MPJ_Array to_array, const MPJ_Count low[],
                        const MPJ_Count high[], int corners, const void *from, void *to);
MPJ_PUBLIC int MPJ_Shift(MPJ_Array array, int axis, MPJ_Count by, int edge, const void *from,
                         void *to);
MPJ_PUBLIC int MPJ_Subscript(MPJ_Array array, MPJ_Count n, const MPJ_Count index[],
                             const MPJ_Count places[], const void *from, void *to);
MPJ_PUBLIC int MPJ_Graph(MPJ_Count nroots, MPJ_Count n, const MPJ_Count places[], const int ranks[],
                         const MPJ_Count offsets[], MPJ_Datatype element, MPJ_Comm comm,
                         const void *from, void *to);

/* Release the handle and set it to MPJ_SCHEDULE_NULL. Does not communicate. */
MPJ_PUBLIC int MPJ_Schedule_free(MPJ_Schedule *schedule);

#ifdef __cplusplus
}
#endif
#endif
