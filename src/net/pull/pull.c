/* This file keeps the table of pulls under way. */
#include "net/pull/pull.h"

#include "base/status.h"
#include "net/cells/exposure.h"

int mpj_pull_withdrawn(const struct mpj_pulls *t, int source)
{
  return mpj_error(MPJ_ERR_INTERNAL, "rank %d withdrew the data that rank %d was to pull", source,
                   t->rank);
}

int mpj_pull_lost(const struct mpj_pulls *t, int source)
{
  return mpj_error(MPJ_ERR_PEER, "rank %d died or left while rank %d waited for its data", source,
                   t->rank);
}

uint64_t mpj_pull_id(const struct mpj_pulls *t, const struct mpj_pull *p)
{
  return (uint64_t)p->generation << 32 | (uint64_t)(p - t->pull);
}

struct mpj_pull *mpj_pull_by_id(struct mpj_pulls *t, uint64_t id, int source)
{
  const uint64_t i = id & 0xffffffff;
  if (i >= MPJ_PULLS) return NULL;
  struct mpj_pull *p = &t->pull[i];
  return p->mover && p->generation == id >> 32 && p->source == source ? p : NULL;
}

void mpj_pull_put(struct mpj_pull *p, const void *data, MPJ_Count bytes)
{
  if (!p->how.take) {
    mpj_cursor_unpack(p->dst, data, bytes);
    return;
  }
  p->how.take(p->how.arg, data, bytes);
  p->taken += bytes;
  mpj_cursor_seek(p->dst, p->dst->offset + bytes);
}

/* Give what lies in dst, which is dense, to who takes it. */
static void take_rest(struct mpj_pull *p)
{
  const MPJ_Count left = p->dst->bytes - p->first - p->taken;
  if (left > 0) p->how.take(p->how.arg, p->dst->origin + p->first + p->taken, left);
}

static void tell_time(const struct mpj_pull *p)
{
  const int64_t now = mpj_clock_ns();
  if (mpj_pull_takes_turns(p) && p->tried->turn == p->how.turn)
    mpj_tried_end(p->tried, p->how.turn, now);
  else
    mpj_tried_note(p->tried, p->way, p->dst->bytes - p->first, now - p->begun);
}

static void set_free(struct mpj_pulls *t, struct mpj_pull *p, int status)
{
  if (status == MPJ_SUCCESS && p->how.take) take_rest(p);
  if (status == MPJ_SUCCESS && p->tried) tell_time(p);
  p->mover = NULL;
  t->active--;
  while (t->top > 0 && !t->pull[t->top - 1].mover)
    t->top--;
}

void mpj_pull_end(struct mpj_pulls *t, struct mpj_pull *p, int status)
{
  mpj_am_complete_fn *const complete = p->complete;
  void *const arg = p->arg;
  set_free(t, p, status);
  complete(arg, status);
}

/* The one place in which it is chosen how data comes. */
void mpj_pull_choose(struct mpj_pulls *t, struct mpj_pull *p)
{
  const struct mpj_mover *const *mover = t->movers;
  while ((*mover)->can && !(*mover)->can(t, p))
    mover++;
  p->mover = *mover;
  p->step = 0;
  p->waits = 0;
}

void mpj_pull_refuse(struct mpj_pull *p)
{
  if (p->tried) mpj_tried_refuse(p->tried, p->way);
  p->tried = NULL;
}

static struct mpj_pull *free_entry(struct mpj_pulls *t, int source)
{
  struct mpj_pull *found = t->top < MPJ_PULLS ? &t->pull[t->top] : NULL;
  unsigned from_source = 0;
  for (unsigned i = 0; i < t->top; i++) {
    if (!t->pull[i].mover)
      found = &t->pull[i];
    else if (t->pull[i].source == source)
      from_source++;
  }
  return from_source < MPJ_PULLS_PER_SOURCE ? found : NULL;
}

int mpj_pulls_begin(struct mpj_pulls *t, int source, const struct mpj_am_remote *remote,
                    struct mpj_cursor *dst, const struct mpj_pull_how *how,
                    mpj_am_complete_fn *complete, void *arg)
{
  if (mpj_exposure_index(remote->id) >= MPJ_EXPOSURES)
    return mpj_error(MPJ_ERR_INTERNAL, "rank %d offered data under a malformed id", source);
  struct mpj_pull *p = free_entry(t, source);
  bool moved = false;
  if (!p) return MPJ_AM_AGAIN;
  *p = (struct mpj_pull){.generation = p->generation + 1,
                         .source = source,
                         .remote = *remote,
                         .dst = dst,
                         .first = dst->offset,
                         .complete = complete,
                         .arg = arg};
  if (how)
    p->how = *how;
  else
    p->how.turn = t->turns++;
  mpj_pull_choose(t, p);
  if (!(p->mover->ways >> p->way & 1)) mpj_pull_refuse(p);
  t->active++;
  if (p == &t->pull[t->top]) t->top++;
  t->transport->mover = p->mover->name;
  const int status = p->mover->move(t, p, &moved);
  if (status != MPJ_AM_PENDING) set_free(t, p, status);
  return status;
}

bool mpj_pulls_poll(struct mpj_pulls *t)
{
  bool moved = false;
  for (unsigned i = 0; i < t->top; i++) {
    struct mpj_pull *p = &t->pull[i];
    if (!p->mover) continue;
    const int status = p->mover->move(t, p, &moved);
    if (status == MPJ_AM_PENDING) continue;
    mpj_pull_end(t, p, status);
    moved = true;
  }
  return moved;
}

void mpj_pulls_stop(struct mpj_pulls *t, void (*idle)(void *ctx, unsigned *idle), void *ctx)
{
  for (unsigned i = 0; i < t->top; i++) {
    struct mpj_pull *p = &t->pull[i];
    unsigned count = 0;
    while (p->mover && p->mover->stop && !p->mover->stop(t, p))
      idle(ctx, &count);
  }
}
