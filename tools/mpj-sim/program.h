/* This header declares what the simulated ranks do: one operation, some times over, on data whose
 * outcome is checked against a serial reference. */
#ifndef MPJ_TOOLS_MPJ_SIM_PROGRAM_H
#define MPJ_TOOLS_MPJ_SIM_PROGRAM_H

#include <mpj/mpj.h>
#include <stdbool.h>

#include "coll/plan/schedule.h"

struct mpj_sim;
struct mpj_sim_virtual;

/* REAL bytes; VIRTUAL ones (net/sim/virtual.h), of Bcast alone; BY_SIZE: virtual where Bcast gives
 * more than 300 ranks more than 64 KiB each. */
enum payload { PAYLOAD_BY_SIZE, PAYLOAD_REAL, PAYLOAD_VIRTUAL };

struct program {
  enum mpj_operation operation;
  MPJ_Count bytes;  /* of Bcast and the reductions, all; of the others, from a rank to a rank */
  const char *text; /* the datatype of that data instead, or NULL: borrowed */
  int root, ranks;
  enum payload payload;
  /* Made of these: */
  MPJ_Count size;           /* bytes of one part's stream */
  MPJ_Datatype part, whole; /* a part; one a rank */
  MPJ_Op sum;               /* of 8-byte or single-byte integers, which takes simulated time */
  bool wide;                /* 8-byte integers */
  struct mpj_sim_virtual *virtual; /* borrowed from the machine; NULL: the bytes are real */
  unsigned char *sums; /* of Reduce and Allreduce [size], of all ranks' parts; of Scan and Exscan
                          [ranks + 1][size], of those of the first ones, if there is room */
};

/* Errors: MPJ_ERR_ARG, what the types say, MPJ_ERR_NO_MEM. */
int program_begin(struct program *p, struct mpj_sim *sim);
void program_end(struct program *p);

/* Bytes of buffers that a rank has while it is in the operation. */
MPJ_Count program_memory(const struct program *p, int rank);

/* A rank's buffers. */
struct buffers {
  unsigned char *send, *recv; /* owned, unless virtual; NULL: none */
  size_t shift;               /* they begin so many bytes behind what was allocated */
};

/* Fill a rank's buffers for a call; check what it has left, against what all ranks gave; free them.
 * Errors: MPJ_ERR_NO_MEM; MPJ_ERR_INTERNAL: the outcome is wrong, with a sentence. */
int program_fill(const struct program *p, int rank, struct buffers *b);
int program_check(const struct program *p, int rank, const struct buffers *b);
void program_drop(const struct program *p, int rank, struct buffers *b);

/* Begin the call on the rank whose context the thread has. */
int program_start(const struct program *p, const struct buffers *b, MPJ_Request *request);

#endif
