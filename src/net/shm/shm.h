/* This header declares the transport between processes of one machine: the endpoint in a shared
 * segment, and long data by one of these movers, the first that can (choose.c):
 *
 *   stream   through pieces of a ring in the segment, where that has been measured to be faster than
 *            what could go straight (streamed.c, base/machine/measured.h)
 *   share    both sides can reach the other's memory and two pay: the receiver reads from the
 *            front, the owner writes from the back (both.c, net/cells/share.h)
 *   read     the source is dense or in long rows: the receiver reads it with process_vm_readv, the
 *            scatter list of its own layout on its own side (read.c)
 *   columns  the source is the columns of a matrix and each is dense here: tile by tile (columns.c)
 *   write    the destination is dense, or in rows where the receiver's core has other work, or
 * which are shared: the owner writes it when it is asked (write.c) stream   else, or where
 * process_vm is refused
 *
 * spec/active-messages.md has their states. A pull that fails counts as taken all the same. */
#ifndef MPJ_SRC_NET_SHM_SHM_H
#define MPJ_SRC_NET_SHM_SHM_H

#include "net/net.h"

/* Attach to the segment behind descriptor fd as `rank`; closed by
 * mpj_net_close. Takes the descriptor over on success.
 *   shared  data goes by it, so that peers may have to copy from and to this process
 * Errors: MPJ_ERR_ARG (no valid segment, or rank not in it), MPJ_ERR_NO_MEM. */
int mpj_shm_attach(int fd, int rank, bool shared, struct mpj_net **net);

/* The same for a rank of mpjrun: it dies with the process that started it. */
int mpj_shm_open(int fd, int rank, bool shared, struct mpj_net **net);

/* Watch the other ranks' processes from now on, where no launcher does: one that
 * ends without having said so is marked as dead. Once all have attached. Errors:
 * MPJ_ERR_NO_MEM. */
int mpj_shm_watch(struct mpj_net *net);
/* Look whether one has ended, at most ten times a second; waiting does so by itself. */
void mpj_shm_look(struct mpj_net *net);

#endif
