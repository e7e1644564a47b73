/* This file counts a rank's collectives, and writes them into its trace. */
#include "coll/run/tally.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/wtime.h"
#include "coll/comm/context.h"
#include "coll/select/algorithms.h"

void mpj_tally_begin(struct mpj_context *context)
{
  if (!context->net || !context->net->watch) return;
  context->tally = mpj_alloc_array(1, sizeof *context->tally);
  if (context->tally)
    context->tally->watch = context->net->watch;
  else
    mpj_warn("no memory for the statistics of rank %d's collectives", context->net->rank);
}

static uint64_t sum(const uint64_t n[], unsigned count)
{
  uint64_t all = 0;
  for (unsigned i = 0; i < count; i++)
    all += n[i];
  return all;
}

/* The whole table in one write, so that those of several ranks do not mix. */
static void print(const struct mpj_tally *t, int rank)
{
  char *text = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&text, &size);
  if (!f) return;
  fprintf(f,
          "mpj: rank %d: collectives\n"
          "  %-18s %10s %10s %10s %10s %10s %10s %10s %10s %10s %10s %10s %12s\n",
          rank, "", "calls", "new plans", "walked", "listed", "inline", "eager", "long", "posted",
          "put", "FIFO", "relayed", "bytes");
  for (unsigned op = MPJ_OPERATION_BARRIER; op < MPJ_OPERATIONS; op++) {
    const uint64_t *ran = t->ran[op], *sent = t->sent[op];
    const unsigned long long calls = sum(ran, MPJ_RANS);
    if (calls == 0 && t->relayed[op] == 0) continue;
    fprintf(f, "  %-18s %10llu %10llu", mpj_operation_name(op), calls,
            (unsigned long long)t->bound[op]);
    for (unsigned k = 0; k < MPJ_RANS; k++)
      fprintf(f, " %10llu", (unsigned long long)ran[k]);
    for (unsigned k = 0; k < MPJ_SENTS; k++)
      fprintf(f, " %10llu", (unsigned long long)sent[k]);
    fprintf(f, " %10llu %12llu\n", (unsigned long long)t->relayed[op],
            (unsigned long long)t->relayed_bytes[op]);
  }
  if (fclose(f) == 0) fwrite(text, 1, size, stderr);
  free(text);
}

void mpj_tally_end(struct mpj_context *context)
{
  if (!context->tally) return;
  if (mpj_config()->stats) print(context->tally, context->net->rank);
  mpj_free(context->tally);
  context->tally = NULL;
}

/* The exchanges before an operation and of an init are none of the user's operations, nor is a part
 * of another function's call. */
static bool counts(const struct mpj_schedule *s)
{
  return s->operation > MPJ_OPERATION_NONE && s->operation < MPJ_OPERATIONS &&
         mpj_schedule_name(s) == mpj_operation_name(s->operation);
}

void mpj_tally_bound(const struct mpj_comm *comm, const struct mpj_schedule *s)
{
  if (counts(s)) comm->context->tally->bound[s->operation]++;
}

/* The first track on which nothing is under way; where there is something on all, the last one. */
static unsigned take_track(struct mpj_tally *t)
{
  unsigned track = 0;
  while (track < MPJ_TRACE_MESSAGES - 1 && t->tracks >> track & 1)
    track++;
  t->tracks |= UINT64_C(1) << track;
  return track;
}

void mpj_tally_open(const struct mpj_comm *comm, struct mpj_slot *slot)
{
  const int64_t now = mpj_clock_ns();
  slot->noted = mpj_alloc(sizeof *slot->noted);
  if (slot->noted)
    *slot->noted = (struct mpj_noted){.comm = comm,
                                      .ran = MPJ_RAN_WALKED,
                                      .track = take_track(comm->context->tally),
                                      .begun = now,
                                      .last_step = now};
}

void mpj_tally_listed(struct mpj_slot *slot)
{
  struct mpj_noted *n = slot->noted;
  n->ran = MPJ_RAN_LISTED;
  if (slot->done == slot->schedule->nsteps) return;
  n->tried = mpj_alloc_array(slot->schedule->nsteps, sizeof *n->tried);
  if (n->tried) n->tried[slot->done] = n->last_step; /* where the walk ended */
}

void mpj_tally_try(const struct mpj_slot *slot, unsigned i)
{
  int64_t *tried = slot->noted->tried;
  if (tried && tried[i] == 0) tried[i] = mpj_clock_ns();
}

void mpj_tally_forget(struct mpj_slot *slot)
{
  mpj_free(slot->noted->tried);
  mpj_free(slot->noted);
  slot->noted = NULL;
}

