/* This file is the worker of `mpj-bench am`: it runs the rows that it is named, or
 * all, and prints one line a result.
 *
 * am_mpj [--seconds S] [row...]   S: seconds for one result (0.2) */
#include "am.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
  const char *name;
  int size, active; /* ranks that the segment has, and that run */
  am_row_fn *fn;
  long param;
} rows[] = {
    {"short", 2, 2, am_short, 0},
    {"short", 2, 2, am_raw_cell, 0},
    {"short", 2, 2, am_ucx, 8},
    {"rings", 16, 2, am_short, 0},
    {"rings", 64, 2, am_short, 0},
    {"eager", 2, 2, am_eager, 1024},
    {"eager", 2, 2, am_raw_slot, 1024},
    {"eager", 2, 2, am_ucx, 1024},
    {"eager", 2, 2, am_eager, 8192},
    {"eager", 2, 2, am_raw_slot, 8192},
    {"eager", 2, 2, am_ucx, 8192},
    {"long", 2, 2, am_long, 65536 << AM_HOW_BITS},
    {"long", 2, 2, am_raw_read, 65536 << AM_HOW_BITS},
    {"long", 2, 2, am_ucx, 65536},
    {"long", 2, 2, am_long, 1048576 << AM_HOW_BITS},
    {"long", 2, 2, am_raw_read, 1048576 << AM_HOW_BITS},
    {"long", 2, 2, am_ucx, 1048576},
    {"rewritten", 2, 2, am_long, 65536 << AM_HOW_BITS | AM_REWRITTEN},
    {"rewritten", 2, 2, am_raw_read, 65536 << AM_HOW_BITS | AM_REWRITTEN},
    {"rewritten", 2, 2, am_long, 1048576 << AM_HOW_BITS | AM_REWRITTEN},
    {"rewritten", 2, 2, am_raw_read, 1048576 << AM_HOW_BITS | AM_REWRITTEN},
    {"library", 2, 2, am_long, 67108864L << AM_HOW_BITS | AM_LIBRARY},
    {"library", 2, 2, am_long, 67108864L << AM_HOW_BITS},
    {"library", 2, 2, am_raw_read, 67108864L << AM_HOW_BITS},
    {"layout", 2, 2, am_layout, 1048576},
    {"network", 2, 2, am_network_short, 0},
    {"network", 2, 2, am_ucx_network, 8},
    {"network", 2, 2, am_network_long, 1048576},
    {"network", 2, 2, am_ucx_network, 1048576},
    {"pairs", 16, 16, am_all_pairs, 0},
};

static void memory(void)
{
  const struct mpj_segment_config c = mpj_segment_config_for(64, true);
  printf("{\"row\": \"memory_p64_bytes\", \"who\": \"mpj\", \"us\": %.0f}\n",
         (double)mpj_segment_bytes(&c) / 64);
}

/* Without names all but the network's, which take seconds to connect. */
static bool wanted(const char *name, int n, char **names)
{
  for (int i = 0; i < n; i++)
    if (!strcmp(name, names[i])) return true;
  return n == 0 && strcmp(name, "network") != 0;
}

int main(int argc, char **argv)
{
  double seconds = 0.2;
  int at = 1;
  if (argc > 2 && !strcmp(argv[1], "--seconds")) {
    seconds = strtod(argv[2], NULL);
    at = 3;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (wanted(rows[i].name, argc - at, argv + at))
      am_run(rows[i].size, rows[i].active, seconds, rows[i].fn, rows[i].param);
  if (wanted("memory", argc - at, argv + at)) memory();
  return 0;
}
