/* This file applies the rules: the first that fits and is possible. */
#include "coll/select/choose.h"

#include "base/status.h"
#include "coll/select/select.h"

/* Finding out who is on which node takes each rank time and memory by the number of nodes. */
enum { LONE_RANKS_MOST = 256 };

const char *mpj_rule_misfit(const struct mpj_rule *r, const struct mpj_facts *f,
                            const struct mpj_agreed *c)
{
  if (r->operation != c->operation) return "it is for another operation";
  if (f->ranks < r->least_ranks) return "there are fewer ranks";
  if (r->most_ranks > 0 && f->ranks > r->most_ranks) return "there are more ranks";
  if (c->bytes < r->least_bytes) return "the data is shorter";
  if (r->below_bytes > 0 && c->bytes >= r->below_bytes) return "the data is longer";
  if (r->several_nodes && f->nodes < 2) return "there is one node";
  if (r->several_nodes && f->nodes == f->ranks && f->ranks > LONE_RANKS_MOST)
    return "each of many ranks has a node to itself";
  if (r->processes && f->one_process) return "the ranks are threads of one process";
  if (r->cores == MPJ_FEW_CORES && !f->oversubscribed) return "there are enough cores";
  if (r->cores == MPJ_ENOUGH_CORES && f->oversubscribed) return "there are more ranks than cores";
  return NULL;
}

static int segments_for(const struct mpj_rule *r, const struct mpj_algorithm *a,
                        const struct mpj_agreed *c)
{
  const int most = a->most_segments > 0 ? a->most_segments : MPJ_SEGMENTS_MOST;
  if (r->segment <= 0 || !c->cuttable || c->bytes <= r->segment) return 1;
  const MPJ_Count n = (c->bytes - 1) / r->segment + 1;
  return n < most ? (int)n : most;
}

const char *mpj_algorithm_lacks(const struct mpj_algorithm *a, const struct mpj_facts *f,
                                const struct mpj_agreed *c)
{
  if ((a->needs & MPJ_NEEDS_CUTTABLE) && !c->cuttable) return "data that can be cut";
  if ((a->needs & MPJ_NEEDS_COMMUTATIVE) && c->ordered) return "an op that commutes";
  if ((a->needs & MPJ_NEEDS_ROWS) && c->ordered && !f->contiguous)
    return "nodes whose ranks follow one another, or an op that commutes";
  if ((a->needs & MPJ_NEEDS_STRETCHES) && !f->contiguous)
    return "nodes whose ranks follow one another";
  if ((a->needs & MPJ_NEEDS_SPARSE) && !c->sparse) return "sparse types";
  if (!(a->needs & MPJ_NEEDS_SPARSE) && c->sparse) return "types that are not sparse";
  if ((a->needs & MPJ_NEEDS_SHARED) && !f->shared) return "memory that all ranks share";
  if ((a->needs & MPJ_NEEDS_POSTS) && !f->posts)
    return "three ranks or more that read what one posts";
  return NULL;
}

/* What the rule asks for; false if it is not possible, or one of the first `passed` that are. */
static bool try_rule(const struct mpj_rule *r, const struct mpj_facts *f,
                     const struct mpj_agreed *c, unsigned *passed, struct mpj_selected *out)
{
  const struct mpj_algorithm *a =
      mpj_algorithm_find(r->operation, r->name, __builtin_strlen(r->name));
  if (!a || mpj_algorithm_lacks(a, f, c) || (*passed > 0 && (*passed)-- > 0)) return false;
  out->rule = r;
  out->algorithm = a;
  out->radix = r->radix > 0 ? r->radix : a->radix;
  if (a->radix == 0) out->radix = 0;
  out->segments = a->segmented ? segments_for(r, a, c) : 0;
  return true;
}

static bool try_rules(const struct mpj_rule *rules, const struct mpj_facts *f,
                      const struct mpj_agreed *c, unsigned *passed, struct mpj_selected *out)
{
  for (const struct mpj_rule *r = rules; r->name; r++)
    if (!mpj_rule_misfit(r, f, c) && try_rule(r, f, c, passed, out)) return true;
  return false;
}

void mpj_select_after(const struct mpj_facts *facts, const struct mpj_settings *settings,
                      struct mpj_agreed call, unsigned passed, struct mpj_selected *out)
{
  static const struct mpj_rule flat = {.name = "flat"}, dissemination = {.name = "dissemination"},
                               sparse = {.name = "sparse"};
  const struct mpj_rule *asked = &settings->asked[call.operation];
  out->why = MPJ_BY_VARIABLE;
  if (asked->name && try_rule(asked, facts, &call, &passed, out)) return;
  out->why = MPJ_BY_FILE;
  if (try_rules(settings->file, facts, &call, &passed, out)) return;
  out->why = MPJ_BY_MACHINE;
  if (facts->tuned && try_rules(facts->tuned, facts, &call, &passed, out)) return;
  out->why = MPJ_BY_RULE;
  if (try_rules(mpj_rules, facts, &call, &passed, out)) return;
  struct mpj_rule last = call.operation == MPJ_OPERATION_BARRIER ? dissemination
                         : call.sparse                           ? sparse
                                                                 : flat;
  last.operation = call.operation;
  passed = 0;
  try_rule(&last, facts, &call, &passed, out);
  out->why = MPJ_BY_NEED;
  out->rule = NULL;
}

static int build(struct mpj_comm *comm, const struct mpj_choice *choice,
                 const struct mpj_selected *s, struct mpj_schedule **schedule)
{
  const unsigned variant = choice->local + (choice->agreed.ordered ? MPJ_VARIANT_ORDERED : 0) +
                           (unsigned)s->radix * MPJ_VARIANT_RADIX +
                           (unsigned)s->segments * MPJ_VARIANT_SEGMENTS;
  return mpj_schedule_cached(
      comm, choice->agreed.operation, (unsigned)(s->algorithm - mpj_algorithms), choice->root,
      variant, choice->agreed.sparse ? choice->lists : NULL, s->algorithm->build, schedule);
}

int mpj_select_schedule(struct mpj_comm *comm, const struct mpj_choice *choice,
                        struct mpj_schedule **schedule)
{
  struct mpj_selected s;
  int status = MPJ_TOO_MANY_NAMES;
  if (choice->agreed.operation == MPJ_OPERATION_NONE) {
    *schedule = &comm->schedules->no_steps;
    return MPJ_SUCCESS;
  }
  for (unsigned passed = 0; status == MPJ_TOO_MANY_NAMES; passed++) {
    mpj_select_after(&comm->facts, mpj_settings(), choice->agreed, passed, &s);
    status = build(comm, choice, &s, schedule);
    if (status == MPJ_TOO_MANY_NAMES && s.why == MPJ_BY_NEED)
      return mpj_error(MPJ_ERR_UNSUPPORTED, "%s of %d ranks by %s has more messages than names",
                       mpj_operation_name(choice->agreed.operation), comm->size, s.algorithm->name);
  }
  return status;
}
