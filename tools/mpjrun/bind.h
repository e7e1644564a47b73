/* This header declares where mpjrun's ranks run. */
#ifndef MPJ_TOOLS_MPJRUN_BIND_H
#define MPJ_TOOLS_MPJRUN_BIND_H

/* In the child that will be `rank` of nranks: where there are more ranks than
 * processors that this process may use, stay on one of those, which consecutive
 * ranks share; they then hand it to one another without being moved about.
 * Otherwise, or where the kernel refuses, nothing changes. */
void rank_bind(int rank, int nranks);

#endif
