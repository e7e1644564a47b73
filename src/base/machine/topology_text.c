/* This file writes a topology as a short text and reads it back. */
#include "base/machine/topology.h"
#include "base/machine/topology_load.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NFIELDS = 7, NCOUNTS = 4, TEXT_BYTES = 192 };

bool mpj_topology_encode(const struct mpj_topology *t, char *text, size_t size)
{
  int n = snprintf(text, size, "1:%d,%d,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64, t->packages,
                   t->numa_nodes, t->cores, t->pus, t->l1d_bytes, t->l2_bytes, t->l3_bytes);
  return n >= 0 && (size_t)n < size;
}

/* Read the comma-separated fields; false unless there are that many in range. */
static bool read_fields(const char *text, int64_t fields[NFIELDS])
{
  for (int i = 0; i < NFIELDS; i++) {
    char *end;
    fields[i] = strtoll(text, &end, 10);
    if (end == text || *end != (i < NFIELDS - 1 ? ',' : '\0')) return false;
    if (i < NCOUNTS ? fields[i] < 1 || fields[i] > INT_MAX : fields[i] < 0) return false;
    text = end + 1;
  }
  return true;
}

bool mpj_topology_decode(const char *text, struct mpj_topology *t)
{
  int64_t f[NFIELDS];
  if (strncmp(text, "1:", 2) || !read_fields(text + 2, f)) return false;
  struct mpj_topology found = {.packages = (int)f[0],
                               .numa_nodes = (int)f[1],
                               .cores = (int)f[2],
                               .pus = (int)f[3],
                               .l1d_bytes = f[4],
                               .l2_bytes = f[5],
                               .l3_bytes = f[6]};
  char again[TEXT_BYTES]; /* one text a topology: no signs, blanks or leading zeros */
  if (!mpj_topology_encode(&found, again, sizeof again) || strcmp(text, again)) return false;
  *t = found;
  return true;
}
