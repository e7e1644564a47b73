/* This file compares what the members of a communicator have called, when they end it. */
#include "coll/closing/closing_advance.h"

#include "base/memory.h"
#include "coll/closing/closing_show.h"
#include "coll/closing/closing_tree.h"
#include "coll/comm/context.h"
#include "coll/failure/difference.h"
#include "coll/failure/difference_report.h"

struct mpj_closing *mpj_closing_make(void)
{
  struct mpj_closing *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return NULL;
  c->least = UINT64_MAX;
  for (int i = 0; i < MPJ_CLOSING_NEIGHBOURS; i++)
    c->counts[i] = UINT64_MAX;
  c->one.rank = c->other.rank = -1;
  return c;
}

void mpj_closing_free(struct mpj_closing *c)
{
  mpj_free(c);
}

void mpj_closing_look(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  if (!c->listed || c->has_news) return;
  c->has_news = true;
  c->next_news = context->closing_news;
  if (!c->next_news) context->last_news = comm;
  context->closing_news = comm;
}

/* The same where there was no room: after all others. */
static void look_later(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  if (!context->closing_news) {
    mpj_closing_look(comm);
    return;
  }
  if (!c->listed || c->has_news) return;
  c->has_news = true;
  c->next_news = NULL;
  context->last_news->closing->next_news = comm;
  context->last_news = comm;
}

void mpj_closings_look(struct mpj_context *context)
{
  for (struct mpj_comm *comm = context->closings; comm; comm = comm->closing->next)
    mpj_closing_look(comm);
}

static void list(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  if (c->listed) return;
  c->listed = true;
  c->next = comm->context->closings;
  c->link = &comm->context->closings;
  if (c->next) c->next->closing->link = &c->next;
  comm->context->closings = comm;
}

static void unlist(struct mpj_closing *c)
{
  c->listed = false;
  *c->link = c->next;
  if (c->next) c->next->closing->link = c->link;
}

void mpj_closing_has_news(struct mpj_comm *comm)
{
  list(comm);
  mpj_closing_look(comm);
}

void mpj_closing_begin(struct mpj_comm *comm, enum mpj_operation operation)
{
  struct mpj_closing *c = comm->closing;
  if (!c || mpj_closing_has_begun(comm)) return;
  const struct mpj_ending own = mpj_ending_own(comm);
  c->operation = (uint8_t)operation;
  if (c->one.rank < 0)
    c->ended_by = c->operation;
  else if (c->ended_by != c->operation)
    c->ended_by = MPJ_OPERATION_NONE;
  c->least = UINT64_MAX;
  mpj_ending_add(c, &own);
  if (comm->undone && c->verdict == MPJ_ENDING_SUMMARY) c->verdict = MPJ_ENDING_NOTHING;
  mpj_closing_has_news(comm);
  mpj_difference_of_stray(comm);
  const struct mpj_slot *next = mpj_comm_slot(comm, comm->started);
  if (next->poison.code != 0 && next->poison_heard && next->poison_broken)
    mpj_closing_broken(comm, &next->poison); /* it was kept for a call that will not come */
}

/* Deciding */

/* Which neighbours' summaries are missing. */
static unsigned missing_from(const struct mpj_comm *comm)
{
  return mpj_closing_neighbours(comm) & ~(unsigned)comm->closing->heard;
}

/* All records are here. Who has sent a neighbour its summary has that one's: both have all. If no
 * two differ both know it; if two do, the parent, whose child is no first bit, goes on. */
static bool decide(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  if (c->other.rank < 0) {
    c->verdict = MPJ_ENDING_AGREE;
    c->know |= c->told;
    return true;
  }
  if (c->told == 1 || c->decided) return false;
  if (comm->places) {
    mpj_closing_differ(comm);
    return true;
  }
  if (c->other.rank == comm->rank) mpj_closing_show(comm, c->one.rank);
  c->decided = c->showing || mpj_ending_send(comm, c->other.rank, MPJ_ENDING_SHOW);
  return c->decided;
}

/* Send the summary where it is missing, or decide. */
static bool sum_up(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  const unsigned missing = missing_from(comm);
  if (missing == 0) return decide(comm);
  if ((missing & (missing - 1)) != 0 || c->told != 0) return false;
  const int rank = mpj_closing_neighbour(comm, (unsigned)__builtin_ctz(missing));
  if (!mpj_ending_send(comm, rank, MPJ_ENDING_SUMMARY)) return false;
  c->told = (uint8_t)missing;
  return true;
}

