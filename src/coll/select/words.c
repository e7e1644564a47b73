/* This file says rules and choices in words. */
#include "coll/select/words.h"

/* In the largest unit of which it is a whole number. */
void mpj_say_bytes(FILE *out, MPJ_Count bytes)
{
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0)
    fprintf(out, "%lld MiB", (long long)(bytes >> 20));
  else if (bytes >= 1024 && bytes % 1024 == 0)
    fprintf(out, "%lld KiB", (long long)(bytes >> 10));
  else
    fprintf(out, "%lld B", (long long)bytes);
}

void mpj_say_range(FILE *out, const struct mpj_rule *r)
{
  static const char *const cores[] = {"", ", enough cores", ", more ranks than cores"};
  if (r->most_ranks > 0)
    fprintf(out, "%d to %d ranks", r->least_ranks > 1 ? r->least_ranks : 1, r->most_ranks);
  else if (r->least_ranks > 1)
    fprintf(out, "from %d ranks", r->least_ranks);
  else
    fprintf(out, "any number of ranks");
  if (r->least_bytes > 0) fprintf(out, ", from %lld bytes", (long long)r->least_bytes);
  if (r->below_bytes > 0) fprintf(out, ", below %lld bytes", (long long)r->below_bytes);
  fprintf(out, "%s%s", cores[r->cores], r->several_nodes ? ", several nodes" : "");
  if (r->processes) fprintf(out, ", processes");
}

void mpj_say_reason(FILE *out, const struct mpj_selected *s)
{
  static const char *const by[] = {"asked for by its variable",
                                   "rule of MPJ_COLL_FILE: ", "rule of the machine's file: ",
                                   "rule: ", "nothing else is possible"};
  fprintf(out, "%s", by[s->why]);
  if (s->rule && s->why != MPJ_BY_VARIABLE) mpj_say_range(out, s->rule);
}

void mpj_say_selected(FILE *out, const struct mpj_selected *s)
{
  fprintf(out, "%s", s->algorithm->name);
  if (s->radix > 0 && !s->algorithm->fixed_radix) fprintf(out, ":%d", s->radix);
  if (s->segments > 1) fprintf(out, " in %d segments", s->segments);
}
