/* This header declares datatypes: what a buffer's bytes are and where they lie.
 *
 * A datatype is a type map, an ordered list of (basic type, byte displacement)
 * pairs, with a lower bound and an extent (MPI 4.1, chapter 5). Its outermost
 * constructor also divides it into parts, block i being part i: where a
 * collective needs one block per rank, part i belongs to rank i.
 *
 * Constructors borrow `oldtype` (the new type keeps its own reference) and set
 * *newtype only on MPJ_SUCCESS; release it with MPJ_Type_free. Any constructor
 * may return MPJ_ERR_TYPE (oldtype is null or was freed), MPJ_ERR_ARG (a NULL
 * pointer or a negative count), MPJ_ERR_OVERFLOW (a size or displacement that
 * does not fit 64 bits), MPJ_ERR_UNSUPPORTED (more than 1000 constructors over one
 * another, each dimension of an array counted) and MPJ_ERR_NO_MEM.
 *
 * Types are immutable and may be used by any thread; a type must be committed
 * before it moves data. Two threads may not commit or free one handle variable
 * at once. */
#ifndef MPJ_DATATYPE_H
#define MPJ_DATATYPE_H

#include <mpj/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Basic types: committed, one part, never freed. */
#define MPJ_BASIC_(n) ((MPJ_Datatype)(uintptr_t)(0x10 + (n)))
#define MPJ_BYTE MPJ_BASIC_(0)
#define MPJ_CHAR MPJ_BASIC_(1)
#define MPJ_SIGNED_CHAR MPJ_BASIC_(2)
#define MPJ_UNSIGNED_CHAR MPJ_BASIC_(3)
#define MPJ_SHORT MPJ_BASIC_(4)
#define MPJ_UNSIGNED_SHORT MPJ_BASIC_(5)
#define MPJ_INT MPJ_BASIC_(6)
#define MPJ_UNSIGNED MPJ_BASIC_(7)
#define MPJ_LONG MPJ_BASIC_(8)
#define MPJ_UNSIGNED_LONG MPJ_BASIC_(9)
#define MPJ_LONG_LONG MPJ_BASIC_(10)
#define MPJ_UNSIGNED_LONG_LONG MPJ_BASIC_(11)
#define MPJ_INT8 MPJ_BASIC_(12)
#define MPJ_INT16 MPJ_BASIC_(13)
#define MPJ_INT32 MPJ_BASIC_(14)
#define MPJ_INT64 MPJ_BASIC_(15)
#define MPJ_UINT8 MPJ_BASIC_(16)
#define MPJ_UINT16 MPJ_BASIC_(17)
#define MPJ_UINT32 MPJ_BASIC_(18)
#define MPJ_UINT64 MPJ_BASIC_(19)
#define MPJ_FLOAT MPJ_BASIC_(20)
#define MPJ_DOUBLE MPJ_BASIC_(21)
#define MPJ_LONG_DOUBLE MPJ_BASIC_(22)
#define MPJ_C_BOOL MPJ_BASIC_(23)
#define MPJ_C_FLOAT_COMPLEX MPJ_BASIC_(24)
#define MPJ_C_DOUBLE_COMPLEX MPJ_BASIC_(25)
#define MPJ_C_LONG_DOUBLE_COMPLEX MPJ_BASIC_(26)
#define MPJ_WCHAR MPJ_BASIC_(27)
#define MPJ_AINT MPJ_BASIC_(28)
#define MPJ_COUNT MPJ_BASIC_(29)
#define MPJ_PACKED MPJ_BASIC_(30)   /* bytes, as MPJ_BYTE: a packed stream */
#define MPJ_FLOAT16 MPJ_BASIC_(31)  /* IEEE half precision, for storage */
#define MPJ_BFLOAT16 MPJ_BASIC_(32) /* the upper half of a float, for storage */
/* struct { T value; int index; } as the compiler lays it out: one element of
 * sizeof bytes, padding included, whose size is its extent. */
#define MPJ_FLOAT_INT MPJ_BASIC_(33)
#define MPJ_DOUBLE_INT MPJ_BASIC_(34)
#define MPJ_LONG_DOUBLE_INT MPJ_BASIC_(35)
#define MPJ_LONG_INT MPJ_BASIC_(36)
#define MPJ_2INT MPJ_BASIC_(37)
#define MPJ_SHORT_INT MPJ_BASIC_(38)

#define MPJ_ORDER_C 56
#define MPJ_ORDER_FORTRAN 57
#define MPJ_DISTRIBUTE_BLOCK 121
#define MPJ_DISTRIBUTE_CYCLIC 122
#define MPJ_DISTRIBUTE_NONE 123
#define MPJ_DISTRIBUTE_GENERAL 124
#define MPJ_DISTRIBUTE_DFLT_DARG ((MPJ_Count)-49767)

