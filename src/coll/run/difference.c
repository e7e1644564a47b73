/* This file says how two ranks' calls differ. */
#include "coll/run/difference.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/comm/closing.h"
#include "coll/comm/context.h"
#include "coll/select/algorithms.h"

static void describe(struct mpj_called c, char *text, size_t size)
{
  const char *name = mpj_operation_name(c.operation);
  if (c.root >= 0)
    snprintf(text, size, "%s (root %d)", name, c.root);
  else
    snprintf(text, size, "%s", name);
}

int mpj_cause_error(const struct mpj_comm *comm, const struct mpj_cause *cause)
{
  const struct mpj_difference *d = &cause->difference;
  const int first = d->rank[1] == comm->rank ? 1 : 0, second = 1 - first;
  const struct mpj_called a = d->called[first], b = d->called[second];
  const unsigned long long number = mpj_operation_number(comm, d->sequence);
  char here[64], there[64], title[MPJ_TITLE_BYTES];
  describe(a, here, sizeof here);
  describe(b, there, sizeof there);
  if (d->persistent)
    snprintf(title, sizeof title, "start %llu of a persistent request", number);
  else
    snprintf(title, sizeof title, "operation %llu", number);
  if (mpj_called_with_other_data(a, b))
    return mpj_error(cause->code,
                     "%s, %s: rank %d sent data for %s (radix %u, segments %u), rank %d runs %s "
                     "(radix %u, segments %u): their signatures differ",
                     title, here, d->rank[second], mpj_algorithm_name(b.algorithm), b.radix,
                     b.segments, d->rank[first], mpj_algorithm_name(a.algorithm), a.radix,
                     a.segments);
  return mpj_error(cause->code, "%s is %s on rank %d, but %s on rank %d", title, here,
                   d->rank[first], there, d->rank[second]);
}

/* How often two ranks have started a persistent request. */
static int starts_error(const struct mpj_comm *comm, int other)
{
  char name[64];
  describe(comm->started_as, name, sizeof name);
  return mpj_error(
      MPJ_ERR_COMM, "starts of a persistent request of %s: %llu on rank %d, but %llu on rank %d",
      name, (unsigned long long)mpj_operation_number(comm, comm->started), comm->rank,
      (unsigned long long)mpj_operation_number(comm, comm->closing->of[other].count), other);
}

static int ended_error(const struct mpj_comm *comm, const struct mpj_cause *cause)
{
  if (mpj_cause_has_difference(cause)) return mpj_cause_error(comm, cause);
  if (comm->places) return starts_error(comm, cause->culprit);
  return mpj_error(MPJ_ERR_COMM,
                   "rank %d and rank %d have not called the same operations before operation %llu, "
                   "longer ago than is known",
                   comm->rank, cause->culprit,
                   (unsigned long long)mpj_operation_number(comm, comm->started));
}

void mpj_difference_report(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  const bool better = mpj_cause_has_difference(&c->cause) || c->open == 0;
  if (c->told || c->cause.code == 0 || !better) return;
  c->told = true;
  if (context->ended_status != MPJ_SUCCESS) return;
  context->ended_status = ended_error(comm, &c->cause);
  mpj_error_keep(context->ended_why, sizeof context->ended_why);
}
