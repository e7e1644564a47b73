/* This header declares what the ranks of a communicator have agreed on when it was
 * made, and what the choice of algorithms goes by besides the call: it is the same
 * on all members, whatever their affinity masks, types and caches are. */
#ifndef MPJ_SRC_COLL_SELECT_FACTS_H
#define MPJ_SRC_COLL_SELECT_FACTS_H

#include <stdbool.h>
#include <stdint.h>

struct mpj_net;

/* The one list of them, FACT(type, name): struct and digest (select_digest.c) follow from it.
 *   nodes           with members; or as many as MPJ_COLL_NODES pretends
 *   cores           the least that the ranks of a node together may keep busy
 *   oversubscribed  the job has more ranks than cores: others may want them, too
 *   shared          all ranks share memory
 *   posts           and what one posts there all can read
 *   one_process     all ranks are threads of one: data goes from layout to layout in one copy
 *   contiguous      each node's ranks follow one another */
#define MPJ_FACTS(FACT)                                                                            \
  FACT(int, ranks)                                                                                 \
  FACT(int, nodes)                                                                                 \
  FACT(int, cores)                                                                                 \
  FACT(bool, oversubscribed)                                                                       \
  FACT(bool, shared)                                                                               \
  FACT(bool, posts)                                                                                \
  FACT(bool, one_process)                                                                          \
  FACT(bool, contiguous)

struct mpj_rule;

struct mpj_facts {
#define MPJ_FACT_MEMBER(type, name) type name;
  MPJ_FACTS(MPJ_FACT_MEMBER)
#undef MPJ_FACT_MEMBER
  const struct mpj_rule *tuned; /* by rank 0's machine's file, the last without a name; borrowed
                                   from the context; NULL: none */
  int *node_of; /* [ranks] nodes are numbered as the ranks come to them; NULL: rank / node_ranks */
  int node_ranks;
};

static inline int mpj_facts_node(const struct mpj_facts *facts, int rank)
{
  return facts->node_of ? facts->node_of[rank] : rank / facts->node_ranks;
}

/* The facts of `ranks` ranks of this endpoint's job (net may be NULL for one rank); their
 * nodes are those that the ranks have told each other when the job began, or as
 * MPJ_COLL_NODES pretends.
 *   world  [ranks] their numbers in the job; NULL: their own
 * *facts is set also on failure, and ended by mpj_facts_end.
 * Errors: MPJ_ERR_NO_MEM. Threads: any. */
int mpj_facts_make(const struct mpj_net *net, int ranks, const int *world, struct mpj_facts *facts);
void mpj_facts_end(struct mpj_facts *facts);

/* Facts of `ranks` ranks in blocks on `nodes` nodes with `cores` cores each for their ranks, as
 * they would be. Errors: MPJ_ERR_NO_MEM. Ended by mpj_facts_end. */
int mpj_facts_suppose(int ranks, int nodes, int cores, struct mpj_facts *facts);

/* Make a node map of what the endpoint knows of its job's (see net/net.h). node_of[ranks of
 * the job] names nodes by any numbers. Errors: MPJ_ERR_NO_MEM. */
int mpj_facts_map(struct mpj_facts *facts, const int node_of[], const int *world);

/* Make a node map of `nodes` pretended nodes: blocks of consecutive ranks, or, if
 * cyclic, rank modulo nodes. Errors: MPJ_ERR_NO_MEM. */
int mpj_facts_pretend(struct mpj_facts *facts, int nodes, bool cyclic);

#endif
