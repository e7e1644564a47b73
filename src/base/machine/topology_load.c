/* This file finds out what the machine consists of. */
#include "base/machine/topology_load.h"

#include <pthread.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/status.h"

#ifdef MPJ_HAVE_HWLOC
#include <hwloc.h>

#include "base/library/library.h"
#endif

static int at_least_one(long n)
{
  return n < 1 ? 1 : (int)n;
}

/* What the operating system alone tells. */
static void load_plain(struct mpj_topology *t)
{
  int cpus = at_least_one(sysconf(_SC_NPROCESSORS_ONLN));
  *t = (struct mpj_topology){.packages = 1, .numa_nodes = 1, .cores = cpus, .pus = cpus};
}

#ifdef MPJ_HAVE_HWLOC

#define HWLOC_CALLS(X)                                                                             \
  X(hwloc_topology_init)                                                                           \
  X(hwloc_topology_load)                                                                           \
  X(hwloc_topology_destroy)                                                                        \
  X(hwloc_get_type_depth)                                                                          \
  X(hwloc_get_nbobjs_by_depth)                                                                     \
  X(hwloc_get_obj_by_depth)

struct hwloc {
  HWLOC_CALLS(MPJ_LIBRARY_POINTER)
};

/* The calls; false: the library is not there. */
static bool load_hwloc(struct hwloc *hwloc)
{
  static const char *const names[] = {HWLOC_CALLS(MPJ_LIBRARY_NAME)};
  char why[MPJ_LIBRARY_WHY];
  return mpj_library_load(MPJ_HWLOC_LIBRARY, false, names, sizeof names / sizeof *names, hwloc, why);
}

static int count_of(const struct hwloc *h, hwloc_topology_t topology, hwloc_obj_type_t kind)
{
  const unsigned n = h->hwloc_get_nbobjs_by_depth(topology, h->hwloc_get_type_depth(topology, kind));
  return at_least_one((long)n);
}

static int64_t cache_bytes(const struct hwloc *h, hwloc_topology_t topology, hwloc_obj_type_t kind)
{
  hwloc_obj_t cache =
      h->hwloc_get_obj_by_depth(topology, h->hwloc_get_type_depth(topology, kind), 0);
  return cache ? (int64_t)cache->attr->cache.size : 0;
}

void mpj_topology_load(struct mpj_topology *t)
{
  struct hwloc h;
  hwloc_topology_t topology;
  load_plain(t);
  if (!load_hwloc(&h) || h.hwloc_topology_init(&topology) != 0) return;
  if (h.hwloc_topology_load(topology) == 0)
    *t = (struct mpj_topology){
        .packages = count_of(&h, topology, HWLOC_OBJ_PACKAGE),
        .numa_nodes = count_of(&h, topology, HWLOC_OBJ_NUMANODE),
        .cores = count_of(&h, topology, HWLOC_OBJ_CORE),
        .pus = count_of(&h, topology, HWLOC_OBJ_PU),
        .l1d_bytes = cache_bytes(&h, topology, HWLOC_OBJ_L1CACHE),
        .l2_bytes = cache_bytes(&h, topology, HWLOC_OBJ_L2CACHE),
        .l3_bytes = cache_bytes(&h, topology, HWLOC_OBJ_L3CACHE),
    };
  h.hwloc_topology_destroy(topology);
}

#else

void mpj_topology_load(struct mpj_topology *t)
{
  load_plain(t);
}

#endif

int64_t mpj_l2_bytes(void)
{
  struct mpj_topology told;
  const char *text = mpj_config()->topology;
  if (*text && mpj_topology_decode(text, &told) && told.l2_bytes > 0) return told.l2_bytes;
#ifdef _SC_LEVEL2_CACHE_SIZE
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? bytes : 0;
#else
  return 0;
#endif
}

static struct mpj_topology process_topology;

static void find_process_topology(void)
{
  const char *text = mpj_config()->topology;
  if (*text && mpj_topology_decode(text, &process_topology)) return;
  if (*text) mpj_warn("MPJ_TOPOLOGY=%s is no topology; looking at the machine", text);
  mpj_topology_load(&process_topology);
}

const struct mpj_topology *mpj_topology(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_process_topology);
  return &process_topology;
}
