/* This file lets the ranks of a communicator agree on how a call that makes something went. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/hot.h"
#include "base/memory.h"
#include "base/status.h"
#include "coll/calls/collective.h"

/* What rank 0 says in checking mode, and then a rank that differs from it. */
struct said {
  int64_t n, serial;
  char call[64];
  int64_t values[MPJ_FACTS_MAX];
};

static void say(struct said *mine, int n, const struct mpj_fact facts[])
{
  static atomic_int_fast64_t made;
  memset(mine, 0, sizeof *mine);
  mine->n = n;
  mine->serial = atomic_fetch_add(&made, 1) + 1;
  snprintf(mine->call, sizeof mine->call, "%s", mpj_entered.name ? mpj_entered.name : "");
  for (int i = 0; i < n; i++)
    mine->values[i] = facts[i].value;
}

/* The first of the numbers that differs; -1: the calls do; all: none does. */
static int64_t first_unlike(const struct said *a, const struct said *b)
{
  int64_t i = 0;
  if (strcmp(a->call, b->call) != 0) return -1;
  while (i < MPJ_FACTS_MAX && a->values[i] == b->values[i])
    i++;
  return i;
}

/* A call of several, which a rank that has failed in one before refuses, as the others are in it.
 */
static int take_part(const struct mpj_arguments *a, int status)
{
  const struct mpj_arguments refusal = {
      .operation = a->operation, .root = a->root, .comm = a->comm, .refused = status};
  return mpj_call_blocking(status ? &refusal : a);
}

/* From root to all: bytes that all know the number of. */
static int share(void *data, MPJ_Count bytes, int root, MPJ_Comm comm, int status)
{
  MPJ_Datatype row = MPJ_DATATYPE_NULL;
  if (!status) status = MPJ_Type_contiguous(bytes, MPJ_BYTE, &row);
  if (!status) status = MPJ_Type_commit(&row);
  const struct mpj_arguments a = {.operation = MPJ_OPERATION_BCAST,
                                  .root = root,
                                  .recvbuf = data,
                                  .recvtype = row,
                                  .comm = comm};
  status = take_part(&a, status);
  if (row) MPJ_Type_free(&row);
  return status;
}

enum { SENTENCE = 512 };

/* The lowest rank whose status is an error, and that; it tells all its sentence. names: which says
 * itself of which ranks it speaks. */
static int agree_on_status(MPJ_Comm comm, int status, int size, int rank, bool names)
{
  enum { CODES = 64 };
  char own[SENTENCE], told[SENTENCE] = "";
  int64_t mine = status ? (int64_t)(size - rank) * CODES + status : 0, worst = 0;
  if (status) mpj_error_untitle();
  if (status) mpj_error_keep(own, sizeof own);
  const int sent = MPJ_Allreduce(&mine, MPJ_INT64, &worst, MPJ_INT64, MPJ_MAX, comm);
  if (!status && (sent || worst == 0)) return sent;
  const int failed = size - (int)(worst / CODES), code = (int)(worst % CODES);
  if (status && failed == rank) memcpy(told, own, sizeof told);
  if (!sent && share(told, sizeof told, failed, comm, MPJ_SUCCESS)) told[0] = '\0';
  told[sizeof told - 1] = '\0';
  if (status) return mpj_error(status, "%s", own);
  if (told[0] && names) return mpj_error(code, "%s", told);
  if (told[0]) return mpj_error(code, "the call on rank %d failed: %s", failed, told);
  return mpj_error(code, "the call on rank %d failed with %s", failed, mpj_error_name(code));
}

/* The error that the first entry of a list in which this rank, `rank`, and rank 0 differ is, or
 * their texts. */
static int differ_in_list(const struct mpj_fact *fact, const char *name, int rank,
                          const MPJ_Count mine[], const MPJ_Count its[], MPJ_Count n)
{
  const int text_bytes = (int)((size_t)n * sizeof *mine);
  MPJ_Count i = 0;
  while (i < n && mine[i] == its[i])
    i++;
  if (i == n)
    return mpj_error(MPJ_ERR_ARG, "%s is another one on rank %d than on rank 0", name, rank);
  if (fact->text)
    return mpj_error(MPJ_ERR_ARG, "%s is %.*s on rank %d, %.*s on rank 0", name, text_bytes,
                     (const char *)mine, rank, text_bytes, (const char *)its);
  return mpj_error(MPJ_ERR_ARG, "%s[%" PRId64 "] is %" PRId64 " on rank %d, %" PRId64 " on rank 0",
                   name, i, mine[i], rank, its[i]);
}

