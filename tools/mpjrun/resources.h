/* This header declares how mpjrun sees, before it starts anything, whether a job's ranks fit. */
#ifndef MPJ_TOOLS_MPJRUN_RESOURCES_H
#define MPJ_TOOLS_MPJRUN_RESOURCES_H

#include <stdbool.h>
#include <sys/resource.h>

/* Whether there are descriptors, processes, memory and room in a file for nranks ranks; if not, a
 * line on stderr says of each that is short what they need and what is there. The limit of
 * descriptors is raised as far as that takes; *before is what it was. What cannot be seen is not
 * short. */
bool resources_suffice(int nranks, struct rlimit *before);

#endif
