/* This file condenses what a rank's choices of algorithms go by to a number, so that ranks
 * can see whether they choose alike: facts, settings, rules, and the table of algorithms,
 * which another build of the library may have otherwise. */
#include "coll/select/select.h"

static uint64_t mix(uint64_t digest, uint64_t value) /* FNV-1a, a word at a time */
{
  return (digest ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mix_text(uint64_t digest, const char *text)
{
  for (; text && *text; text++)
    digest = mix(digest, (unsigned char)*text);
  return mix(digest, 256);
}

static uint64_t mix_rule(uint64_t digest, const struct mpj_rule *r)
{
  const int64_t numbers[] = {r->operation,   r->least_ranks, r->most_ranks,    r->least_bytes,
                             r->below_bytes, r->cores,       r->several_nodes, r->radix,
                             r->segment,     r->processes};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    digest = mix(digest, (uint64_t)numbers[i]);
  return mix_text(digest, r->name);
}

static uint64_t mix_rules(uint64_t digest, const struct mpj_rule *rules)
{
  for (; rules->name; rules++)
    digest = mix_rule(digest, rules);
  return mix(digest, 257);
}

static uint64_t mix_facts(uint64_t digest, const struct mpj_facts *f)
{
#define MIX_FACT(type, name) digest = mix(digest, (uint64_t)f->name);
  MPJ_FACTS(MIX_FACT)
#undef MIX_FACT
  for (int rank = 0; f->node_of && rank < f->ranks; rank++)
    digest = mix(digest, (uint64_t)f->node_of[rank]);
  return mix(digest, (uint64_t)f->node_ranks);
}

uint32_t mpj_select_digest(const struct mpj_facts *facts, const struct mpj_settings *settings)
{
  uint64_t digest = mix_facts(UINT64_C(0xcbf29ce484222325), facts);
  for (unsigned op = 0; op < MPJ_OPERATIONS; op++)
    digest = mix_rule(digest, &settings->asked[op]);
  digest = mix_rules(digest, settings->file);
  if (facts->tuned) digest = mix_rules(digest, facts->tuned);
  digest = mix_rules(digest, mpj_rules);
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++)
    digest = mix_text(mix(digest, a->operation), a->name);
  return (uint32_t)(digest ^ digest >> 32);
}
