/* This file keeps the schedules that ranks share, and gives back all. */
#include "coll/plan/shared.h"

#include <string.h>

#include "base/memory.h"
#include "coll/plan/plans.h"
#include "coll/plan/schedule_steps.h"

enum { FIRST_ROOM = 64 };

/* Bytes of the arrays behind the steps (schedule_steps.c). */
static size_t rest_bytes(const struct mpj_schedule *s)
{
  const size_t words = (size_t)s->nnext + s->nsteps + s->ntemporaries + s->nposted;
  return s->noperands * sizeof *s->operands + s->nexpected * sizeof *s->expected +
         words * sizeof *s->next;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  return hash ^ hash >> 31;
}

static uint64_t hash_of(const struct mpj_schedule *s)
{
  const unsigned char *rest = (const unsigned char *)s->operands;
  const size_t bytes = rest_bytes(s);
  uint64_t hash = mix(mix(s->operation, s->algorithm), (uint64_t)s->root << 32 | s->variant);
  for (unsigned i = 0; i < s->nsteps; i++)
    hash = mix(hash, (uint64_t)(uint32_t)s->steps[i].peer << 16 | s->steps[i].kind);
  for (size_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, rest + at, bytes - at < sizeof word ? bytes - at : sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

static bool are_equal_steps(const struct mpj_step *a, const struct mpj_step *b)
{
  return a->kind == b->kind && a->posted == b->posted && a->bit == b->bit && a->peer == b->peer &&
         a->src == b->src && a->dst == b->dst && a->first_next == b->first_next;
}

static bool are_equal(const struct mpj_schedule *a, const struct mpj_schedule *b)
{
  if (a->operation != b->operation || a->algorithm != b->algorithm || a->root != b->root ||
      a->variant != b->variant || a->nsteps != b->nsteps || a->nnext != b->nnext ||
      a->noperands != b->noperands || a->ntemporaries != b->ntemporaries ||
      a->nexpected != b->nexpected || a->nposted != b->nposted ||
      a->await_words != b->await_words || a->meets != b->meets || a->judges != b->judges ||
      a->gives_up != b->gives_up)
    return false;
  for (unsigned i = 0; i < a->nsteps; i++)
    if (!are_equal_steps(&a->steps[i], &b->steps[i])) return false;
  return memcmp(a->operands, b->operands, rest_bytes(a)) == 0 &&
         mpj_part_list_equal(&a->lists[0], &b->lists[0]) &&
         mpj_part_list_equal(&a->lists[1], &b->lists[1]);
}

static struct mpj_schedule **chain_of(const struct mpj_shared *set, const struct mpj_schedule *s)
{
  return &set->chains[hash_of(s) & (set->room - 1)];
}

static bool grow(struct mpj_shared *set)
{
  struct mpj_schedule **old = set->chains;
  const size_t before = set->room, room = before > 0 ? 2 * before : FIRST_ROOM;
  struct mpj_schedule **chains = mpj_alloc_array(room, sizeof(struct mpj_schedule *));
  if (!chains) return before > 0; /* the chains get longer */
  set->chains = chains;
  set->room = room;
  for (size_t i = 0; i < before; i++)
    for (struct mpj_schedule *s = old[i], *next; s; s = next) {
      struct mpj_schedule **chain = chain_of(set, s);
      next = s->chain;
      s->chain = *chain;
      *chain = s;
    }
  mpj_free(old);
  return true;
}

struct mpj_schedule *mpj_schedule_share(struct mpj_shared *set, struct mpj_schedule *s, int rank,
                                        int size)
{
  if (set->n >= set->room && !grow(set)) return NULL;
  for (unsigned i = 0; i < s->nsteps; i++) {
    int32_t *peer = &s->steps[i].peer;
    if (*peer >= 0) *peer = *peer >= rank ? *peer - rank : *peer + (size - rank);
  }
  struct mpj_schedule **chain = chain_of(set, s);
  for (struct mpj_schedule *one = *chain; one; one = one->chain)
    if (are_equal(one, s)) {
      one->sharers++;
      mpj_schedule_drop(s);
      return one;
    }
  s->sharers = 1;
  s->set = set;
  s->chain = *chain;
  *chain = s;
  set->n++;
  return s;
}

static void take_out(struct mpj_schedule *s)
{
  struct mpj_schedule **link = chain_of(s->set, s);
  while (*link != s)
    link = &(*link)->chain;
  *link = s->chain;
  s->set->n--;
}

void mpj_schedule_free(struct mpj_schedule *s)
{
  if (!s || (s->set && --s->sharers > 0)) return;
  if (s->set) take_out(s);
  mpj_plans_free(s->plans);
  mpj_schedule_drop(s);
}

void mpj_shared_begin(struct mpj_shared *set, size_t scratch_bytes)
{
  *set = (struct mpj_shared){0};
  mpj_scratch_begin(&set->scratch, scratch_bytes);
}

void mpj_shared_end(struct mpj_shared *set)
{
  mpj_free(set->chains);
  mpj_scratch_end(&set->scratch);
  *set = (struct mpj_shared){0};
}
