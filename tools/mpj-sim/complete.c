/* This file sets options against one another. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "coll/select/select.h"
#include "options.h"

/* What the library makes no sense of would be a warning, and another algorithm would run. */
static bool check_algorithm(enum mpj_operation operation, const char *word, char *why, size_t size)
{
  struct mpj_rule rule;
  char wrong[400];
  if (strlen(word) >= ALGORITHM_BYTES) {
    snprintf(why, size, "--algorithm: \"%.40s...\" is longer than %d bytes", word,
             ALGORITHM_BYTES - 1);
    return false;
  }
  if (mpj_setting_parse(operation, word, &rule, wrong, sizeof wrong)) return true;
  snprintf(why, size, "--algorithm for %s: %s", mpj_operation_word(operation), wrong);
  return false;
}

static bool check_algorithms(const struct options *o, char *why, size_t size)
{
  if (o->command == RUN && o->nalgorithms > 1) {
    snprintf(why, size, "--algorithm: a run has one, there are \"%s\" and \"%s\"", o->algorithms[0],
             o->algorithms[1]);
    return false;
  }
  const unsigned ops = o->command == RUN ? 1u << o->run.operation : o->ops;
  for (int op = 1; op < MPJ_OPERATIONS; op++)
    for (int i = 0; ops >> op & 1 && i < o->nalgorithms; i++)
      if (!check_algorithm((enum mpj_operation)op, o->algorithms[i], why, size)) return false;
  return true;
}

/* Options that others leave without effect. */
static bool check_effects(const struct options *o, char *why, size_t size)
{
  const struct run_options *r = &o->run;
  const enum mpj_operation op = r->operation;
  const char *name = mpj_operation_name(op);
  const bool rooted = op == MPJ_OPERATION_BCAST || op == MPJ_OPERATION_GATHER ||
                      op == MPJ_OPERATION_SCATTER || op == MPJ_OPERATION_REDUCE;
  if (o->command == RUN && r->root > 0 && !rooted)
    snprintf(why, size, "--root is %d, but %s has no root", r->root, name);
  else if (op == MPJ_OPERATION_BARRIER && r->bytes > 0 && o->bytes)
    snprintf(why, size, "--bytes is %s, but %s has no data", o->bytes, name);
  else if (op == MPJ_OPERATION_BARRIER && r->type)
    snprintf(why, size, "--type is %s, but %s has no data", r->type, name);
  else if (r->type && o->bytes)
    snprintf(why, size, "--bytes is %s, but the size of --type %s counts", o->bytes, r->type);
  else if (o->trace_ranks > 0 && !o->trace)
    snprintf(why, size, "--trace-ranks is %d, but there is no --trace FILE", o->trace_ranks);
  else if (o->cost && !o->json)
    snprintf(why, size, "--cost is for --json FILE, which is missing");
  else
    return true;
  return false;
}

bool options_complete(struct options *o, char *why, size_t size)
{
  enum { FLAT_RANKS = 64, TRACE_RANKS_DEFAULT = 16 };
  struct mpj_sim_machine *m = &o->run.machine;
  if (m->ranks == 0) {
    const int64_t all = m->kind == MPJ_SIM_FLAT ? (int64_t)FLAT_RANKS
                                                : mpj_sim_nodes(m) * (int64_t)m->ranks_per_node;
    if (all > INT32_MAX) {
      snprintf(why, size, "there are %" PRId64 " ranks, at most %d", all, INT32_MAX);
      return false;
    }
    m->ranks = (int)all;
  }
  if (o->command == TUNE && !o->json) {
    snprintf(why, size, "tune writes to --json FILE, which is missing");
    return false;
  }
  if (!check_effects(o, why, size)) return false;
  if (o->run.operation == MPJ_OPERATION_BARRIER) o->run.bytes = 0;
  if (o->trace_ranks == 0) o->trace_ranks = TRACE_RANKS_DEFAULT;
  o->run.progress = !o->quiet && isatty(2);
  return check_algorithms(o, why, size);
}
