/* This file makes the calls of the tests of relays. */
#include "coll/relay_calls.h"

#include <string.h>
#include <unistd.h>

#include "coll/need.h"

static int rank_of(char name)
{
  return name <= '9' ? name - '0' : name - 'a' + 10;
}

bool relay_is_of(const char *ranks, int rank)
{
  return strchr(ranks, "0123456789abcdefghij"[rank]) != NULL;
}

bool relay_is_inner(const struct relay_rank *r)
{
  return relay_is_of(r->job->inner, r->rank);
}

bool relay_is_root(const struct relay_rank *r)
{
  return r->rank == r->job->root;
}

int relay_first_of(const char *ranks)
{
  return rank_of(ranks[0]);
}

int relay_last_of(const char *ranks)
{
  return rank_of(ranks[strlen(ranks) - 1]);
}

void relay_say(struct relay_rank *r)
{
  atomic_store(&r->job->board->entered[r->rank], r->round);
}

bool relay_hear(const struct relay_rank *r, const char *ranks)
{
  int ms = 0;
  for (const char *name = ranks; *name; name++)
    while (atomic_load(&r->job->board->entered[rank_of(*name)]) < r->round) {
      if (ms++ > RELAY_PATIENCE_MS) return false;
      usleep(1000);
    }
  return true;
}

/* Of a call with n ints: how many of them a rank gets, and the i'th of them. */
static int count_of(const struct relay_rank *r, int n, int rank)
{
  if (!r->job->scatters) return n;
  return rank % 5 == 4 ? 0 : n / (1 + rank % 3) + 1;
}

static int value_of(const struct relay_rank *r, int n, int rank, int i)
{
  return 3 * i + n + (r->job->scatters ? 1000 * rank : 0);
}

int relay_type(const struct relay_rank *r, int n, int more, MPJ_Datatype *type)
{
  const int count = count_of(r, n, r->rank) + more;
  const int status = relay_is_inner(r) ? MPJ_Type_vector(count, 1, 2, MPJ_INT, type)
                                       : MPJ_Type_contiguous(count, MPJ_INT, type);
  return status ? status : MPJ_Type_commit(type);
}

static int apart(const struct relay_rank *r)
{
  return relay_is_inner(r) ? 2 : 1;
}

void relay_fill(struct relay_rank *r, int n)
{
  const bool gives = relay_is_root(r) && !r->job->scatters;
  for (int i = 0; i < count_of(r, n, r->rank); i++)
    r->buf[i * apart(r)] = gives ? value_of(r, n, r->rank, i) : -1;
  for (int rank = 0, at = 0; r->all && rank < r->size; rank++) {
    r->displ[rank] = at;
    r->length[rank] = count_of(r, n, rank);
    for (int i = 0; i < r->length[rank]; i++)
      r->all[at++] = value_of(r, n, rank, i);
    at++; /* a gap */
  }
}

bool relay_is_there(const struct relay_rank *r, int n)
{
  for (int i = 0; i < count_of(r, n, r->rank); i++)
    if (r->buf[i * apart(r)] != value_of(r, n, r->rank, i)) return false;
  return true;
}

/* Scatter; or, with a request, begin that. */
static int scatter(struct relay_rank *r, MPJ_Datatype type, MPJ_Request *request)
{
  const int root = r->job->root;
  MPJ_Datatype parts = MPJ_DATATYPE_NULL;
  if (r->all)
    NEED(!MPJ_Type_indexed(r->size, r->length, r->displ, MPJ_INT, &parts) &&
         !MPJ_Type_commit(&parts));
  const int status = request
                         ? MPJ_Iscatter(r->all, parts, r->buf, type, root, MPJ_COMM_WORLD, request)
                         : MPJ_Scatter(r->all, parts, r->buf, type, root, MPJ_COMM_WORLD);
  if (r->all) NEED(!MPJ_Type_free(&parts));
  return status;
}

int relay_call(struct relay_rank *r, MPJ_Datatype type)
{
  return r->job->scatters ? scatter(r, type, NULL)
                          : MPJ_Bcast(r->buf, type, r->job->root, MPJ_COMM_WORLD);
}

int relay_begin_call(struct relay_rank *r, MPJ_Datatype type, MPJ_Request *request)
{
  return r->job->scatters ? scatter(r, type, request)
                          : MPJ_Ibcast(r->buf, type, r->job->root, MPJ_COMM_WORLD, request);
}
