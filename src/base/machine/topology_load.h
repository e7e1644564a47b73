/* This header declares how the topology of this machine is loaded. */
#ifndef MPJ_SRC_BASE_MACHINE_TOPOLOGY_LOAD_H
#define MPJ_SRC_BASE_MACHINE_TOPOLOGY_LOAD_H

#include "base/machine/topology.h"

/* Load the topology through hwloc (milliseconds). Without hwloc: cores and pus
 * from the operating system, the rest 1 or 0. Never fails. */
void mpj_topology_load(struct mpj_topology *t);

/* The process's topology: MPJ_TOPOLOGY decoded, else loaded once. Threads: any. */
const struct mpj_topology *mpj_topology(void);

/* Bytes of a core's second-level cache, 0 if unknown: from MPJ_TOPOLOGY, else what the C library
 * knows; without loading anything. */
int64_t mpj_l2_bytes(void);

#endif
