/* This header declares a directory: the network addresses of a job's ranks, in memory that the
 * ranks of one node share. Each of them brings a part of the addresses from the launcher's store,
 * so a rank asks that for (ranks / ranks of its node), and a node keeps each once. Once all parts
 * are there a rank finds any address without asking anybody, and so without waiting.
 *
 * In memory: bytes taken; an entry for each rank, (offset << 16 | bytes), 0 until its address is
 * there; the addresses, one behind another. Pages that nobody has written take no memory. */
#ifndef MPJ_SRC_NET_FAR_DIRECTORY_H
#define MPJ_SRC_NET_FAR_DIRECTORY_H

#include <stddef.h>

enum { MPJ_DIRECTORY_ADDRESS_MAX = 4096 }; /* bytes */

struct mpj_directory;

/* Make one for `size` ranks. *fd: by which others attach; the caller's to close.
 * Errors: MPJ_ERR_NO_MEM. */
int mpj_directory_create(int size, struct mpj_directory **directory, int *fd);
/* That of another process of this node; fd stays the caller's. Errors: MPJ_ERR_NO_MEM,
 * MPJ_ERR_FORMAT (none for so many ranks). */
int mpj_directory_attach(int fd, int size, struct mpj_directory **directory);
void mpj_directory_detach(struct mpj_directory *directory); /* NULL: nothing */

/* Enter the address of `rank`, at most MPJ_DIRECTORY_ADDRESS_MAX bytes, which is copied; once for
 * each rank. Processes may do so at the same time. */
void mpj_directory_enter(struct mpj_directory *directory, int rank, const void *address,
                         size_t bytes);
/* The address of `rank`, in *bytes bytes; borrowed. NULL: there is none. */
const void *mpj_directory_find(const struct mpj_directory *directory, int rank, size_t *bytes);

#endif
