/* This file stands in for drawing where cairo is missing. */
#include "pack_report.h"

int pack_report_plot(const struct pack_results *r, const struct pack_command *c)
{
  (void)r;
  fprintf(stderr, "mpj-bench: cannot draw %s: it was built without cairo\n", c->plot);
  return 1;
}
