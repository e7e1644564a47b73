/* This file is a program that is run on several hosts, as many ranks on each:
 * coll_node_map HOSTS. It checks which nodes communicators' ranks are said to be on. */
#include <stdio.h>
#include <stdlib.h>

#include <mpj/mpj.h>

#include "coll/comm/context.h"

/* Whether comm's ranks are on as many nodes as they should be. */
static bool has_nodes(MPJ_Comm handle, const char *what, int nodes, bool contiguous)
{
  struct mpj_comm *comm = NULL;
  if (mpj_comm_resolve_any(handle, &comm) != MPJ_SUCCESS) return false;
  const struct mpj_facts *f = &comm->facts;
  if (f->nodes == nodes && f->contiguous == contiguous) return true;
  fprintf(stderr, "%s: %d nodes of %s, not %d of %s\n", what, f->nodes,
          f->contiguous ? "consecutive ranks" : "scattered ranks", nodes,
          contiguous ? "consecutive ranks" : "scattered ranks");
  return false;
}

/* A communicator of other ranks, in another order. */
static bool check_split(int colour, int key, const char *what, int nodes, bool contiguous)
{
  MPJ_Comm comm = MPJ_COMM_NULL;
  if (MPJ_Comm_split(MPJ_COMM_WORLD, colour, key, &comm) != MPJ_SUCCESS) return false;
  const bool right = has_nodes(comm, what, nodes, contiguous);
  return MPJ_Comm_free(&comm) == MPJ_SUCCESS && right;
}

static bool check(int hosts)
{
  int rank, size;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  const int each = size / hosts;
  bool right = has_nodes(MPJ_COMM_WORLD, "all", hosts, true);
  right &= check_split(0, -rank, "backward", hosts, true);
  right &= check_split(0, rank % each, "in turn", hosts, false);
  right &= check_split(rank % each, rank, "one of each", hosts, true);
  right &= check_split(rank / each, rank, "of one", 1, true);
  return right;
}

int main(int argc, char **argv)
{
  if (argc != 2 || MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 2;
  const bool right = check(atoi(argv[1]));
  return MPJ_Finalize() == MPJ_SUCCESS && right ? EXIT_SUCCESS : EXIT_FAILURE;
}