/* count copies of oldtype, one extent apart. Parts: count, copy i.
 * Source: MPI 4.1, 5.1.2. */
MPJ_PUBLIC int MPJ_Type_contiguous(MPJ_Count count, MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* count blocks of blocklen copies of oldtype; block i starts at
 * i * stride extents. stride may be negative. Parts: count, block i. */
MPJ_PUBLIC int MPJ_Type_vector(MPJ_Count count, MPJ_Count blocklen, MPJ_Count stride,
                               MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* As MPJ_Type_vector, with the stride in bytes. */
MPJ_PUBLIC int MPJ_Type_create_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride,
                                       MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* count blocks; block i is blocklens[i] copies of oldtype at displs[i] extents.
 *   blocklens[count], displs[count]  read before return; may be NULL if count is 0
 * Parts: count, block i, in the order given (overlap and any order are legal;
 * a type that is received into must not overlap itself). */
MPJ_PUBLIC int MPJ_Type_indexed(MPJ_Count count, const MPJ_Count blocklens[],
                                const MPJ_Count displs[], MPJ_Datatype oldtype,
                                MPJ_Datatype *newtype);

/* As MPJ_Type_indexed, with displacements in bytes. */
MPJ_PUBLIC int MPJ_Type_create_hindexed(MPJ_Count count, const MPJ_Count blocklens[],
                                        const MPJ_Aint displs[], MPJ_Datatype oldtype,
                                        MPJ_Datatype *newtype);

/* As MPJ_Type_indexed and MPJ_Type_create_hindexed with all lengths equal:
 * block i is blocklen copies at displs[i] extents, or bytes. */
MPJ_PUBLIC int MPJ_Type_create_indexed_block(MPJ_Count count, MPJ_Count blocklen,
                                             const MPJ_Count displs[], MPJ_Datatype oldtype,
                                             MPJ_Datatype *newtype);
MPJ_PUBLIC int MPJ_Type_create_hindexed_block(MPJ_Count count, MPJ_Count blocklen,
                                              const MPJ_Aint displs[], MPJ_Datatype oldtype,
                                              MPJ_Datatype *newtype);

/* count blocks; block i is blocklens[i] copies of types[i] at displs[i] bytes.
 * Parts: count, block i. */
MPJ_PUBLIC int MPJ_Type_create_struct(MPJ_Count count, const MPJ_Count blocklens[],
                                      const MPJ_Aint displs[], const MPJ_Datatype types[],
                                      MPJ_Datatype *newtype);

/* nblocks blocks of a few lengths: block i is bucket_blocklens[bucket_of_block[i]]
 * copies of oldtype at displs[i] extents. The map is that of MPJ_Type_indexed with
 * these lengths; a block costs its compressed displacement (about 2 bytes if they
 * rise with gaps below 4096) and at most ceil(log2 nbuckets) bits for its length.
 *   bucket_blocklens[nbuckets]  >= 0
 *   bucket_of_block[nblocks]    0 .. nbuckets - 1
 *   displs[nblocks]             all three read before return
 * Parts: nblocks, block i. Source: Traeff, Parallel Computing 38 (2012). */
MPJ_PUBLIC int MPJ_Type_create_bucket_index(MPJ_Count nblocks, int nbuckets,
                                            const MPJ_Count bucket_blocklens[],
                                            const int bucket_of_block[], const MPJ_Count displs[],
                                            MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* As MPJ_Type_create_bucket_index, with displacements in bytes. */
MPJ_PUBLIC int MPJ_Type_create_hbucket_index(MPJ_Count nblocks, int nbuckets,
                                             const MPJ_Count bucket_blocklens[],
                                             const int bucket_of_block[], const MPJ_Aint displs[],
                                             MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* The same with buckets of several types: block i is bucket_blocklens[b] copies of
 * bucket_types[b] at displs[i] bytes, b = bucket_of_block[i]. The map is that of
 * MPJ_Type_create_struct; a block costs what that of a bucket index does, in any order.
 *   bucket_types[nbuckets]  borrowed
 * Parts: nblocks, block i.
 * Errors: MPJ_ERR_OVERFLOW also of a bucket that no block is in. */
MPJ_PUBLIC int MPJ_Type_create_bucket_struct(MPJ_Count nblocks, int nbuckets,
                                             const MPJ_Count bucket_blocklens[],
                                             const MPJ_Datatype bucket_types[],
                                             const int bucket_of_block[], const MPJ_Aint displs[],
                                             MPJ_Datatype *newtype);

/* nsegments consecutive segments: segment i is lengths[i] copies of oldtype that
 * follow those of segment i - 1, one extent apart. The map is that of
 * MPJ_Type_contiguous with all copies. Equal lengths in a row are kept as one.
 *   lengths[nsegments]  >= 0, read before return
 * Parts: nsegments, segment i. Source: Traeff, Parallel Computing 38 (2012). */
MPJ_PUBLIC int MPJ_Type_create_segment(MPJ_Count nsegments, const MPJ_Count lengths[],
                                       MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* nparts parts, of which n are given and the others are empty: part parts[k] is types[k] at
 * displs[k] bytes. The map is that of MPJ_Type_create_struct with one copy of each. Memory and time
 * are O(n) in every use, part i is found in O(log n), and nparts costs nothing. MPJ_Alltoall takes
 * such types on all ranks or on none, and then sends what is given and nothing else.
 *   parts[n]   rising, 0 .. nparts - 1
 *   displs[n]  bytes; all three read before return
 *   types[n]   borrowed; may be empty ones
 * Parts: nparts. Errors: MPJ_ERR_ARG also of n over nparts and of parts that do not rise or are out
 * of range. */
MPJ_PUBLIC int MPJ_Type_create_sparse(MPJ_Count nparts, MPJ_Count n, const MPJ_Count parts[],
                                      const MPJ_Aint displs[], const MPJ_Datatype types[],
                                      MPJ_Datatype *newtype);

/* The basic elements [first, first + count) of oldtype's type map, where they are.
 * Shares oldtype's numbers: memory does not grow with the number of its blocks.
 *   0 <= first, 0 <= count, first + count <= elements of oldtype
 * Bounds are those of the data, as if it had been described by itself: oldtype's
 * set bounds do not count. Parts: 1. This is the literature's other reading of
 * "segment": see MPJ_Type_create_segment. */
MPJ_PUBLIC int MPJ_Type_create_slice(MPJ_Datatype oldtype, MPJ_Count first, MPJ_Count count,
                                     MPJ_Datatype *newtype);

/* The box of subsizes at starts inside an array of sizes, in units of oldtype;
 * lower bound 0, extent that of the whole array.
 *   sizes, subsizes, starts [ndims]; sizes >= 1, subsizes >= 0,
 *   0 <= starts, starts + subsizes <= sizes
 *   order  MPJ_ORDER_C (last index fastest) or MPJ_ORDER_FORTRAN (first fastest)
 * Parts: the slices along the slowest dimension. */
MPJ_PUBLIC int MPJ_Type_create_subarray(int ndims, const MPJ_Count sizes[],
                                        const MPJ_Count subsizes[], const MPJ_Count starts[],
                                        int order, MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* oldtype with other bounds. extent may be negative. Parts: those of oldtype. */
MPJ_PUBLIC int MPJ_Type_create_resized(MPJ_Datatype oldtype, MPJ_Aint lb, MPJ_Aint extent,
                                       MPJ_Datatype *newtype);

/* The same type under a handle of its own, committed if oldtype is. Attributes are
 * copied as their callbacks say (mpj/introspect.h), the name is not. */
MPJ_PUBLIC int MPJ_Type_dup(MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* A second owner of the handle: it lives until MPJ_Type_free was called once for each
 * owner, name and attributes included. *handle := type, which a basic type, never
 * freed, gives too. O(1), no memory. */
MPJ_PUBLIC int MPJ_Type_share(MPJ_Datatype type, MPJ_Datatype *handle);

/* A global array spread over a process grid; part i is what process i owns.
 *   gsizes[ndims]    the global array's shape, >= 1
 *   distribs[ndims]  MPJ_DISTRIBUTE_BLOCK, _CYCLIC or _NONE
 *   dargs[ndims]     block length k >= 1, or MPJ_DISTRIBUTE_DFLT_DARG:
 *                    ceil(gsize / psize) for block, 1 for cyclic. A block
 *                    length must cover the array: k * psize >= gsize.
 *   psizes[ndims]    the grid's shape, >= 1; 1 where the distribution is NONE
 *   order            of the array in memory, C or Fortran; the grid's ranks
 *                    are in C order always (as MPI's darray)
 * Part i lists the process's elements in array order; it may be empty. Lower
 * bound 0, extent that of the whole array. Memory O(3^ndims) whatever the grid.
 * Parts: the product of psizes, in rank order.
 * Errors: also MPJ_ERR_UNSUPPORTED (more than 64 dimensions, or more than 2^20
 * different shapes of parts). */
MPJ_PUBLIC int MPJ_Type_create_distribution(int ndims, const MPJ_Count gsizes[],
                                            const int distribs[], const MPJ_Count dargs[],
                                            const int psizes[], int order, MPJ_Datatype oldtype,
                                            MPJ_Datatype *newtype);

/* The same with general block lengths in some dimensions: where distribs[d] is
 * MPJ_DISTRIBUTE_GENERAL, coordinate c owns the next blocks[d][c] indices.
 *   blocks[ndims]  read where general: [psizes[d]] lengths >= 0 whose sum is
 *                  gsizes[d]; dargs[d] is not looked at there
 * Memory: one shape of part for each combination of runs of equal neighbouring
 * lengths; part i is found in O(ndims log runs). */
MPJ_PUBLIC int MPJ_Type_create_general_distribution(int ndims, const MPJ_Count gsizes[],
                                                    const int distribs[], const MPJ_Count dargs[],
                                                    const MPJ_Count *const blocks[],
                                                    const int psizes[], int order,
                                                    MPJ_Datatype oldtype, MPJ_Datatype *newtype);

/* What process `rank` of `size` owns of a global array: part `rank` of the
 * distribution of the same arguments. size: the product of psizes.
 * Parts: 1. Source: MPI 4.1, 5.1.4. */
MPJ_PUBLIC int MPJ_Type_create_darray(int size, int rank, int ndims, const MPJ_Count gsizes[],
                                      const int distribs[], const MPJ_Count dargs[],
                                      const int psizes[], int order, MPJ_Datatype oldtype,
                                      MPJ_Datatype *newtype);

/* The C type that is described to libffi (its ffi_type): structs, nested, with the
 * offsets, extent and alignment that libffi gives them; an array is described as
 * a struct of its elements. A described scalar is the basic type's own handle.
 *   ffi  read only; need not have been laid out by libffi
 * Addresses are MPJ_AINT. Parts: 1.
 * Errors: MPJ_ERR_ARG (void, or a description without meaning),
 *   MPJ_ERR_UNSUPPORTED (built without libffi, or more than 1000 structs deep). */
struct _ffi_type;
MPJ_PUBLIC int MPJ_Type_from_ffi(const struct _ffi_type *ffi, MPJ_Datatype *newtype);

/* Shape of process `part`'s local array.
 *   distribution  made by MPJ_Type_create_distribution, or a dup or resized one
 *   localsizes    set, [ndims of the distribution]; 0 where it owns nothing
 * Errors: MPJ_ERR_TYPE (not a distribution), MPJ_ERR_ARG (no such part). */
MPJ_PUBLIC int MPJ_Type_distribution_local(MPJ_Datatype distribution, MPJ_Count part,
                                           MPJ_Count localsizes[]);

/* The dense local array of process `part`, in the distribution's order; its
 * signature is that part's. Parts: slices along the slowest dimension. */
MPJ_PUBLIC int MPJ_Type_create_local(MPJ_Datatype distribution, MPJ_Count part,
                                     MPJ_Datatype *newtype);

/* Make *type fit to move data: compiles its layout. Committing twice is fine. */
MPJ_PUBLIC int MPJ_Type_commit(MPJ_Datatype *type);

/* Release the caller's handle and set it to MPJ_DATATYPE_NULL. Types built
 * from it and calls under way keep what they need. A basic type, which some calls
 * give (parsing, decoding, contents, ...), lives on.
 * Errors: MPJ_ERR_TYPE (null, or freed already), or what the delete
 * callback of an attribute returned; the handle then stays as it is, without the
 * attributes that were deleted before. */
MPJ_PUBLIC int MPJ_Type_free(MPJ_Datatype *type);

/* How many parts the type has; and part i as a committed type of its own, to
 * be laid at base + *displ bytes. The caller frees *part. */
MPJ_PUBLIC int MPJ_Type_parts(MPJ_Datatype type, MPJ_Count *nparts);
MPJ_PUBLIC int MPJ_Type_part(MPJ_Datatype type, MPJ_Count i, MPJ_Aint *displ, MPJ_Datatype *part);

/* Bytes of data in the type map: what packing it produces. */
MPJ_PUBLIC int MPJ_Type_size(MPJ_Datatype type, MPJ_Count *bytes);

/* Lower bound and extent; the true ones span the data alone (0, 0 if empty). */
MPJ_PUBLIC int MPJ_Type_get_extent(MPJ_Datatype type, MPJ_Aint *lb, MPJ_Aint *extent);
MPJ_PUBLIC int MPJ_Type_get_true_extent(MPJ_Datatype type, MPJ_Aint *true_lb,
                                        MPJ_Aint *true_extent);

/* *same_signature := the sequences of basic types are equal, class and size
 * alike (long and int64_t are one; compared by size, count and a 61-bit hash);
 * *same_map := so are all displacements and the basic types by name (MPJ_LONG is
 * not MPJ_INT64 here), as far as normalisation can tell; never true for unequal
 * maps. Either pointer may be NULL. */
MPJ_PUBLIC int MPJ_Type_match(MPJ_Datatype a, MPJ_Datatype b, int *same_signature, int *same_map);

#ifdef __cplusplus
}
#endif
#endif
