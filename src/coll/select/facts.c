/* This file gathers what a communicator's ranks agree on. */
#include "coll/select/facts.h"

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/net.h"

/* Keep a map (moved), or what it says: blocks of equally many ranks need none. */
static void keep(struct mpj_facts *facts, int *map)
{
  int n = 1;
  while (n < facts->ranks && map[n] == map[0])
    n++;
  int rank = 0;
  while (rank < facts->ranks && map[rank] == rank / n)
    rank++;
  mpj_free(facts->node_of);
  facts->node_of = map;
  facts->node_ranks = n;
  if (rank < facts->ranks) return;
  mpj_free(map);
  facts->node_of = NULL;
}

int mpj_facts_pretend(struct mpj_facts *facts, int nodes, bool cyclic)
{
  if (nodes > facts->ranks) nodes = facts->ranks;
  int *map = mpj_alloc_array((size_t)facts->ranks, sizeof *map);
  if (!map) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the nodes of %d ranks", facts->ranks);
  for (int rank = 0; rank < facts->ranks; rank++)
    map[rank] = cyclic ? rank % nodes : (int)((int64_t)rank * nodes / facts->ranks);
  keep(facts, map);
  facts->nodes = nodes;
  facts->contiguous = !cyclic || nodes == facts->ranks || nodes == 1;
  return MPJ_SUCCESS;
}

/* The first of the ranks that is on the same node. seen[ranks]: 1 + the first of the nodes whose
 * numbers are below `ranks`, as far as they have come; others are looked for. */
static int first_beside(const int node_of[], const int *world, int rank, int ranks, int *seen)
{
  const int node = node_of[world ? world[rank] : rank];
  int first = 0;
  if (node >= 0 && node < ranks) {
    if (seen[node] == 0) seen[node] = 1 + rank;
    return seen[node] - 1;
  }
  while (node_of[world ? world[first] : first] != node)
    first++;
  return first;
}

int mpj_facts_map(struct mpj_facts *facts, const int node_of[], const int *world)
{
  int *map = mpj_alloc_array((size_t)facts->ranks, sizeof *map);
  int *seen = mpj_alloc_array((size_t)facts->ranks, sizeof *seen);
  if (!map || !seen) {
    mpj_free(seen);
    mpj_free(map);
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the nodes of %d ranks", facts->ranks);
  }
  facts->nodes = 0;
  facts->contiguous = true;
  for (int rank = 0; rank < facts->ranks; rank++) {
    const int first = first_beside(node_of, world, rank, facts->ranks, seen);
    map[rank] = first == rank ? facts->nodes++ : map[first];
    if (first < rank && map[rank - 1] != map[rank]) facts->contiguous = false;
  }
  mpj_free(seen);
  keep(facts, map);
  return MPJ_SUCCESS;
}

/* Of a job whose nodes are blocks of so many ranks. */
static int of_blocks(struct mpj_facts *facts, int node_ranks, const int *world)
{
  if (!world) {
    facts->node_ranks = node_ranks;
    facts->nodes = (facts->ranks - 1) / node_ranks + 1;
    return MPJ_SUCCESS;
  }
  int most = 0;
  for (int rank = 0; rank < facts->ranks; rank++)
    if (world[rank] > most) most = world[rank];
  int *node_of = mpj_alloc_array((size_t)most + 1, sizeof *node_of);
  if (!node_of)
    return mpj_error(MPJ_ERR_NO_MEM, "no memory for the nodes of %d ranks", facts->ranks);
  for (int i = 0; i <= most; i++)
    node_of[i] = i / node_ranks;
  const int status = mpj_facts_map(facts, node_of, world);
  mpj_free(node_of);
  return status;
}

int mpj_facts_make(const struct mpj_net *net, int ranks, const int *world, struct mpj_facts *facts)
{
  const struct mpj_config *c = mpj_config();
  *facts = (struct mpj_facts){.ranks = ranks,
                              .nodes = 1,
                              .cores = net ? net->cores : 1,
                              .oversubscribed = net && net->size > net->cores,
                              .shared = true,
                              .posts = net && ranks > 2 && net->shares_all,
                              .one_process = net && net->one_process,
                              .contiguous = true,
                              .node_ranks = ranks};
  if (c->coll_nodes > 0)
    return mpj_facts_pretend(facts, (int)c->coll_nodes, c->coll_nodes_order == 1);
  if (net && net->node_of) return mpj_facts_map(facts, net->node_of, world);
  return net && net->node_ranks > 0 ? of_blocks(facts, net->node_ranks, world) : MPJ_SUCCESS;
}

int mpj_facts_suppose(int ranks, int nodes, int cores, struct mpj_facts *facts)
{
  const bool shared = nodes <= 1;
  *facts = (struct mpj_facts){.ranks = ranks,
                              .nodes = 1,
                              .cores = cores,
                              .oversubscribed = (ranks - 1) / nodes + 1 > cores,
                              .shared = shared,
                              .posts = shared && ranks > 2,
                              .contiguous = true,
                              .node_ranks = ranks};
  return shared ? MPJ_SUCCESS : mpj_facts_pretend(facts, nodes, false);
}

void mpj_facts_end(struct mpj_facts *facts)
{
  mpj_free(facts->node_of);
  facts->node_of = NULL;
}
