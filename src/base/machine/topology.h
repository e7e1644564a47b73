/* This header declares what the library asks of the machine: how many cores
 * this process may use, and the sizes of the caches. */
#ifndef MPJ_SRC_BASE_MACHINE_TOPOLOGY_H
#define MPJ_SRC_BASE_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mpj_topology {
  int packages, numa_nodes, cores, pus;  /* of the machine, at least 1 each */
  int64_t l1d_bytes, l2_bytes, l3_bytes; /* of one core's cache; 0 if unknown */
};

/* The short text form in which a launcher hands a topology on, and back.
 * encode returns false if `size` bytes do not hold it; decode returns false on
 * any text that encode did not write, leaving *t alone. */
bool mpj_topology_encode(const struct mpj_topology *t, char *text, size_t size);
bool mpj_topology_decode(const char *text, struct mpj_topology *t);

/* Cores that this thread may keep busy: the affinity mask's size, lowered to
 * the cgroup's cpu quota (v1 and v2, the whole path up to the root), rounded
 * up, at least 1. Reads /proc and /sys: not for a hot path. */
int mpj_usable_cores(void);

/* What the quota alone leaves; INT_MAX: no limit. */
int mpj_quota_cores(void);

/* mpj_usable_cores with the cgroup files under `root` instead of "" and this
 * /proc/self/cgroup text; for tests. */
int mpj_usable_cores_under(const char *root, const char *proc_cgroup, int affinity);

#endif