/* The error of this rank, which differs from rank 0 in number `at`. list: rank 0's, [n]. */
static int differ(const struct said *mine, int rank, const struct said *first,
                  const MPJ_Count list[], MPJ_Count n, const struct mpj_fact facts[])
{
  const int64_t at = first_unlike(mine, first);
  if (at < 0)
    return mpj_error(MPJ_ERR_ARG, "rank %d has called %s, rank 0 %s", rank, mine->call,
                     first->call);
  if (at >= mine->n || at >= first->n)
    return mpj_error(MPJ_ERR_ARG,
                     "%s is given %" PRId64 " numbers on rank %d, %" PRId64 " on rank 0",
                     mine->call, mine->n, rank, first->n);
  const struct mpj_fact *fact = &facts[at];
  char name[80], texts[2][MPJ_NUMBER_BYTES];
  if (fact->field)
    snprintf(name, sizeof name, "%s[%d]%s", fact->name, fact->index, fact->field);
  else
    snprintf(name, sizeof name, "%s", fact->name);
  if (!fact->list)
    return mpj_error(MPJ_ERR_ARG, "%s is %s on rank %d, %s on rank 0", name,
                     mpj_number_text(fact->kind, mine->values[at], texts[0]), rank,
                     mpj_number_text(fact->kind, first->values[at], texts[1]));
  MPJ_Count *own = mpj_alloc_array((size_t)n, sizeof *own);
  if (!own) return mpj_error(MPJ_ERR_NO_MEM, "no memory for a list of %" PRId64 " numbers", n);
  if (fact->list(fact->of, NULL) == n) fact->list(fact->of, own);
  const int status = differ_in_list(fact, name, rank, own, list, n);
  mpj_free(own);
  return status;
}

/* Rank `least` differs from rank 0, as all know: it says how, for which rank 0 tells it the list
 * that a number stands for. A rank that fails here takes part in what follows. */
static int tell(MPJ_Comm comm, int rank, int least, const struct said *mine,
                const struct said *first, const struct mpj_fact facts[])
{
  struct said its = *mine;
  MPJ_Count n = 0, *list = NULL;
  int status = share(&its, sizeof its, least, comm, MPJ_SUCCESS);
  its.call[sizeof its.call - 1] = '\0';
  const int64_t at = first_unlike(&its, first);
  const bool listed = rank == 0 && !status && at >= 0 && at < mine->n && facts[at].list;
  if (listed) n = facts[at].list(facts[at].of, NULL);
  status = share(&n, sizeof n, 0, comm, status);
  if (!status) list = mpj_alloc_array((size_t)n, sizeof *list);
  if (!status && !list)
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for a list of %" PRId64 " numbers", n);
  if (!status && listed) facts[at].list(facts[at].of, list);
  status = share(list, n * (MPJ_Count)sizeof *list, 0, comm, status);
  if (!status && rank == least) status = differ(mine, rank, first, list, n, facts);
  mpj_free(list);
  return status;
}

/* In checking mode: compare what all say with what rank 0 does. If this rank alone has failed in
 * it, so that others do not know, it is in step with them all the same. */
static MPJ_ASIDE int compare(MPJ_Comm comm, int size, int rank, int n,
                             const struct mpj_fact facts[], MPJ_Count *serial)
{
  struct said mine, first;
  int64_t unlike, least = size;
  const struct mpj_arguments find_least = {.operation = MPJ_OPERATION_ALLREDUCE,
                                           .root = -1,
                                           .sendbuf = &unlike,
                                           .sendtype = MPJ_INT64,
                                           .recvbuf = &least,
                                           .recvtype = MPJ_INT64,
                                           .op = MPJ_MIN,
                                           .comm = comm};
  say(&mine, n, facts);
  first = mine;
  int status = share(&first, sizeof first, 0, comm, MPJ_SUCCESS);
  first.call[sizeof first.call - 1] = '\0';
  unlike = mine.n == first.n && first_unlike(&mine, &first) == MPJ_FACTS_MAX ? size : rank;
  status = take_part(&find_least, status);
  if (!status && least < size) /* all know it, or none does; `least` alone has an error of it */
    status = tell(comm, rank, (int)least, &mine, &first, facts);
  if (!status) *serial = first.serial;
  return status;
}

int mpj_array_agree_new(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[],
                        MPJ_Count *serial)
{
  int size, rank;
  *serial = 0;
  int found = MPJ_Comm_size(comm, &size);
  if (!found) found = MPJ_Comm_rank(comm, &rank);
  if (found || size == 1) return status ? status : found;
  status = agree_on_status(comm, status, size, rank, false);
  if (status || !mpj_config()->check) return status;
  return agree_on_status(comm, compare(comm, size, rank, n, facts, serial), size, rank, true);
}

int mpj_array_agree_alike(MPJ_Comm comm, int status)
{
  int size, rank;
  int found = MPJ_Comm_size(comm, &size);
  if (!found) found = MPJ_Comm_rank(comm, &rank);
  if (found || size == 1) return status ? status : found;
  return agree_on_status(comm, status, size, rank, true);
}

int mpj_array_agree(MPJ_Comm comm, int status, int n, const struct mpj_fact facts[])
{
  MPJ_Count serial;
  return mpj_array_agree_new(comm, status, n, facts, &serial);
}