void mpj_tally_close(struct mpj_slot *slot)
{
  const struct mpj_noted *n = slot->noted;
  const struct mpj_schedule *s = slot->schedule;
  struct mpj_tally *t = n->comm->context->tally;
  if (counts(s)) t->ran[s->operation][n->ran]++;
  t->tracks &= ~(UINT64_C(1) << n->track);
  const bool chosen = s->operation > MPJ_OPERATION_NONE && s->operation < MPJ_OPERATIONS;
  mpj_watch_span(t->watch, n->track, mpj_called_name(s->called),
                 chosen ? mpj_algorithm_name(s->algorithm) : NULL, "operation",
                 (int64_t)mpj_operation_number(n->comm, (uint32_t)slot->sequence), n->begun);
  mpj_tally_forget(slot);
}

/* What both ends of a message call it. `control` is the communicator's id at the receiver. Where
 * the data may be posted, one post is for many steps, and the bit is left out. */
static uint64_t message_name(uint32_t control, uint64_t sequence, int from, int to, unsigned bit)
{
  uint64_t name = UINT64_C(0xcbf29ce484222325);
  const uint64_t words[] = {control, (uint32_t)sequence, (uint64_t)from << 32 | (uint32_t)to, bit};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    name = (name ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
  return name;
}

/* It leaves when its step begins, and has come when its step ends: so no arrow goes back in time.
 * What a relay has sent before the call has its arrow from there. */
static void add_arrow(const struct mpj_slot *slot, const struct mpj_step *step, int64_t left)
{
  const struct mpj_comm *comm = slot->noted->comm;
  struct mpj_watch *watch = comm->context->tally->watch;
  const bool gives = step->kind == MPJ_STEP_SEND || step->kind == MPJ_STEP_SIGNAL;
  const bool takes = step->kind == MPJ_STEP_AWAIT || step->kind == MPJ_STEP_RECV;
  if (!gives && !takes) return;
  const int here = comm->net->rank, there = mpj_comm_world(comm, mpj_comm_peer(comm, step->peer));
  const uint32_t id = gives ? mpj_comm_id_at(comm, mpj_comm_peer(comm, step->peer)) : comm->id;
  const uint64_t name = message_name(id, slot->sequence, gives ? here : there, gives ? there : here,
                                     step->posted ? (unsigned)MPJ_BITS_MAX : step->bit);
  mpj_watch_arrow(watch, slot->noted->track, name, gives, gives ? left : mpj_clock_ns());
}

/* When a step's data left: as the step was begun, or with the post that serves it, too. */
static int64_t left(const struct mpj_slot *slot, unsigned i)
{
  struct mpj_noted *n = slot->noted;
  const struct mpj_step *step = &slot->schedule->steps[i];
  const int64_t begun = n->tried && n->tried[i] ? n->tried[i] : n->last_step;
  if (step->kind == MPJ_STEP_POST) n->posted = begun;
  return step->posted && slot->posted && n->posted ? n->posted : begun;
}

void mpj_tally_step(const struct mpj_slot *slot, unsigned i)
{
  static const char *const names[] = {
      [MPJ_STEP_SIGNAL] = "signal", [MPJ_STEP_AWAIT] = "await",   [MPJ_STEP_MEET] = "meet",
      [MPJ_STEP_POST] = "post",     [MPJ_STEP_SEND] = "send",     [MPJ_STEP_RECV] = "receive",
      [MPJ_STEP_COPY] = "copy",     [MPJ_STEP_REDUCE] = "reduce", [MPJ_STEP_JUDGE] = "judge"};
  static_assert(sizeof names / sizeof *names == MPJ_STEP_JUDGE + 1, "every kind has a name");
  const struct mpj_step *step = &slot->schedule->steps[i];
  const struct mpj_comm *comm = slot->noted->comm;
  const int64_t begun = slot->noted->last_step;
  const int64_t at = left(slot, i);
  if (!slot->relayed || !slot->forwarded[i]) add_arrow(slot, step, at);
  mpj_watch_span(comm->context->tally->watch, slot->noted->track, names[step->kind], NULL, "peer",
                 step->peer < 0 ? -1 : mpj_comm_world(comm, mpj_comm_peer(comm, step->peer)),
                 begun);
  slot->noted->last_step = mpj_clock_ns();
}

void mpj_tally_sent(const struct mpj_comm *comm, const struct mpj_schedule *s, enum mpj_sent way)
{
  if (counts(s)) comm->context->tally->sent[s->operation][way]++;
}

void mpj_tally_relayed(const struct mpj_comm *comm, uint64_t sequence,
                       const struct mpj_arrival_message *m, int peer, bool first, int64_t begun)
{
  struct mpj_tally *t = comm->context->tally;
  const int here = comm->net->rank, there = mpj_comm_world(comm, peer);
  const uint64_t name =
      message_name(mpj_comm_id_at(comm, peer), sequence, here, there, (unsigned)m->bit);
  t->relayed[m->operation] += first;
  t->relayed_bytes[m->operation] += (uint64_t)mpj_message_bytes(m);
  mpj_watch_arrow(t->watch, MPJ_TRACE_MESSAGES, name, true, begun);
  mpj_watch_span(t->watch, MPJ_TRACE_MESSAGES, "relay", NULL, "peer", there, begun);
}
