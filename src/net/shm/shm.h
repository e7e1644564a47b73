/* This header declares the transport between processes of one machine: the
 * endpoint in a shared segment, and long data in one of four ways.
 *
 *   read    the source is dense or in long rows: the receiver reads it with
 *           process_vm_readv, the scatter list of its own layout on its own side;
 *           or the source is the columns of a matrix and each is dense here: tile
 *           by tile (columns.c)
 *   share   both are so, and two sides pay: the receiver reads from the front, the
 *           owner writes from the back (net/cells/share.h)
 *   write   the destination is dense, or in rows where the receiver's core has other
 *           work, or which are shared: the owner writes it when it is asked, with
 *           process_vm_writev, the gather list on its side, or by a copy
 *   stream  neither, or process_vm is refused: the owner packs pieces into its
 *           stage (stage.c), the receiver unpacks them as they come
 *
 * A pull as the receiver sees it (states of struct mpj_shm_pull):
 *   state    event                      next
 *   FREE     pull, source so            READ, or SHARE
 *   FREE     pull, else                 ASK
 *   READ     poll: all bytes read       FREE, complete
 *   READ     process_vm refused         ASK (stream)
 *   SHARE    poll: all is in place      FREE, complete
 *   SHARE    this side's call failed    CANCEL
 *   CANCEL   the owner writes no more   FREE, complete with the error, or ASK (stream)
 *   ASK      poll: request sent         WAIT
 *   WAIT     fragment                   WAIT, or FREE and complete at the last
 *   WAIT     pushed, in place           FREE, complete
 *   WAIT     pushed, refused            ASK (stream)
 *   WAIT     pushed, gone or failed     FREE, complete with the error
 *   ASK,WAIT exposure closed, or source FREE, complete with MPJ_ERR_INTERNAL
 *            dead or finalized; its     or MPJ_ERR_PEER
 *            last cells are polled
 * A pull that fails counts as taken all the same. */
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
