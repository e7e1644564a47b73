/* This header declares a node's identity: ranks whose identities agree can share
 * memory and see each other's processes. */
#ifndef MPJ_SRC_NET_BOOT_NODE_H
#define MPJ_SRC_NET_BOOT_NODE_H

enum { MPJ_NODE_TEXT = 256, MPJ_MACHINE_TEXT = 64 };

/* Boot id (that is the machine), IPC namespace, PID namespace and host name,
 * each cut to fit. Two containers on one machine may be two nodes; /dev/shm may
 * be shared where they are. What cannot be read is "?", and then agrees. */
struct mpj_node {
  char machine[MPJ_MACHINE_TEXT];
  char text[MPJ_NODE_TEXT]; /* the machine's among it; no control characters */
};

void mpj_node_identify(struct mpj_node *node);

#endif
