/* This header declares virtual payload: a simulated rank's buffer that has addresses and no memory.
 * What lies in it is known by extents. An extent says whose data it is (origin), from which byte of
 * that on (offset), and carries a digest, which the origin gave it and which is only ever added to
 * and taken apart on the way. So a rank's data can be checked whole though nobody stores it.
 *
 * A transfer from such a buffer to such a buffer moves extents. Nothing else may touch one: data of
 * a virtual buffer that is sent eagerly or in a header, or that is combined, is an error. */
#ifndef MPJ_SRC_NET_SIM_VIRTUAL_H
#define MPJ_SRC_NET_SIM_VIRTUAL_H

#include <mpj/mpj.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes [begin, end) of a buffer are those of origin's from `offset` on. */
struct mpj_sim_extent {
  MPJ_Count begin, end, offset;
  uint64_t digest;
  int origin;
};

/* What a buffer, or data on its way, holds: rising, apart from one another; neighbours that
 * continue each other are one. */
struct mpj_sim_extents {
  struct mpj_sim_extent *at; /* [n] owned */
  int n, room;
};

struct mpj_sim_virtual {
  char *base;  /* NULL: there is none */
  size_t each; /* bytes of addresses for each rank */
  int ranks;
  struct mpj_sim_extents *of; /* [ranks] */
};

/* Addresses for a buffer of at most `bytes` bytes on each rank. Errors: MPJ_ERR_NO_MEM. */
int mpj_sim_virtual_begin(struct mpj_sim_virtual *v, int ranks, MPJ_Count bytes);
void mpj_sim_virtual_end(struct mpj_sim_virtual *v);

static inline char *mpj_sim_virtual_buffer(const struct mpj_sim_virtual *v, int rank)
{
  return v->base + (size_t)rank * v->each;
}

static inline bool mpj_sim_is_virtual(const struct mpj_sim_virtual *v, const void *address)
{
  return v->base && (uintptr_t)address - (uintptr_t)v->base < v->each * (size_t)v->ranks;
}

/* From its byte `shift` on the rank's buffer holds `bytes` bytes of its own. Errors:
 * MPJ_ERR_NO_MEM. */
int mpj_sim_virtual_fill(struct mpj_sim_virtual *v, int rank, MPJ_Count shift, MPJ_Count bytes);
/* Whether those are the bytes of `origin`, digest and all: MPJ_SUCCESS, or MPJ_ERR_INTERNAL with a
 * sentence that says what lies there instead. */
int mpj_sim_virtual_check(const struct mpj_sim_virtual *v, int rank, MPJ_Count shift,
                          MPJ_Count bytes, int origin);
/* Nothing lies in the rank's buffer any more. */
void mpj_sim_virtual_clear(struct mpj_sim_virtual *v, int rank);

/* Take what lies in the `bytes` bytes at `address`, at places that count from it; lay such extents
 * down at another address. Both addresses are virtual, and so are all of their bytes.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_sim_virtual_take(const struct mpj_sim_virtual *v, const void *address, MPJ_Count bytes,
                         struct mpj_sim_extents *taken);
int mpj_sim_virtual_lay(struct mpj_sim_virtual *v, void *address, MPJ_Count bytes,
                        const struct mpj_sim_extents *taken);
void mpj_sim_extents_end(struct mpj_sim_extents *e);

#endif
