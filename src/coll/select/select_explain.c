/* This file explains one choice: what runs, by which rule, and which rules were passed over. */
#include <string.h>

#include "base/config/config.h"
#include "coll/select/choose.h"
#include "coll/select/words.h"

static void explain_place(FILE *out, const struct mpj_facts *f, const struct mpj_agreed *call)
{
  fprintf(out, "%s", mpj_operation_name(call->operation));
  if (mpj_operation_goes_by_size(call->operation)) {
    fprintf(out, " of ");
    mpj_say_bytes(out, call->bytes);
    const bool parts = call->operation == MPJ_OPERATION_ALLGATHER ||
                       call->operation == MPJ_OPERATION_REDUCE_SCATTER;
    fprintf(out, "%s", parts ? ", all parts together," : "");
  }
  fprintf(out, " on %d rank%s, %d node%s, %d core%s a node%s%s%s%s\n", f->ranks,
          f->ranks == 1 ? "" : "s", f->nodes, f->nodes == 1 ? "" : "s", f->cores,
          f->cores == 1 ? "" : "s", f->oversubscribed ? ", more ranks than cores" : "",
          f->posts ? ", posts" : "", call->ordered ? ", the op does not commute" : "",
          call->cuttable ? "" : ", data that cannot be cut");
}

/* The rules before the one that was taken, each with the reason. */
static void explain_passed_over(FILE *out, const struct mpj_rule *rules, const struct mpj_rule *end,
                                const struct mpj_facts *f, const struct mpj_agreed *call)
{
  for (const struct mpj_rule *r = rules; r->name && r != end; r++) {
    if (r->operation != call->operation) continue;
    const struct mpj_algorithm *a = mpj_algorithm_find(r->operation, r->name, strlen(r->name));
    const char *misfit = mpj_rule_misfit(r, f, call), *lacks = NULL;
    if (!misfit && a) lacks = mpj_algorithm_lacks(a, f, call);
    fprintf(out, "  not %s (", r->name);
    mpj_say_range(out, r);
    fprintf(out, "): %s%s\n", misfit ? misfit : "it needs ", misfit ? "" : lacks);
  }
}

static void explain_asked(FILE *out, const struct mpj_rule *asked, const struct mpj_facts *f,
                          const struct mpj_agreed *call)
{
  if (!asked->name) return;
  const char *lacks = mpj_algorithm_lacks(
      mpj_algorithm_find(asked->operation, asked->name, strlen(asked->name)), f, call);
  fprintf(out, "  not %s, which its variable asks for: it needs %s\n", asked->name, lacks);
}

static void explain_data(FILE *out, const struct mpj_agreed *call)
{
  const long eager = mpj_config()->eager_bytes;
  if (call->operation == MPJ_OPERATION_BARRIER) return;
  fprintf(out,
          "  messages to %d bytes go within the header (inline), to %ld through a slot of the "
          "receiver (eager), longer ones are pulled by the receiver (long)\n",
          MPJ_INLINE_MAX, eager);
}

static void explain_others(FILE *out, const struct mpj_agreed *call,
                           const struct mpj_algorithm *taken)
{
  const char *separator = "";
  char variable[MPJ_VARIABLE_BYTES];
  fprintf(out, "  to try another: %s=", mpj_operation_variable(call->operation, variable));
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++) {
    if (a->operation != call->operation || a == taken) continue;
    fprintf(out, "%s%s", separator, a->name);
    separator = " | ";
  }
  fprintf(out, "\n");
}

void mpj_select_explain(FILE *out, const struct mpj_facts *facts, const struct mpj_agreed *call)
{
  const struct mpj_settings *settings = mpj_settings();
  struct mpj_selected s;
  mpj_select(facts, settings, *call, &s);
  explain_place(out, facts, call);
  fprintf(out, "  runs ");
  mpj_say_selected(out, &s);
  fprintf(out, ": ");
  mpj_say_reason(out, &s);
  fprintf(out, "\n");
  if (s.why != MPJ_BY_VARIABLE) {
    explain_asked(out, &settings->asked[call->operation], facts, call);
    explain_passed_over(out, settings->file, s.rule, facts, call);
    if (facts->tuned && s.why != MPJ_BY_FILE)
      explain_passed_over(out, facts->tuned, s.rule, facts, call);
    if (s.why == MPJ_BY_RULE || s.why == MPJ_BY_NEED)
      explain_passed_over(out, mpj_rules, s.rule, facts, call);
  }
  explain_data(out, call);
  explain_others(out, call, s.algorithm);
}
