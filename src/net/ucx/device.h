/* This header declares how MPJ_NET_ADDRESS is understood. */
#ifndef MPJ_SRC_NET_UCX_DEVICE_H
#define MPJ_SRC_NET_UCX_DEVICE_H

#include <stddef.h>

/* Write to name[size] the network interface of this machine that `address` means: an interface's
 * name, one of its addresses ("10.0.0.3", "fd00::3"), or a network that one of its addresses is in
 * ("10.0.0.0/24"), which may be the same text on all machines. Errors: MPJ_ERR_ARG (it is neither,
 * or there is no such interface that is up; names it). */
int mpj_device_find(const char *address, char *name, size_t size);

#endif
