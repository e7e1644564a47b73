/* This header declares memory that ranks of one machine share block by block.
 *
 * A block is an anonymous file, sealed against shrinking, that its owner has
 * mapped; the owner's entries in the segment say where. A peer that is to move
 * data from or to an address in it opens the file through the owner's /proc entry,
 * maps it, and keeps the mapping. So nothing has a name that could be left over,
 * and a file that disappears under a reader is not possible. Whatever the entry
 * says is checked against the file. */
#ifndef MPJ_SRC_NET_SHM_BLOCKS_H
#define MPJ_SRC_NET_SHM_BLOCKS_H

#include "net/net.h"

struct mpj_shm;

/* Entries of the ops table (net.h). share fails, without a message of its own, when
 * MPJ_SHARED_BLOCKS are in use or the system refuses. */
int mpj_shm_share(struct mpj_transport *t, size_t bytes, struct mpj_net_block *block);

/* Where this process sees `bytes` bytes at `address` of rank's process, or NULL if
 * they do not lie in one of its shared blocks or that cannot be mapped. Valid as
 * long as the owner keeps the block. */
void *mpj_shm_mapped(struct mpj_shm *shm, int rank, uint64_t address, MPJ_Count bytes);

/* Whether what lies at `address` of this process is in a block that it shares. */
bool mpj_shm_is_shared(const struct mpj_shm *shm, uint64_t address);

/* Unmap everything of the peers. */
void mpj_shm_unmap_all(struct mpj_shm *shm);

#endif
