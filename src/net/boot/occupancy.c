/* This file counts the cores that ranks of one machine have together: launchers bind them to cores
 * of their own, so that each alone sees one. */
#include "net/boot/occupancy.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "base/machine/topology.h"

enum { WORD_BITS = 64, CPUS = MPJ_OCCUPANCY_WORDS * WORD_BITS };

void mpj_occupancy_mine(struct mpj_occupancy *mine)
{
  cpu_set_t set;
  memset(mine, 0, sizeof *mine);
  mine->cores = mpj_usable_cores();
  mine->quota = mpj_quota_cores();
  if (sched_getaffinity(0, sizeof set, &set) != 0) return; /* a kernel of more processors */
  for (int i = 0; i < CPUS && i < CPU_SETSIZE; i++)
    if (CPU_ISSET((size_t)i, &set)) mine->cpus[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
}

static int size_of(const uint64_t cpus[])
{
  int n = 0;
  for (int i = 0; i < MPJ_OCCUPANCY_WORDS; i++)
    n += __builtin_popcountll(cpus[i]);
  return n;
}

static bool is_within(const uint64_t cpus[], const uint64_t others[])
{
  for (int i = 0; i < MPJ_OCCUPANCY_WORDS; i++)
    if (cpus[i] & ~others[i]) return false;
  return true;
}

/* Whether more ranks than it has processors may use no others than rank i's. */
static bool is_crowded(int n, const struct mpj_occupancy *const ranks[], int i)
{
  int within = 0;
  for (int other = 0; other < n; other++)
    within += is_within(ranks[other]->cpus, ranks[i]->cpus);
  return within > size_of(ranks[i]->cpus);
}

int mpj_occupancy_cores(int n, const struct mpj_occupancy *const ranks[])
{
  uint64_t all[MPJ_OCCUPANCY_WORDS] = {0};
  int least = INT_MAX, quota = INT_MAX;
  bool known = true, crowded = false;
  for (int i = 0; i < n; i++) {
    if (ranks[i]->cores < least) least = ranks[i]->cores;
    if (ranks[i]->quota < quota) quota = ranks[i]->quota;
    known = known && size_of(ranks[i]->cpus) > 0;
    for (int word = 0; word < MPJ_OCCUPANCY_WORDS; word++)
      all[word] |= ranks[i]->cpus[word];
  }
  int cores = known ? size_of(all) : least;
  if (cores > quota) cores = quota;
  for (int i = 0; known && !crowded && cores >= n && i < n; i++)
    crowded = is_crowded(n, ranks, i);
  if (crowded) cores = n - 1;
  return cores < 1 ? 1 : cores;
}