/* Send the verdict to those that do not know it. */
static bool spread(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  unsigned left = mpj_closing_neighbours(comm) & ~(unsigned)c->know;
  bool moved = false;
  for (; left != 0; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    if (!mpj_ending_send(comm, mpj_closing_neighbour(comm, i), c->verdict)) continue;
    c->know |= (uint8_t)(1u << i);
    moved = true;
  }
  return moved;
}

static bool is_settled(const struct mpj_comm *comm)
{
  const struct mpj_closing *c = comm->closing;
  return c->verdict != MPJ_ENDING_SUMMARY &&
         (mpj_closing_neighbours(comm) & ~(unsigned)c->know) == 0;
}

/* Whether something has found no room. */
static bool has_to_send(const struct mpj_comm *comm)
{
  const struct mpj_closing *c = comm->closing;
  const unsigned missing = missing_from(comm);
  if (c->verdict != MPJ_ENDING_SUMMARY) return !is_settled(comm);
  if (missing == 0) return c->showing || (c->told != 1 && !c->decided);
  return c->showing || (c->told == 0 && (missing & (missing - 1)) == 0);
}

bool mpj_closing_advance(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  bool moved = false;
  if (comm->broken.code != 0) {
    mpj_closing_note_broken(comm);
    if (c->verdict == MPJ_ENDING_SUMMARY) c->verdict = MPJ_ENDING_BROKEN;
  }
  if (c->verdict == MPJ_ENDING_SUMMARY) moved |= sum_up(comm);
  if (c->verdict != MPJ_ENDING_SUMMARY) {
    c->showing = false;
    moved |= spread(comm);
  }
  if (c->showing) moved |= mpj_closing_show_more(comm);
  if (has_to_send(comm)) look_later(comm);
  return moved;
}

/* What is found is for MPJ_Finalize to return. Where a ring is full there may be thousands that
 * find no room in it: a few are tried at a time, in turn, each once. */
bool mpj_closings_advance(struct mpj_context *context)
{
  enum { IN_VAIN = 16 };
  const struct mpj_comm *first = NULL;
  bool moved = false;
  for (int in_vain = 0; in_vain < IN_VAIN;) {
    struct mpj_comm *comm = context->closing_news;
    if (!comm || comm == first) break;
    struct mpj_closing *c = comm->closing;
    context->closing_news = c->next_news;
    c->has_news = false;
    moved |= mpj_closing_advance(comm);
    mpj_difference_report(comm);
    if (c->has_news) {
      if (in_vain++ == 0) first = comm;
    } else if (is_settled(comm)) {
      unlist(c);
      moved = true;
    }
  }
  return moved;
}

/* What comes */

/* Operations of this rank that may need the others have to look. */
static void look_again(struct mpj_comm *comm, uint64_t count)
{
  for (uint64_t n = comm->completed > count ? comm->completed : count; n < comm->started; n++)
    if (mpj_comm_slot(comm, n)->active) mpj_comm_slot(comm, n)->look_again = true;
}

/* All ranks behind a neighbour have ended WORLD. */
static void note_leaving(const struct mpj_comm *comm, unsigned i)
{
  int64_t first = mpj_closing_neighbour(comm, i), last = first;
  for (int rank = 0; i == 0 && rank < comm->size; rank++)
    if (rank != comm->rank && mpj_closing_side(comm, rank) == 0)
      mpj_net_note_leaving(comm->net, rank);
  while (i > 0 && first < comm->size) { /* a level of the tree at a time */
    for (int64_t rank = first; rank <= last && rank < comm->size; rank++)
      mpj_net_note_leaving(comm->net, (int)rank);
    first = first * MPJ_CLOSING_CHILDREN + 1;
    last = (last + 1) * MPJ_CLOSING_CHILDREN;
  }
}

/* What a rank that has not ended it learns from a summary: those who ask are told more. */
static void learn(struct mpj_comm *comm, unsigned i, const struct mpj_ending *one, bool all_alike)
{
  struct mpj_closing *c = comm->closing;
  if (comm->id == MPJ_WORLD_ID) note_leaving(comm, i);
  if (!all_alike) return;
  c->counts[i] = one->count;
  if (one->count < c->least) c->least = one->count;
  look_again(comm, one->count);
}

