/* This file finds the lines along which data goes from a root. */
#include "coll/torus/lines.h"

#include "net/net.h"

/* Append a dimension, unless it is of one rank. */
static void add_dimension(struct mpj_torus *grid, int n, bool periodic)
{
  if (n == 1) return;
  grid->dims[grid->ndims] = n;
  grid->periodic[grid->ndims++] = periodic;
}

/* Ranks of a node, where all have as many and they follow one another; else 0. */
static int ranks_a_node(const struct mpj_facts *f)
{
  const bool alike = f->nodes > 1 && !f->node_of && f->ranks % f->node_ranks == 0;
  return alike ? f->node_ranks : 0;
}

static void find_grid(const struct mpj_comm *comm, struct mpj_torus *grid)
{
  const struct mpj_torus *torus = mpj_comm_user((struct mpj_comm *)(uintptr_t)comm)->torus;
  const struct mpj_net_grid *machine = comm->net ? comm->net->grid : NULL;
  *grid = (struct mpj_torus){0};
  if (torus) {
    for (int i = 0; i < torus->ndims; i++)
      add_dimension(grid, torus->dims[i], torus->periodic[i]);
  } else if (machine && !comm->members) {
    for (int i = 0; i < machine->ndims; i++)
      add_dimension(grid, machine->dims[i], machine->periodic[i]);
  } else {
    const int each = ranks_a_node(&comm->facts);
    if (each > 0) add_dimension(grid, comm->size / each, false);
    add_dimension(grid, each > 0 ? each : comm->size, false);
  }
}

static void stand_at(struct mpj_lines *lines, int rank)
{
  lines->rank = rank;
  mpj_torus_coords(&lines->grid, rank, lines->here);
  lines->level = lines->grid.ndims - 1;
  while (lines->level >= 0 && lines->here[lines->level] == lines->root[lines->level])
    lines->level--;
}

void mpj_lines_find(const struct mpj_comm *comm, int root, struct mpj_lines *lines)
{
  find_grid(comm, &lines->grid);
  mpj_torus_coords(&lines->grid, root, lines->root);
  stand_at(lines, comm->rank);
}

void mpj_lines_from(const struct mpj_lines *lines, int rank, struct mpj_lines *other)
{
  *other = *lines;
  stand_at(other, rank);
}

struct mpj_line mpj_line_of(const struct mpj_lines *lines, int d)
{
  const int n = lines->grid.dims[d], head = lines->root[d];
  struct mpj_line line = {.n = n, .head = head, .stride = 1};
  for (int i = d + 1; i < lines->grid.ndims; i++)
    line.stride *= lines->grid.dims[i];
  line.up = lines->grid.periodic[d] ? n / 2 : n - 1 - head;
  line.base = lines->rank - lines->here[d] * line.stride;
  line.position = (lines->here[d] - head + n) % n;
  return line;
}
