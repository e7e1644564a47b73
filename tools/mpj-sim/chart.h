/* This header declares a picture of a sweep: for each operation, number of ranks and size a group
 * of bars, one for each algorithm, as long as its time is of the first one's. */
#ifndef MPJ_TOOLS_MPJ_SIM_CHART_H
#define MPJ_TOOLS_MPJ_SIM_CHART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { CHART_BARS_MOST = 32 };

struct chart_bar {
  char word[64]; /* the algorithm */
  int64_t ps;    /* -1: it did not run, and has no bar */
};
struct chart_group {
  char name[80]; /* operation, ranks, size */
  int nbars;
  struct chart_bar bars[CHART_BARS_MOST];
};

struct chart {
  int ngroups, room;
  bool lacks_memory;
  struct chart_group *groups; /* owned */
};

/* Another group, to be filled in; NULL: there is no memory for it, and
 * lacks_memory says so. */
struct chart_group *chart_add(struct chart *chart);
void chart_end(struct chart *chart);

/* As SVG, a function of the chart and its title. */
void chart_svg(const struct chart *chart, const char *title, FILE *f);

#endif
