/* This file lists the messages of a run, for other simulators. */
#include <inttypes.h>

#include "report.h"

void messages_begin(FILE *f)
{
  fprintf(f, "kind,from,to,bytes,begun_ps,ended_ps\n");
}

void messages_see(void *file, const struct mpj_sim_seen *m)
{
  fprintf(file, "%s,%d,%d,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", m->pulled ? "pulled" : "sent",
          m->from, m->to, m->bytes, m->begun_ps, m->ended_ps);
}
