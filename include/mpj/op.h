/* This header declares operations: what reductions do to elements. */
#ifndef MPJ_OP_H
#define MPJ_OP_H

#include <mpj/base.h>
#include <mpj/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Predefined operations: they work elementwise on any datatype, following its
 * signature; a basic type that one does not apply to is MPJ_ERR_OP. Integer
 * arithmetic wraps around. */
#define MPJ_PREDEFINED_OP_(n) ((MPJ_Op)(uintptr_t)(0x40 + (n)))
#define MPJ_SUM MPJ_PREDEFINED_OP_(0)
#define MPJ_PROD MPJ_PREDEFINED_OP_(1)
#define MPJ_MIN MPJ_PREDEFINED_OP_(2)
#define MPJ_MAX MPJ_PREDEFINED_OP_(3)
#define MPJ_LAND MPJ_PREDEFINED_OP_(4)
#define MPJ_BAND MPJ_PREDEFINED_OP_(5)
#define MPJ_LOR MPJ_PREDEFINED_OP_(6)
#define MPJ_BOR MPJ_PREDEFINED_OP_(7)
#define MPJ_LXOR MPJ_PREDEFINED_OP_(8)
#define MPJ_BXOR MPJ_PREDEFINED_OP_(9)
#define MPJ_REPLACE MPJ_PREDEFINED_OP_(10)
/* Of pairs (MPJ_DOUBLE_INT, ...): the least or largest value with its index; of
 * equal values the least index. */
#define MPJ_MINLOC MPJ_PREDEFINED_OP_(11)
#define MPJ_MAXLOC MPJ_PREDEFINED_OP_(12)

/* inout[i] := in[i] (op) inout[i] for n elements of the operation's elemtype, in
 * its own layout: for a type that describes a C struct, arrays of that struct.
 * May be called in any thread that acts for a rank, the library's progress thread too,
 * one at a time for a rank; calls no MPJ function. */
typedef void MPJ_User_function(void *ctx, const void *in, void *inout, MPJ_Count n);

/* A user's operation, associative.
 *   ctx          passed to fn; the caller keeps it alive as long as the op
 *   elemtype     committed, its lower bound not below 0; what fn's elements are. A
 *                reduction's signature must be a whole multiple of it.
 *   commutative  whether the order of ranks may be changed (it is not, today)
 *   op           set on MPJ_SUCCESS; release with MPJ_Op_free
 * Errors: MPJ_ERR_ARG, MPJ_ERR_TYPE, MPJ_ERR_NO_MEM. */
MPJ_PUBLIC int MPJ_Op_create(MPJ_User_function *fn, void *ctx, MPJ_Datatype elemtype,
                             int commutative, MPJ_Op *op);

/* An operation from a C function of two scalars, called for each pair of elements:
 * inout := scalar_fn(in, inout). About 20 ns an element more than a function of
 * arrays.
 *   scalar_fn    T fn(T, T), cast; associative; calls no MPJ function
 *   elemtype     one element of a basic type, committed: T. Integers, reals, complex
 *                numbers and bool; not bytes, pairs, or half precision
 *   commutative  as above
 *   op           set on MPJ_SUCCESS; release with MPJ_Op_free
 * Errors: MPJ_ERR_ARG, MPJ_ERR_TYPE (elemtype is no such type), MPJ_ERR_NO_MEM,
 * MPJ_ERR_UNSUPPORTED (built without libffi). */
MPJ_PUBLIC int MPJ_Op_lift(void (*scalar_fn)(void), MPJ_Datatype elemtype, int commutative,
                           MPJ_Op *op);

/* Release the handle and set it to MPJ_OP_NULL. MPJ_ERR_OP: null, freed, or
 * predefined. */
MPJ_PUBLIC int MPJ_Op_free(MPJ_Op *op);

/* What an operation is made of. Of a predefined one fn is NULL, and the rest 0. */
typedef struct MPJ_Op_contents {
  MPJ_User_function *fn; /* MPJ_Op_lift's has one, too: valid as long as the operation */
  void *ctx;
  MPJ_Count element_bytes; /* of data in one element of elemtype */
  MPJ_Aint element_extent; /* bytes from one element to the next */
  int commutative;
} MPJ_Op_contents;

/* Errors: MPJ_ERR_OP (null or freed), MPJ_ERR_ARG (contents is NULL). */
MPJ_PUBLIC int MPJ_Op_get_contents(MPJ_Op op, MPJ_Op_contents *contents);

/* inout := in (op) inout, element by element, in this rank's memory: both are of `type`,
 * committed; their data does not overlap. A user's operation gets whole elements of its
 * elemtype, in order. Needs no initialisation. Errors: MPJ_ERR_TYPE, MPJ_ERR_OP (null, freed,
 * or does not apply to a basic type in `type`), MPJ_ERR_SIGNATURE (no whole multiple of op's
 * elemtype), MPJ_ERR_ARG (in is inout, or one of them NULL), MPJ_ERR_NO_MEM; inout is
 * unchanged but after the last. Threads: any, at the same time on different inout. */
MPJ_PUBLIC int MPJ_Reduce_local(const void *in, void *inout, MPJ_Datatype type, MPJ_Op op);

/* buf := the packed data from byte *position on (op) buf; *position goes past it on success.
 * packed[size] is as MPJ_Pack makes it, and does not overlap buf's data. Errors: those of
 * MPJ_Reduce_local, and MPJ_ERR_ARG, MPJ_ERR_TRUNCATE as MPJ_Unpack has them. */
MPJ_PUBLIC int MPJ_Unpack_reduce(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
                                 MPJ_Datatype type, MPJ_Op op);

#ifdef __cplusplus
}
#endif
#endif
