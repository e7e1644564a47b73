/* This header declares how a process finds the others of its job. */
#ifndef MPJ_SRC_NET_BOOT_BOOT_H
#define MPJ_SRC_NET_BOOT_BOOT_H

#include "net/net.h"

/* Open this process's endpoint from what its launcher put in the environment
 * (spec/launch.md). *net is NULL in a process that was started alone.
 * Errors: MPJ_ERR_ARG (the launcher's variables are incomplete or malformed),
 * MPJ_ERR_INTERNAL (the rank has been taken already), MPJ_ERR_NO_MEM. */
int mpj_boot_open(struct mpj_net **net);

#endif
