/* This header declares lifted operations: a C function of two scalars, called for
 * each pair of elements through libffi. */
#ifndef MPJ_SRC_COLL_OP_OP_LIFT_H
#define MPJ_SRC_COLL_OP_OP_LIFT_H

#include <mpj/op.h>

/* A function and how to call it. Immutable; shared by the operations, and the
 * requests, that use it. */
struct mpj_lift;

/* Prepare T fn(T, T) for elements of the basic type T (row of mpj_basics).
 * Errors: MPJ_ERR_TYPE (C functions take no such argument, which is named),
 * MPJ_ERR_UNSUPPORTED (built without libffi), MPJ_ERR_NO_MEM. */
int mpj_lift_create(void (*fn)(void), int basic, struct mpj_lift **lift);

/* References; NULL is let pass. Threads: any. */
struct mpj_lift *mpj_lift_retain(struct mpj_lift *lift);
void mpj_lift_release(struct mpj_lift *lift);

/* The function of two scalars. */
typedef void mpj_lifted_function(void);
mpj_lifted_function *mpj_lift_function(const struct mpj_lift *lift);

/* The operation's function; ctx is the lift. */
MPJ_User_function mpj_lift_apply;

#endif