static void add_summary(struct mpj_comm *comm, unsigned set, const struct mpj_arrival_message *m)
{
  struct mpj_closing *c = comm->closing;
  const unsigned i = (unsigned)__builtin_ctz(set);
  const bool by_one = mpj_operation_is_end(m->radix);
  struct mpj_ending one, other;
  if (c->heard & set) return;
  c->heard |= (uint8_t)set;
  c->ends[i] = by_one ? m->radix : MPJ_OPERATION_NONE;
  if (c->one.rank < 0)
    c->ended_by = c->ends[i];
  else if (c->ended_by != c->ends[i])
    c->ended_by = MPJ_OPERATION_NONE;
  mpj_ending_said(comm, m, &one, &other);
  mpj_ending_add(c, &one);
  mpj_ending_add(c, &other);
  if (!mpj_closing_has_begun(comm)) learn(comm, i, &one, by_one && one.rank >= 0 && other.rank < 0);
}

/* Where this rank has not ended it, there can be no verdict on all records. */
static void take_verdict(struct mpj_comm *comm, unsigned set, const struct mpj_arrival_message *m)
{
  struct mpj_closing *c = comm->closing;
  const bool on_all = m->bit == MPJ_ENDING_AGREE || m->bit == MPJ_ENDING_DIFFER;
  if (on_all && !mpj_closing_has_begun(comm)) return;
  c->know |= (uint8_t)set;
  if (c->verdict != MPJ_ENDING_SUMMARY) return;
  if (m->bit == MPJ_ENDING_DIFFER) {
    struct mpj_ending one, other;
    mpj_ending_said(comm, m, &one, &other);
    if (one.rank >= 0 && other.rank >= 0) {
      c->one = one;
      c->other = other;
      mpj_closing_differ(comm);
    }
  }
  c->verdict = (uint8_t)m->bit;
}

void mpj_closing_heard(struct mpj_comm *comm, int source, const struct mpj_arrival_message *m)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_ending to, other;
  const unsigned set = mpj_closing_set_of(comm, source);
  if (!mpj_operation_is_end(m->operation)) return;
  if (comm->id == MPJ_WORLD_ID && m->bit != MPJ_ENDING_ASK) mpj_net_note_leaving(comm->net, source);
  if (m->bit == MPJ_ENDING_SHOW) {
    mpj_ending_said(comm, m, &to, &other);
    if (!mpj_closing_has_begun(comm) || c->next_shown > 0 || to.rank < 0 || to.rank == comm->rank)
      return;
    mpj_closing_show(comm, to.rank);
  } else if (set == 0 || m->bit == MPJ_ENDING_ASK) {
    return;
  } else if (m->bit == MPJ_ENDING_SUMMARY) {
    add_summary(comm, set, m);
  } else {
    take_verdict(comm, set, m);
  }
  if (mpj_closing_has_begun(comm)) mpj_closing_has_news(comm);
}

void mpj_closing_broken(struct mpj_comm *comm, const struct mpj_cause *cause)
{
  if (comm->broken.code != 0) return;
  comm->broken = *cause;
  mpj_closing_has_news(comm);
}

void mpj_closing_settle_gone(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  unsigned left = mpj_closing_neighbours(comm) & ~(unsigned)c->know;
  for (; left != 0; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctz(left);
    const int world = mpj_comm_member(comm, mpj_closing_neighbour(comm, i));
    if (mpj_net_peer_state(comm->net, world, NULL) < MPJ_RANK_FINALIZED) continue;
    c->know |= (uint8_t)(1u << i);
    if (c->verdict == MPJ_ENDING_SUMMARY && comm->broken.code == 0) c->verdict = MPJ_ENDING_NOTHING;
  }
}

/* Asking */

void mpj_closing_ask(struct mpj_comm *comm)
{
  const struct mpj_closing *c = comm->closing;
  unsigned missing = missing_from(comm) & ~(unsigned)c->know;
  if (c->verdict != MPJ_ENDING_SUMMARY) return;
  for (; missing != 0; missing &= missing - 1) /* where there is no room there is a next time */
    (void)mpj_ending_send(comm, mpj_closing_neighbour(comm, (unsigned)__builtin_ctz(missing)),
                          MPJ_ENDING_ASK);
}

void mpj_closing_deny(struct mpj_context *context, int world, const struct mpj_arrival_message *m)
{
  const struct mpj_arrival_message answer = {.comm = m->sequence,
                                             .kind = MPJ_ARRIVAL_ENDED,
                                             .operation = MPJ_OPERATION_FINALIZE,
                                             .bit = MPJ_ENDING_NOTHING};
  if (!context->world || !mpj_closing_has_begun(context->world)) return; /* it may yet join it */
  (void)mpj_net_short(context->net, world, MPJ_AM_COLLECTIVE, &answer, sizeof answer);
}
