/* This header is the table of the eleven operations: their names, their arguments, and what these
 * are on which rank. All that goes through the eleven comes from it: the public functions in
 * their three forms (calls/public_calls.c), the checks of their arguments (calls/checks.c), and the
 * names of operations. */
#ifndef MPJ_SRC_COLL_PLAN_OPERATIONS_H
#define MPJ_SRC_COLL_PLAN_OPERATIONS_H

#include <stdbool.h>

/* X(name, small, big, buffers, op, root, sends, receives, only_root), in the order of their
 * numbers in messages.
 *   name, small, big  MPJ_Scan, MPJ_Iscan and "scan", MPJ_OPERATION_SCAN
 *   buffers           the arguments: NO_BUFFERS; BUFFER (buf, type), which is received into and
 *                     sent from; BUFFERS (sendbuf, sendtype, recvbuf, recvtype)
 *   op, root          OP and ROOT: there is such an argument, behind the buffers
 *   sends, receives   how the type is used: NOT, WHOLE, or by its PARTS, one a rank
 *   only_root         the side that is significant at the root alone: SEND, RECV, or NO_SIDE
 * MPJ_IN_PLACE may be the receive buffer of Scatter, and the send buffer of all others that have
 * two: at the root, or at every rank if no side is significant at the root alone. */
/* clang-format off */
#define MPJ_OPERATIONS_TABLE(X) \
  X(Barrier,        barrier,        BARRIER,        NO_BUFFERS, NO_OP, NO_ROOT, NOT,   NOT,   NO_SIDE) \
  X(Bcast,          bcast,          BCAST,          BUFFER,     NO_OP, ROOT,    NOT,   WHOLE, NO_SIDE) \
  X(Gather,         gather,         GATHER,         BUFFERS,    NO_OP, ROOT,    WHOLE, PARTS, RECV)    \
  X(Scatter,        scatter,        SCATTER,        BUFFERS,    NO_OP, ROOT,    PARTS, WHOLE, SEND)    \
  X(Allgather,      allgather,      ALLGATHER,      BUFFERS,    NO_OP, NO_ROOT, WHOLE, PARTS, NO_SIDE) \
  X(Alltoall,       alltoall,       ALLTOALL,       BUFFERS,    NO_OP, NO_ROOT, PARTS, PARTS, NO_SIDE) \
  X(Reduce,         reduce,         REDUCE,         BUFFERS,    OP,    ROOT,    WHOLE, WHOLE, RECV)    \
  X(Allreduce,      allreduce,      ALLREDUCE,      BUFFERS,    OP,    NO_ROOT, WHOLE, WHOLE, NO_SIDE) \
  X(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, BUFFERS,    OP,    NO_ROOT, PARTS, WHOLE, NO_SIDE) \
  X(Scan,           scan,           SCAN,           BUFFERS,    OP,    NO_ROOT, WHOLE, WHOLE, NO_SIDE) \
  X(Exscan,         exscan,         EXSCAN,         BUFFERS,    OP,    NO_ROOT, WHOLE, WHOLE, NO_SIDE)
/* clang-format on */

#define MPJ_OPERATION_NUMBER(name, small, big, ...) MPJ_OPERATION_##big,

enum mpj_operation {
  MPJ_OPERATION_NONE, /* of an operation that failed before it began */
  MPJ_OPERATIONS_TABLE(MPJ_OPERATION_NUMBER) MPJ_OPERATIONS,
  MPJ_OPERATION_CHECK = MPJ_OPERATIONS, /* the exchange before an operation (coll/check/check.h) */
  MPJ_OPERATION_INIT, /* that of the init of a persistent request (coll/comm/persistent.h): what it
                         makes stands for its algorithm, and has its root */
  /* What a rank calls in place of a further operation: from here on */
  MPJ_OPERATION_COMM_FREE,
  MPJ_OPERATION_REQUEST_FREE,
  MPJ_OPERATION_FINALIZE
};

enum mpj_used { MPJ_USED_NOT, MPJ_USED_WHOLE, MPJ_USED_PARTS };
enum mpj_call_side { MPJ_RECV, MPJ_SEND, MPJ_NO_SIDE };

struct mpj_operation_row {
  const char *name, *init, *word; /* "MPJ_Scan", "MPJ_Scan_init", "scan" */
  bool has_op, has_root;
  enum mpj_used used[2]; /* by enum mpj_call_side */
  enum mpj_call_side only_root;
};

/* The rows; that of MPJ_OPERATION_NONE is "a failed call". */
extern const struct mpj_operation_row mpj_operation_rows[MPJ_OPERATIONS];

/* Whether it is none, but the end of a communicator or of a persistent request. */
static inline bool mpj_operation_is_end(unsigned operation)
{
  return operation >= MPJ_OPERATION_COMM_FREE && operation <= MPJ_OPERATION_FINALIZE;
}

/* Whether its algorithm is chosen by the size of the data, which all ranks share. */
static inline bool mpj_operation_goes_by_size(unsigned operation)
{
  return operation == MPJ_OPERATION_BCAST || operation == MPJ_OPERATION_ALLGATHER ||
         (operation >= MPJ_OPERATION_REDUCE && operation < MPJ_OPERATIONS);
}

/* In place of a root, of an operation that has none and is a part of another function's call:
 * which. Ranks that call different functions are not in step, though they exchange the same. */
enum mpj_part_of {
  MPJ_PART_OF_NONE = -1,
  MPJ_PART_OF_COMM_DUP = -2,
  MPJ_PART_OF_COMM_SPLIT = -3,
  MPJ_PART_OF_COMM_SPLIT_NODE = -4,
  MPJ_PART_OF_COMM_CREATE = -5,
  MPJ_PART_OF_TYPE_CREATE_GATHERED = -6,
  MPJ_PART_OF_COMM_CREATE_TORUS = -7,
  MPJ_SPARSE_ALLTOALL =
      -16 /* no part: an Alltoall of sparse types, which is of all ranks or none */
};

/* The public function's name, "MPJ_Gather". */
const char *mpj_operation_name(unsigned operation);
/* That of the one which has been called: "MPJ_Comm_dup", if the root says so. */
const char *mpj_call_name(unsigned operation, int root);
/* That of an init, "MPJ_Gather_init". */
const char *mpj_init_name(unsigned operation);

/* The operation's name in variables and files, "reduce_scatter". */
const char *mpj_operation_word(enum mpj_operation operation);
/* The operation of that name, or MPJ_OPERATION_NONE. */
enum mpj_operation mpj_operation_of_word(const char *word);
/* The name of its variable, "MPJ_COLL_REDUCE_SCATTER", which is written to `name`. */
enum { MPJ_VARIABLE_BYTES = 32 };
const char *mpj_operation_variable(enum mpj_operation operation, char name[MPJ_VARIABLE_BYTES]);

#endif
