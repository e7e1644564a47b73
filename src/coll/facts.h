/* This header declares what the ranks of a communicator have agreed on when it was
 * made, and what the choice of algorithms goes by besides the call: it is the same
 * on all members, whatever their affinity masks, types and caches are. */
#ifndef MPJ_SRC_COLL_FACTS_H
#define MPJ_SRC_COLL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct mpj_net;

struct mpj_facts {
  int ranks;
  int nodes;           /* machines, or what MPJ_COLL_NODES makes of one */
  int cores;           /* the least that the ranks of a node together may keep busy */
  bool oversubscribed; /* the job has more ranks than cores: others may want them, too */
  bool shared;         /* all ranks share memory */
  bool contiguous;     /* each node's ranks follow one another */
  int *node_of;        /* [ranks] nodes are numbered as the ranks come to them; NULL: one node */
};

/* The facts of `ranks` ranks that share this endpoint's machine (net may be NULL
 * for one rank). *facts is set also on failure, and ended by mpj_facts_end.
 * Errors: MPJ_ERR_NO_MEM. Threads: any. */
int mpj_facts_make(const struct mpj_net *net, int ranks, struct mpj_facts *facts);
void mpj_facts_end(struct mpj_facts *facts);

/* Make a node map of `nodes` pretended nodes: blocks of consecutive ranks, or, if
 * cyclic, rank modulo nodes. Errors: MPJ_ERR_NO_MEM. */
int mpj_facts_pretend(struct mpj_facts *facts, int nodes, bool cyclic);

#endif
