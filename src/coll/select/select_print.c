/* This file prints what would run, and why. */
#include "coll/select/select.h"

static const MPJ_Count sizes[] = {8, 1024, 8192, 65536, 1 << 20, 16 << 20};
static const int crews[] = {2, 3, 4, 8, 16, 32, 64};
enum { SIZES = sizeof sizes / sizeof *sizes, CREWS = sizeof crews / sizeof *crews };

static void print_size(FILE *out, MPJ_Count bytes)
{
  if (bytes >= 1 << 20)
    fprintf(out, "%lld MiB", (long long)(bytes >> 20));
  else if (bytes >= 1024)
    fprintf(out, "%lld KiB", (long long)(bytes >> 10));
  else
    fprintf(out, "%lld B", (long long)bytes);
}

static void print_range(FILE *out, const struct mpj_rule *r)
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
  if (r->posts) fprintf(out, ", by posts");
}

static void print_reason(FILE *out, const struct mpj_selected *s)
{
  static const char *const by[] = {"asked for by its variable",
                                   "rule of MPJ_COLL_FILE: ", "rule: ", "nothing else is possible"};
  fprintf(out, "%s", by[s->why]);
  if (s->why == MPJ_BY_FILE || s->why == MPJ_BY_RULE) print_range(out, s->rule);
}

static void print_selected(FILE *out, const struct mpj_selected *s)
{
  fprintf(out, "%s", s->algorithm->name);
  if (s->radix > 0) fprintf(out, ":%d", s->radix);
  if (s->segments > 1) fprintf(out, " in %d segments", s->segments);
}

/* Whether all ranks know the size. */
static bool knows_size(enum mpj_operation operation)
{
  return operation != MPJ_OPERATION_BARRIER && operation != MPJ_OPERATION_GATHER &&
         operation != MPJ_OPERATION_SCATTER && operation != MPJ_OPERATION_ALLTOALL;
}

static void print_line(FILE *out, enum mpj_operation operation, const struct mpj_facts *facts,
                       MPJ_Count bytes)
{
  const struct mpj_agreed call = {.operation = operation, .bytes = bytes, .cuttable = true};
  struct mpj_selected s;
  mpj_select(facts, mpj_settings(), call, &s);
  fprintf(out, "%-14s %3d  ", mpj_operation_word(operation), facts->ranks);
  if (knows_size(operation))
    print_size(out, bytes);
  else
    fprintf(out, "any");
  fprintf(out, "\t");
  print_selected(out, &s);
  fprintf(out, "\t(");
  print_reason(out, &s);
  fprintf(out, ")\n");
}

void mpj_select_print(FILE *out, int cores)
{
  fprintf(out,
          "operation    ranks  bytes\talgorithm\t(why), for numbers of one basic type, an "
          "operation that commutes, %d cores\n",
          cores);
  for (enum mpj_operation op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++)
    for (int i = 0; i < CREWS; i++) {
      struct mpj_facts facts = {.ranks = crews[i],
                                .nodes = 1,
                                .cores = cores,
                                .oversubscribed = crews[i] > cores,
                                .shared = true,
                                .posts = crews[i] > 2,
                                .contiguous = true};
      for (int k = 0; k < (knows_size(op) ? SIZES : 1); k++)
        print_line(out, op, &facts, knows_size(op) ? sizes[k] : 0);
    }
}
