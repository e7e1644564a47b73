/* This file is the table of the cases, and how their data is laid. */
#include "array_peer.h"

const struct array_case array_cases[] = {{"remap256", ARRAY_REMAP, 256, 0, false, {36, 128}},
                                         {"remap1024", ARRAY_REMAP, 1024, 0, false, {36, 128}},
                                         {"remap4096", ARRAY_REMAP, 4096, 0, false, {36, 128}},
                                         {"remap8192", ARRAY_REMAP, 8192, 0, false, {36, 128}},
                                         {"equal4096", ARRAY_REMAP, 4096, 0, false, {36, 36}},
                                         {"transpose4096", ARRAY_TRANSPOSE, 4096, 1, false, {0, 0}},
                                         {"slab256", ARRAY_TRANSPOSE, 256, 512, false, {0, 0}},
                                         {"slab512", ARRAY_TRANSPOSE, 512, 1024, false, {0, 0}},
                                         {"halo1", ARRAY_HALO, 256, 1, false, {0, 0}},
                                         {"halo2", ARRAY_HALO, 256, 2, false, {0, 0}},
                                         {"corners1", ARRAY_HALO, 256, 1, true, {0, 0}},
                                         {"corners2", ARRAY_HALO, 256, 2, true, {0, 0}},
                                         {"gather", ARRAY_GATHER, 1000000, 0, false, {0, 0}},
                                         {"scatter", ARRAY_SCATTER, 1000000, 0, false, {0, 0}},
                                         {.name = NULL}};

/* The grid's rows for p ranks: 36 x 36 lies on 2 x p / 2, what it becomes on 1 x 2 or p x 1. */
struct array_layout array_layout_of(const struct array_case *c, int which, int p)
{
  const bool same = c->nb[0] == c->nb[1];
  const struct array_layout first = {c->nb[0], p < 2 ? 1 : 2, p < 2 ? 1 : p / 2};
  if (which == 0 || same) return first;
  return p == 2 ? (struct array_layout){c->nb[1], 1, 2} : (struct array_layout){c->nb[1], p, 1};
}

long array_share(long n, int nb, int at, int of)
{
  const long blocks = n / nb, rest = n % nb;
  const long whole = blocks / of + (at < blocks % of);
  return whole * nb + (at == blocks % of ? rest : 0);
}

void array_grid(int p, int grid[3])
{
  grid[0] = grid[1] = grid[2] = 1;
  for (int d = 0; p > 1; d = (d + 1) % 3) {
    grid[d] *= 2;
    p /= 2;
  }
}
