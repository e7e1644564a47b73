/* This header declares what every other public header rests on: the scalar
 * types, the error codes, and the life of the process.
 *
 * All functions return a status: MPJ_SUCCESS or one of the MPJ_ERR_ codes.
 * On an error the calling thread's detail (MPJ_Error_detail) holds one
 * sentence with the argument's name and the values involved. Output
 * arguments are set only on success. */
#ifndef MPJ_BASE_H
#define MPJ_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define MPJ_PUBLIC __attribute__((visibility("default")))
#else
#define MPJ_PUBLIC
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MPJ_VERSION 0
#define MPJ_SUBVERSION 1

typedef int64_t MPJ_Count;  /* counts, and displacements in elements */
typedef ptrdiff_t MPJ_Aint; /* displacements in bytes */

typedef struct mpj_type *MPJ_Datatype;
typedef struct mpj_comm *MPJ_Comm;
typedef struct mpj_op *MPJ_Op;
typedef struct mpj_request *MPJ_Request;

#define MPJ_DATATYPE_NULL ((MPJ_Datatype)0)
#define MPJ_COMM_NULL ((MPJ_Comm)0)
#define MPJ_OP_NULL ((MPJ_Op)0)
#define MPJ_REQUEST_NULL ((MPJ_Request)0)

/* Predefined communicators: constants, resolved by the calling thread's rank. */
#define MPJ_COMM_WORLD ((MPJ_Comm)(uintptr_t)0x1)
#define MPJ_COMM_SELF ((MPJ_Comm)(uintptr_t)0x2)

/* A base address for types whose displacements are absolute addresses. */
#define MPJ_BOTTOM ((void *)0)
/* In place of a buffer: the data is already in the other buffer. */
#define MPJ_IN_PLACE ((void *)(intptr_t)-1)
#define MPJ_UNDEFINED (-32766)
/* No key of attributes. */
#define MPJ_KEYVAL_INVALID 0

enum mpj_status {
  MPJ_SUCCESS = 0,
  MPJ_ERR_ARG = 1,          /* an argument outside its range */
  MPJ_ERR_TYPE = 2,         /* no datatype, a freed one, or one not committed */
  MPJ_ERR_PARTS = 3,        /* a datatype's parts do not fit the communicator */
  MPJ_ERR_ROOT = 4,         /* root is no rank; under MPJ_CHECK=1, not the same on all */
  MPJ_ERR_COMM = 5,         /* no communicator, a freed or a broken one */
  MPJ_ERR_OP = 6,           /* an operation that does not apply */
  MPJ_ERR_SIGNATURE = 7,    /* two sides of a transfer disagree on the data */
  MPJ_ERR_OVERFLOW = 8,     /* a size or displacement does not fit 64 bits */
  MPJ_ERR_TRUNCATE = 9,     /* a buffer too small for what it must hold */
  MPJ_ERR_NO_MEM = 10,      /* memory could not be had */
  MPJ_ERR_PEER = 11,        /* another rank died or left */
  MPJ_ERR_REQUEST = 12,     /* no request, or one in the wrong state */
  MPJ_ERR_FORMAT = 13,      /* bytes that are not in the format they claim */
  MPJ_ERR_UNSUPPORTED = 14, /* legal, but beyond this build or version */
  MPJ_ERR_INTERNAL = 15     /* the library's own fault */
};

/* Start the library in this process: one rank of as many as the launcher
 * started, or the only one. In a rank that MPJ_Run_threads started, which is
 * initialised already, it counts as that rank's own call and changes nothing.
 *   argc, argv  may be NULL; not changed
 * Errors: MPJ_ERR_INTERNAL (called twice, or after MPJ_Finalize),
 *   MPJ_ERR_ARG (the launcher's variables are malformed), MPJ_ERR_NO_MEM.
 * Threads: one thread of the process, once. The same as MPJ_Init_thread with
 * MPJ_THREAD_SINGLE. */
MPJ_PUBLIC int MPJ_Init(int *argc, char ***argv);

/* Which threads of a rank call the library. At MULTIPLE each call takes its turn under
 * a lock, which a call that waits gives up; below it there is no lock. */
enum {
  MPJ_THREAD_SINGLE = 0,     /* there is only one */
  MPJ_THREAD_FUNNELED = 1,   /* only the one that called MPJ_Init */
  MPJ_THREAD_SERIALIZED = 2, /* any, one at a time: the program sees to that */
  MPJ_THREAD_MULTIPLE = 3    /* any, at any time */
};

/* As MPJ_Init, for this level of threads. *provided is `required`: all are there. At
 * MULTIPLE the threads of a rank may call everything at any time, with two rules of
 * MPI's: operations on one communicator have one order (two threads do not call
 * collectives on it at once), and one request is waited for by one thread. A request
 * may be waited for, a handle be freed by another thread than the one that made it.
 * Errors: as MPJ_Init; MPJ_ERR_ARG (required is no level), MPJ_ERR_NO_MEM (no progress
 *   thread could be started), MPJ_ERR_UNSUPPORTED (MULTIPLE where messages go by an MPI
 *   that was begun for less). */
MPJ_PUBLIC int MPJ_Init_thread(int *argc, char ***argv, int required, int *provided);

/* The level provided; whether the caller is the thread that called MPJ_Init (or is the
 * rank). Errors: MPJ_ERR_ARG (NULL), MPJ_ERR_INTERNAL (not initialised, or finalised). */
MPJ_PUBLIC int MPJ_Query_thread(int *provided);
MPJ_PUBLIC int MPJ_Is_thread_main(int *flag);

