/* This file joins the nodes of a simulated machine: its links, and the routes over them. */
#include "net/sim/machine.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

int64_t mpj_sim_nodes(const struct mpj_sim_machine *m)
{
  int64_t nodes = 1;
  if (m->kind == MPJ_SIM_FLAT) return ((int64_t)m->ranks - 1) / m->ranks_per_node + 1;
  for (int i = 0; i < m->ndims; i++)
    nodes *= m->dims[i];
  return nodes;
}

static int check_times(const struct mpj_sim_machine *m)
{
  const struct {
    const char *name;
    int64_t value;
  } all[] = {{"o", m->o_ps},
             {"g", m->g_ps},
             {"latency", m->latency_ps},
             {"hop", m->hop_ps},
             {"byte", m->byte_fs},
             {"link_byte", m->link_byte_fs},
             {"node_latency", m->node_latency_ps},
             {"node_byte", m->node_byte_fs},
             {"copy_byte", m->copy_byte_fs},
             {"reduce_byte", m->reduce_byte_fs},
             {"jitter", m->jitter_ps},
             {"notice", m->notice_ps}};
  const int64_t most = INT64_C(1000000000000000); /* 1000 s; 1 s a byte */
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].value < 0 || all[i].value > most)
      return mpj_error(MPJ_ERR_ARG, "%s is %lld, must be 0 to %lld", all[i].name,
                       (long long)all[i].value, (long long)most);
  return MPJ_SUCCESS;
}

int mpj_sim_machine_check(const struct mpj_sim_machine *m)
{
  if (m->ranks < 1) return mpj_error(MPJ_ERR_ARG, "ranks is %d, must be at least 1", m->ranks);
  if (m->ranks_per_node < 1)
    return mpj_error(MPJ_ERR_ARG, "ranks_per_node is %d, must be at least 1", m->ranks_per_node);
  if (m->kind != MPJ_SIM_FLAT && (m->ndims < 1 || m->ndims > MPJ_SIM_DIMS_MAX))
    return mpj_error(MPJ_ERR_ARG, "there are %d dimensions, must be 1 to %d", m->ndims,
                     MPJ_SIM_DIMS_MAX);
  if (m->align_bytes < 0)
    return mpj_error(MPJ_ERR_ARG, "align is %d, must not be negative", m->align_bytes);
  int64_t nodes = 1;
  for (int i = 0; m->kind != MPJ_SIM_FLAT && i < m->ndims; i++) {
    if (m->dims[i] < 1)
      return mpj_error(MPJ_ERR_ARG, "dimension %d is %d, must be at least 1", i, m->dims[i]);
    nodes *= m->dims[i];
    if (nodes > 1 << 24) return mpj_error(MPJ_ERR_ARG, "there are more than %d nodes", 1 << 24);
  }
  if (m->kind != MPJ_SIM_FLAT && nodes * m->ranks_per_node < m->ranks)
    return mpj_error(MPJ_ERR_ARG, "%d ranks do not fit %lld nodes of %d ranks each", m->ranks,
                     (long long)nodes, m->ranks_per_node);
  return check_times(m);
}

int mpj_sim_links_begin(struct mpj_sim_links *links, const struct mpj_sim_machine *m)
{
  *links = (struct mpj_sim_links){.machine = m};
  if (m->kind == MPJ_SIM_FLAT) return MPJ_SUCCESS;
  links->nlinks = 2 * m->ndims * mpj_sim_nodes(m);
  links->free_at = mpj_alloc_array((size_t)links->nlinks, sizeof *links->free_at);
  links->carried = mpj_alloc_array((size_t)links->nlinks, sizeof *links->carried);
  links->gaps = mpj_alloc_array((size_t)links->nlinks, sizeof *links->gaps);
  if (links->free_at && links->carried && links->gaps) return MPJ_SUCCESS;
  mpj_sim_links_end(links);
  return mpj_error(MPJ_ERR_NO_MEM, "no memory for %lld links", (long long)links->nlinks);
}

void mpj_sim_links_end(struct mpj_sim_links *links)
{
  for (int64_t i = 0; links->gaps && i < links->nlinks; i++)
    mpj_free(links->gaps[i]);
  mpj_free(links->gaps);
  mpj_free(links->free_at);
  mpj_free(links->carried);
}

/* From [begin, end) on the link is idle until it is not. Where there is no memory for that, or
 * there are many such times already, nobody passes then. */
static void add_gap(struct mpj_sim_gaps **gaps, int i, int64_t begin, int64_t end)
{
  enum { FIRST = 2, MOST = 64 };
  struct mpj_sim_gaps *g = *gaps;
  if (begin >= end || (g && g->n == MOST)) return;
  if (!g || g->n == g->room) {
    const int room = g ? 2 * g->room : FIRST;
    struct mpj_sim_gaps *bigger = mpj_alloc(sizeof *g + (size_t)room * sizeof *g->at);
    if (!bigger) return;
    bigger->n = g ? g->n : 0;
    bigger->room = room;
    if (g) memcpy(bigger->at, g->at, (size_t)g->n * sizeof *g->at);
    mpj_free(g);
    *gaps = g = bigger;
  }
  memmove(&g->at[i + 1], &g->at[i], (size_t)(g->n++ - i) * sizeof *g->at);
  g->at[i] = (struct mpj_sim_gap){begin, end};
}

