/* This file says how two ranks' calls differ. */
#include "coll/failure/difference_report.h"

#include <stdio.h>

#include "base/status.h"
#include "coll/closing/closing.h"
#include "coll/comm/context.h"
#include "coll/select/algorithms.h"

static void describe(struct mpj_called c, char *text, size_t size)
{
  const char *name = mpj_called_name(c);
  const char *where =
      c.segments == MPJ_SEGMENTS_ELSEWHERE ? " on another communicator or request" : "";
  if (c.root >= 0)
    snprintf(text, size, "%s (root %d)%s", name, c.root, where);
  else
    snprintf(text, size, "%s%s%s", name, c.root == MPJ_SPARSE_ALLTOALL ? " of sparse types" : "",
             where);
}

/* "kary of radix 1 in 3 segments" */
static void describe_algorithm(struct mpj_called c, char *text, size_t size)
{
  char radix[24] = "", segments[24] = "";
  const struct mpj_algorithm *a = mpj_algorithm_row(c.algorithm);
  if (c.radix > 0 && !(a && a->fixed_radix)) snprintf(radix, sizeof radix, " of radix %u", c.radix);
  if (c.segments > 1) snprintf(segments, sizeof segments, " in %u segments", c.segments);
  snprintf(text, size, "%s%s%s", mpj_algorithm_name(c.algorithm), radix, segments);
}

/* The public function of which this rank's operation `sequence` is a part, while it has not ended;
 * else NULL. */
static const char *own_whole(const struct mpj_comm *comm, uint32_t sequence)
{
  const uint32_t ahead = sequence - (uint32_t)comm->completed;
  if (ahead >= comm->started - comm->completed) return NULL;
  const struct mpj_slot *slot = mpj_comm_slot(comm, comm->completed + ahead);
  return slot->active ? slot->call->part_of : NULL;
}

int mpj_cause_error(const struct mpj_comm *comm, const struct mpj_cause *cause)
{
  const struct mpj_difference *d = &cause->difference;
  const int first = d->rank[1] == comm->rank ? 1 : 0, second = 1 - first;
  const struct mpj_called a = d->called[first], b = d->called[second];
  /* A start is told on the user's communicator, too, where a check may have numbers of its own. */
  const unsigned long long number =
      d->made_by != 0 ? d->sequence : mpj_operation_number(comm, d->sequence);
  char here[96], there[96], title[MPJ_TITLE_BYTES];
  describe(a, here, sizeof here);
  describe(b, there, sizeof there);
  const bool is_own = d->rank[first] == comm->rank && d->made_by == mpj_comm_made_by(comm);
  const char *whole =
      is_own && !mpj_operation_is_end(a.operation) ? own_whole(comm, d->sequence) : NULL;
  if (whole) snprintf(here, sizeof here, "%s", whole);
  if (d->made_by != 0)
    snprintf(title, sizeof title, "start %llu of the persistent request of operation %u", number,
             d->made_by - 1);
  else
    snprintf(title, sizeof title, "operation %llu", number);
  if (mpj_called_with_other_data(a, b)) {
    char algorithm_here[96], algorithm_there[96];
    describe_algorithm(a, algorithm_here, sizeof algorithm_here);
    describe_algorithm(b, algorithm_there, sizeof algorithm_there);
    return mpj_error(cause->code,
                     "%s, %s: the signatures of rank %d and rank %d differ, so %s runs on rank %d, "
                     "but %s on rank %d",
                     title, here, d->rank[first], d->rank[second], algorithm_here, d->rank[first],
                     algorithm_there, d->rank[second]);
  }
  return mpj_error(cause->code, "%s is %s on rank %d, but %s on rank %d", title, here,
                   d->rank[first], there, d->rank[second]);
}

/* How often two ranks have started a persistent request. */
static int starts_error(const struct mpj_comm *comm)
{
  const struct mpj_ending *other = &comm->closing->partner;
  char name[96];
  describe(comm->started_as, name, sizeof name);
  return mpj_error(
      MPJ_ERR_COMM,
      "starts of the persistent request of operation %u, %s: %llu on rank %d, but %llu on rank %d",
      mpj_comm_made_by(comm) - 1, name,
      (unsigned long long)mpj_operation_number(comm, comm->started), comm->rank,
      (unsigned long long)mpj_operation_number(comm, other->count), other->rank);
}

static int ended_error(const struct mpj_comm *comm, const struct mpj_cause *cause)
{
  if (mpj_cause_has_difference(cause)) return mpj_cause_error(comm, cause);
  if (comm->places) return starts_error(comm);
  return mpj_error(MPJ_ERR_COMM,
                   "rank %d and rank %d have not called the same operations before operation %llu, "
                   "longer ago than is known",
                   comm->rank, cause->culprit,
                   (unsigned long long)mpj_operation_number(comm, comm->started));
}

static void keep_for_finalize(struct mpj_context *context, int status)
{
  context->ended_status = status;
  mpj_error_store(&context->ended_why);
}

void mpj_difference_of_broken(struct mpj_comm *comm)
{
  struct mpj_cause cause = comm->broken;
  if (comm->reported || !mpj_cause_has_difference(&cause) ||
      comm->context->ended_status != MPJ_SUCCESS)
    return;
  cause.code = MPJ_ERR_COMM; /* who called MPJ_Finalize is no lost peer to itself */
  keep_for_finalize(comm->context, mpj_cause_error(comm, &cause));
}

void mpj_difference_unheard(struct mpj_comm *comm)
{
  const bool heard = comm->reported || comm->broken.culprit >= 0;
  if (heard || comm->broken.code != MPJ_ERR_COMM || comm->context->ended_status != MPJ_SUCCESS)
    return;
  keep_for_finalize(comm->context,
                    mpj_error(MPJ_ERR_COMM, "%s", mpj_error_stored(comm->broken_why)));
}

int mpj_stray_error(const struct mpj_comm *comm)
{
  char title[MPJ_TITLE_BYTES];
  return mpj_error(
      MPJ_ERR_SIGNATURE,
      "%s, MPJ_Alltoall of sparse types: rank %d sent data to rank %d, where part %d of "
      "recvtype is empty",
      mpj_operation_title(comm, comm->stray, title), comm->stray_from, comm->rank,
      comm->stray_from);
}

void mpj_difference_of_stray(struct mpj_comm *comm)
{
  if (!comm->strayed) return;
  comm->strayed = false;
  if (comm->context->ended_status == MPJ_SUCCESS)
    keep_for_finalize(comm->context, mpj_stray_error(comm));
}

void mpj_difference_report(struct mpj_comm *comm)
{
  struct mpj_closing *c = comm->closing;
  struct mpj_context *context = comm->context;
  const bool better = mpj_cause_has_difference(&c->cause) || c->verdict != MPJ_ENDING_SUMMARY;
  if (c->reported || c->cause.code == 0 || !better) return;
  c->reported = true;
  if (context->ended_status != MPJ_SUCCESS) return;
  keep_for_finalize(context, ended_error(comm, &c->cause));
}