/* The calling thread's rank, and binding the calling thread to a rank: from then on it
 * acts for it, as all threads of a process with one rank do unasked. A helper thread of
 * a thread rank needs it, at MPJ_THREAD_MULTIPLE. MPJ_CONTEXT_NULL ends it, which must
 * come before the rank's end.
 * Errors: MPJ_ERR_ARG (NULL, or no context of this process), MPJ_ERR_INTERNAL (not initialised, or
 * finalised). */
typedef struct mpj_context *MPJ_Context;
#define MPJ_CONTEXT_NULL ((MPJ_Context)0)
MPJ_PUBLIC int MPJ_Context_get(MPJ_Context *context);
MPJ_PUBLIC int MPJ_Context_adopt(MPJ_Context context);

/* This rank takes part in no further collective. Finishes the operations whose requests have been
 * freed. Waits until all other ranks have called it, or have gone, as the ranks compare what they
 * have called. A rank that still needs this one gets MPJ_ERR_PEER.
 * Errors: MPJ_ERR_INTERNAL (not initialised, or finalised already), MPJ_ERR_REQUEST
 *   (operations under way whose requests have not been freed); MPJ_ERR_COMM: ranks have not called
 *   the same collectives on some communicator, and no call has said so before; the rank is
 *   finalised all the same.
 * Threads: the last call of the rank's last thread. */
MPJ_PUBLIC int MPJ_Finalize(void);

/* *flag := MPJ_Init (MPJ_Finalize) has returned in this process or thread rank. In a child that a
 * rank has forked both are 1: it is no rank, what needs one is an error there (MPJ_ERR_COMM,
 * MPJ_ERR_REQUEST, else MPJ_ERR_INTERNAL), and nothing that it does is its parent's doing.
 * Threads: any, any time. */
MPJ_PUBLIC int MPJ_Initialized(int *flag);
MPJ_PUBLIC int MPJ_Finalized(int *flag);

/* End all ranks of comm's job: this process exits with `code` (1 if code is
 * outside 1..255), the others' calls fail and their launcher ends them. Thread
 * ranks share their process and end with it. Does not return on a valid comm. */
MPJ_PUBLIC int MPJ_Abort(MPJ_Comm comm, int code);

/* Run fn(arg) on nranks threads of this process, each a rank of its own
 * MPJ_COMM_WORLD of size nranks, and wait for all of them. A rank whose fn
 * returns non-zero counts as failed: the others' calls that need it return
 * MPJ_ERR_PEER naming it.
 * Returns: the first non-zero value that an fn returned (in time); or, if there is none,
 *   MPJ_ERR_COMM (of a rank that did not call MPJ_Finalize itself: as MPJ_Finalize); or
 *   MPJ_ERR_ARG (nranks under 1, fn NULL), MPJ_ERR_NO_MEM,
 *   MPJ_ERR_INTERNAL (called from a rank's thread).
 * Threads: any that is not itself a rank; several runs may go on at once. */
MPJ_PUBLIC int MPJ_Run_threads(int nranks, int (*fn)(void *arg), void *arg);

/* Memory for data that moves much: zeroed, on a page's border. The other ranks of
 * this machine can map it, so that long data from it and to it is moved by one copy,
 * without a system call. A rank can share 64 blocks; beyond that, or where the
 * system refuses, and among thread ranks, who share everything, the memory is
 * private, and as good as any other. From 2 MiB on it lies in large pages where there
 * are such, and is then taken from the system at once. Nothing is left behind however
 * the job ends.
 *   bytes  at least 0; *base is a valid pointer even for 0
 * Errors: MPJ_ERR_ARG, MPJ_ERR_NO_MEM, MPJ_ERR_INTERNAL (not initialised, or
 *   finalised). Threads: as the rank's level allows. */
MPJ_PUBLIC int MPJ_Alloc_mem(MPJ_Count bytes, void **base);

/* Give a block back; no operation on it may be under way. What is left at
 * MPJ_Finalize is freed by it.
 * Errors: MPJ_ERR_ARG (base is no block of this rank). */
MPJ_PUBLIC int MPJ_Free_mem(void *base);

/* Version of the library in use (the macros say what was compiled against). */
MPJ_PUBLIC int MPJ_Get_version(int *version, int *subversion);

/* Seconds since a fixed point in this machine's past; monotone. */
MPJ_PUBLIC double MPJ_Wtime(void);

/* The code's name and meaning, static text; "unknown error code" for others. */
MPJ_PUBLIC const char *MPJ_Error_string(int code);

/* This thread's last error in one sentence; "" before the first. It begins with the function
 * that the program called and the thread's rank, if it has one: "MPJ_Gather on rank 1: recvtype
 * has 3 parts, comm has 4 ranks"; what a request ended with, with the operation. The text
 * stays until the thread's next error. MPJ_ERRORS=abort prints it, with the code's name. */
MPJ_PUBLIC const char *MPJ_Error_detail(void);

/* Report an error as this library does, from one that is built on it: `sentence` (cut
 * at 511 bytes, "" if NULL) becomes this thread's detail, as it is; MPJ_ERRORS=abort applies.
 * Returns code, or MPJ_ERR_INTERNAL in place of MPJ_SUCCESS. */
MPJ_PUBLIC int MPJ_Error_raise(int code, const char *sentence);

/* For such a library: its public function begins, and ends. An error that it ends with names
 * `function` (static text), not the functions of this library that it has called.
 *   outermost  what MPJ_Error_enter returned: 0 if another public function has called it */
MPJ_PUBLIC int MPJ_Error_enter(const char *function);
MPJ_PUBLIC void MPJ_Error_leave(int outermost);

#ifdef __cplusplus
}
#endif
#endif