/* Forget what was over before `now`. */
static void drop_gaps(struct mpj_sim_gaps *g, int64_t now)
{
  int over = 0;
  while (over < g->n && g->at[over].end <= now)
    over++;
  if (over > 0) memmove(g->at, &g->at[over], (size_t)(g->n -= over) * sizeof *g->at);
}

/* When the link, which is needed for so long from `at` on or later, can be had; take it. */
static int64_t take_link(struct mpj_sim_links *links, int64_t link, int64_t at, int64_t long_ps)
{
  struct mpj_sim_gaps **gaps = &links->gaps[link];
  const int64_t free = links->free_at[link], now = links->now;
  if (*gaps && (*gaps)->n > 0) drop_gaps(*gaps, now);
  for (int i = 0; *gaps && i < (*gaps)->n && at < free; i++) {
    const struct mpj_sim_gap gap = (*gaps)->at[i];
    const int64_t begin = at > gap.begin ? at : gap.begin;
    if (begin + long_ps > gap.end) continue;
    (*gaps)->at[i].end = begin;
    add_gap(gaps, i + 1, begin + long_ps, gap.end);
    return begin;
  }
  const int64_t begin = at > free ? at : free;
  if (begin > free) add_gap(gaps, *gaps ? (*gaps)->n : 0, free > now ? free : now, begin);
  links->free_at[link] = begin + long_ps;
  return begin;
}

/* The head goes over a link: it waits until the others' bytes have passed. */
static int64_t pass(struct mpj_sim_links *links, int64_t link, int64_t bytes, int64_t at)
{
  const struct mpj_sim_machine *m = links->machine;
  const int64_t begin = take_link(links, link, at, bytes * m->link_byte_fs / 1000);
  links->waited_ps += begin - at;
  links->carried[link] += bytes;
  links->hops++;
  return begin + m->hop_ps;
}

/* Steps along a dimension of n nodes from a to b: positive upwards. The shorter way round, upwards
 * if both are as long. */
static int steps(const struct mpj_sim_machine *m, int n, int a, int b)
{
  const int up = b >= a ? b - a : b - a + n;
  if (m->kind == MPJ_SIM_MESH) return b - a;
  return up <= n - up ? up : up - n;
}

/* Dimension by dimension, the first one first. Link 2 d of node i leads upwards in dimension d,
 * 2 d + 1 downwards. */
static int64_t route_torus(struct mpj_sim_links *links, int64_t from, int64_t to, int64_t bytes,
                           int64_t at)
{
  const struct mpj_sim_machine *m = links->machine;
  int64_t node = from, stride = mpj_sim_nodes(m);
  for (int d = 0; d < m->ndims; d++) {
    const int n = m->dims[d];
    stride /= n;
    const int there = (int)(to / stride % n);
    int here = (int)(node / stride % n);
    for (int left = steps(m, n, here, there); left != 0; left += left > 0 ? -1 : 1) {
      at = pass(links, node * 2 * m->ndims + 2 * d + (left < 0), bytes, at);
      const int next = (here + (left > 0 ? 1 : n - 1)) % n;
      node += (next - here) * stride;
      here = next;
    }
  }
  return at;
}

/* The level of the lowest switch above both nodes. */
static int meeting_level(const struct mpj_sim_machine *m, int64_t a, int64_t b)
{
  int level = 0;
  for (int64_t size = m->dims[0]; a / size != b / size; size *= m->dims[level])
    level++;
  return level;
}

/* Up to that switch and down. A subtree of s nodes has s links to the level above, and a message
 * takes that of its receiver: (level, node), the downward ones behind all the upward ones. */
static int64_t route_tree(struct mpj_sim_links *links, int64_t from, int64_t to, int64_t bytes,
                          int64_t at)
{
  const struct mpj_sim_machine *m = links->machine;
  const int64_t nodes = mpj_sim_nodes(m);
  const int top = meeting_level(m, from, to);
  int64_t size = 1;
  for (int level = 0; level <= top; level++) {
    at = pass(links, level * nodes + from / size * size + to % size, bytes, at);
    size *= m->dims[level];
  }
  for (int level = top; level >= 0; level--)
    at = pass(links, (m->ndims + level) * nodes + to, bytes, at);
  return at;
}

int64_t mpj_sim_route(struct mpj_sim_links *links, int64_t from, int64_t to, int64_t bytes,
                      int64_t at)
{
  const struct mpj_sim_machine *m = links->machine;
  links->now = at;
  if (m->kind == MPJ_SIM_FATTREE)
    at = route_tree(links, from, to, bytes, at);
  else if (m->kind != MPJ_SIM_FLAT)
    at = route_torus(links, from, to, bytes, at);
  return at + m->latency_ps;
}

int mpj_sim_distance(const struct mpj_sim_machine *m, int64_t from, int64_t to)
{
  int distance = 0;
  int64_t stride = mpj_sim_nodes(m);
  if (m->kind == MPJ_SIM_FLAT || from == to) return 0;
  if (m->kind == MPJ_SIM_FATTREE) return 2 * (meeting_level(m, from, to) + 1);
  for (int d = 0; d < m->ndims; d++) {
    stride /= m->dims[d];
    const int n =
        steps(m, m->dims[d], (int)(from / stride % m->dims[d]), (int)(to / stride % m->dims[d]));
    distance += n < 0 ? -n : n;
  }
  return distance;
}
