/* This file bounds the scratch memory of a schedule. */
#include <inttypes.h>

#include "array/negotiate.h"
#include "array/run/rounds.h"
#include "array/run/rounds_make.h"
#include "array/schedule_life.h"
#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

static size_t peers_in(const struct mpj_patches *p)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n; i = mpj_patches_of(p, i))
    n++;
  return n;
}

/* Bytes of scratch for an element of a round: where it is received, which each sender's may be; its
 * packed form and, to fetch, what was there before. A round's image has as many for each receiver:
 * their places, and sums with what is added to them. */
static int64_t scratch_of_element(const struct mpj_array_schedule *s)
{
  const int64_t senders = s->overlap ? 1 : (int64_t)peers_in(&s->out);
  const int64_t receivers = (int64_t)peers_in(&s->in);
  int64_t bytes = senders * s->true_extent + s->element_bytes * (s->dense ? 1 : 2);
  if (s->spreads) bytes += receivers * (2 * s->true_extent + s->element_bytes);
  if (s->reduces) bytes += receivers * s->true_extent;
  return bytes > 0 ? bytes : 1;
}

static int most(MPJ_Comm comm, int64_t mine, int64_t *all)
{
  return MPJ_Allreduce(&mine, MPJ_INT64, all, MPJ_INT64, MPJ_MAX, comm);
}

/* The ranks of patches, with one number for each. */
static int list_peers(const struct mpj_patches *p, struct mpj_requests_of *r)
{
  const size_t n = peers_in(p);
  r->peers = mpj_alloc_array(n, sizeof *r->peers);
  r->offsets = mpj_alloc_array(n, sizeof *r->offsets);
  if (!r->peers || !r->offsets) return mpj_error(MPJ_ERR_NO_MEM, "no memory for %zu peers", n);
  for (size_t i = 0; i < p->n; i = mpj_patches_of(p, i), r->npeers++)
    r->peers[r->npeers] = (struct mpj_asked){p->list[i].rank, 1, &r->offsets[r->npeers]};
  return MPJ_SUCCESS;
}

/* Tell those who send backward where their elements begin among all that come to this rank. */
static int exchange_starts(const struct mpj_array_schedule *s, MPJ_Comm comm,
                           struct mpj_requests_of *starts)
{
  struct mpj_requests_of own = {0};
  MPJ_Count at = 0;
  int status = list_peers(&s->out, &own);
  for (size_t i = 0, end, peer = 0; !status && i < s->out.n; i = end, peer++) {
    end = mpj_patches_of(&s->out, i);
    own.offsets[peer] = at;
    at += mpj_elements_of(s, &s->out, i, end);
  }
  if (!status) status = list_peers(&s->in, starts);
  status = mpj_array_agree(comm, status, 0, NULL);
  if (!status) status = mpj_exchange_numbers(comm, s->size, -1, &own, starts);
  mpj_requests_end(&own);
  return mpj_array_agree(comm, status, 0, NULL);
}

/* What a bound makes of a schedule: elements of a round (INT64_MAX: all), and rounds. */
struct division {
  MPJ_Count elements;
  int64_t rounds;
};

/* Nothing is changed. All members are divided over the communicator of the whole: if it breaks, no
 * rank waits in another one. */
static int divide(const struct mpj_array_schedule *s, MPJ_Comm comm, MPJ_Count bytes,
                  struct division *d)
{
  int64_t element;
  *d = (struct division){INT64_MAX, 1};
  int status = most(comm, scratch_of_element(s), &element);
  if (status || bytes == 0) return status;
  d->elements = bytes / element;
  if (d->elements == 0)
    status = mpj_error(MPJ_ERR_ARG,
                       "scratch_bytes is %" PRId64 ", an element needs %" PRId64 " in a round",
                       bytes, element);
  status = mpj_array_agree(comm, status, 0, NULL);
  if (!status) status = most(comm, mpj_rounds_needed(s, d->elements), &d->rounds);
  if (!status && d->rounds > INT32_MAX / 8)
    status = mpj_error(MPJ_ERR_ARG, "scratch_bytes is %" PRId64 ", which makes %" PRId64 " rounds",
                       bytes, d->rounds);
  if (d->rounds < 1) d->rounds = 1;
  return status;
}

static int limit(struct mpj_array_schedule *s, MPJ_Comm comm, MPJ_Count bytes,
                 const struct division *d)
{
  struct mpj_requests_of starts = {0};
  int status = bytes > 0 && s->overlap ? exchange_starts(s, comm, &starts) : MPJ_SUCCESS;
  const struct mpj_window window = {d->elements, starts.offsets};
  if (!status) starts.offsets = NULL;
  mpj_requests_end(&starts);
  if (!status) status = mpj_rounds_set(s, (int)d->rounds, window);
  if (!status) s->bound = bytes;
  return mpj_array_agree(comm, status, 0, NULL);
}

/* Runs and requests go by the rounds that there were when they began, or were made. */
static int check_runs(struct mpj_array_schedule *s)
{
  int runs = 0;
  for (int i = 0; i < mpj_array_schedule_members(s); i++)
    runs += atomic_load(&mpj_array_schedule_member(s, i)->runs);
  if (runs == 0) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_REQUEST,
                   "schedule has %d requests that have not been freed, or runs that have not ended",
                   runs);
}

int MPJ_Schedule_limit(MPJ_Schedule schedule, MPJ_Count scratch_bytes)
{
  MPJ_ENTRY;
  struct mpj_array_schedule *s;
  int status = mpj_array_schedule_resolve(schedule, "schedule", &s);
  if (status) return status;
  const int n = mpj_array_schedule_members(s);
  const struct mpj_fact facts[] = {{.name = "scratch_bytes", .value = scratch_bytes}};
  status = check_runs(s);
  if (!status && scratch_bytes < 0)
    status =
        mpj_error(MPJ_ERR_ARG, "scratch_bytes is %" PRId64 ", must be at least 0", scratch_bytes);
  struct division *divisions = mpj_alloc_array((size_t)n, sizeof *divisions);
  if (!status && !divisions) status = mpj_error(MPJ_ERR_NO_MEM, "no memory for %d schedules", n);
  status = mpj_array_agree(s->comm, status, 1, facts);
  const MPJ_Count share = scratch_bytes > 0 && scratch_bytes < n ? 1 : scratch_bytes / n;
  for (int i = 0; i < n && !status; i++)
    status = divide(mpj_array_schedule_member(s, i), s->comm, share, &divisions[i]);
  if (!status) {
    for (int i = 0; i < n && !status; i++)
      status = limit(mpj_array_schedule_member(s, i), s->comm, share, &divisions[i]);
    for (int i = 0; i < n && status; i++) /* also where it could be set */
      mpj_rounds_end(mpj_array_schedule_member(s, i));
  }
  mpj_free(divisions);
  return status;
}
