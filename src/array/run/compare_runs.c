/* This file compares how ranks run a schedule.
 *
 * Cost: an Allreduce of 16 bytes, in checking mode of 64, whatever the number of ranks. */
#include "array/run/compare_runs.h"

#include <inttypes.h>
#include <string.h>

#include "array/describe/grid_array.h"
#include "base/config/config.h"
#include "base/entry.h"
#include "base/status.h"
#include "coll/check/op_record.h"

/* A word is a value and, below it, the complement of a rank. */
enum { RANK_BITS = 20, VALUE_BITS = 63 - RANK_BITS, DIGEST_BITS = 28, REDUCE_USER = 255 };
enum { OP_BITS = DIGEST_BITS + 9 }; /* above them is the call */
static const int64_t most_rank = (INT64_C(1) << RANK_BITS) - 1;
static const int64_t most_value = (INT64_C(1) << VALUE_BITS) - 1;

/* The functions that run schedules. */
static const char *const calls[] = {"another function",
                                    "MPJ_Schedule_forward",
                                    "MPJ_Schedule_backward",
                                    "MPJ_Schedule_fetch_op",
                                    "MPJ_Schedule_iforward",
                                    "MPJ_Schedule_ibackward",
                                    "MPJ_Schedule_forward_init",
                                    "MPJ_Schedule_backward_init",
                                    "MPJ_Schedule_ifetch_op",
                                    "MPJ_Schedule_fetch_op_init",
                                    "MPJ_Remap",
                                    "MPJ_Remap_between",
                                    "MPJ_Halo",
                                    "MPJ_Shift",
                                    "MPJ_Subscript",
                                    "MPJ_Graph"};

bool mpj_run_needs_comparison(const struct mpj_array_schedule *s, enum mpj_direction direction)
{
  if (s->size == 1) return false;
  return mpj_config()->check || (direction != MPJ_FORWARD && mpj_run_has_copies(s));
}

static int64_t number_of_call(void)
{
  int64_t i = (int64_t)(sizeof calls / sizeof *calls) - 1;
  while (i > 0 && (!mpj_entered.name || strcmp(calls[i], mpj_entered.name) != 0))
    i--;
  return i;
}

static int64_t fold(uint64_t hash, int bits)
{
  return (int64_t)((hash ^ hash >> bits) & ((UINT64_C(1) << bits) - 1));
}

/* An op as a value: which one, whether it commutes, and its elements. */
static int64_t value_of_op(const struct mpj_op_record *op)
{
  const int64_t reduce = op->reduce < 0 ? REDUCE_USER : op->reduce;
  const int64_t which = reduce << 1 | op->commutative;
  const uint64_t element = op->element.digest + (uint64_t)op->element.bytes;
  return which << DIGEST_BITS | fold(element, DIGEST_BITS);
}

int mpj_run_records_say(const struct mpj_schedule_run *run, struct mpj_run_records *records)
{
  struct mpj_array_schedule *s = run->schedule;
  struct mpj_op_record said = {0};
  const struct mpj_op *op;
  int status = MPJ_SUCCESS;
  if (run->direction != MPJ_FORWARD) {
    status = mpj_op_resolve(run->op, &op);
    if (status) return status;
    mpj_op_record_fill(&said, op);
  }
  const int64_t values[MPJ_RUN_FACTS] = {[MPJ_RUN_HOW] =
                                             number_of_call() << OP_BITS | value_of_op(&said),
                                         [MPJ_RUN_SERIAL] = s->serial & most_value,
                                         [MPJ_RUN_FILE] = fold(said.file, VALUE_BITS),
                                         [MPJ_RUN_FUNCTION] = fold(said.function, VALUE_BITS)};
  const int64_t rank = s->rank < most_rank ? most_rank - s->rank : 0;
  for (int i = 0; i < MPJ_RUN_FACTS; i++) {
    records->mine[2 * i] = values[i] << RANK_BITS | rank;
    records->mine[2 * i + 1] = (most_value - values[i]) << RANK_BITS | rank;
  }
  if (s->facts) return MPJ_SUCCESS;
  const int facts = mpj_config()->check ? MPJ_RUN_FACTS : MPJ_RUN_HOW + 1;
  status = MPJ_Type_contiguous(2 * facts, MPJ_INT64, &s->facts);
  if (!status) status = MPJ_Type_commit(&s->facts);
  if (status && s->facts) MPJ_Type_free(&s->facts);
  return status;
}

void mpj_run_records_fill(const struct mpj_schedule_run *run, struct mpj_run_records *records,
                          struct mpj_arguments *a)
{
  a->sendbuf = records->mine;
  a->recvbuf = records->all;
  a->sendtype = a->recvtype = run->schedule->facts;
  a->op = MPJ_MAX;
}

/* Two ranks' values, the lower rank's first. */
struct unlike {
  int rank[2];
  int64_t value[2];
};

static bool differs(const struct mpj_run_records *records, enum mpj_run_fact fact, struct unlike *u)
{
  const int64_t *words = &records->all[2 * fact];
  const int64_t greatest = words[0] >> RANK_BITS, least = most_value - (words[1] >> RANK_BITS);
  const int ranks[] = {(int)(most_rank - (words[0] & most_rank)),
                       (int)(most_rank - (words[1] & most_rank))};
  const bool falls = ranks[0] < ranks[1];
  *u = (struct unlike){{ranks[!falls], ranks[falls]},
                       {falls ? greatest : least, falls ? least : greatest}};
  return greatest != least;
}

static const char *name_of_call(int64_t number)
{
  return calls[number < (int64_t)(sizeof calls / sizeof *calls) ? number : 0];
}

static const char *name_of_op(int64_t value)
{
  const int64_t reduce = value >> (DIGEST_BITS + 1) & REDUCE_USER;
  return mpj_op_name(reduce == REDUCE_USER ? -2 : (int)reduce - 1);
}

/* How the second of two ops differs, as words behind its name. */
static const char *difference_of_ops(const int64_t value[2])
{
  const int64_t first = value[0] >> DIGEST_BITS, its = value[1] >> DIGEST_BITS;
  if (first >> 1 != its >> 1) return "";
  if (first == its) return " of another elemtype";
  return its & 1 ? " that commutes" : " that does not commute";
}

int mpj_run_records_compare(const struct mpj_run_records *records)
{
  const bool checks = mpj_config()->check;
  struct unlike u;
  const bool same = !differs(records, MPJ_RUN_HOW, &u);
  const int64_t first = u.value[0] >> OP_BITS, its = u.value[1] >> OP_BITS;
  if (first != its)
    return mpj_error(MPJ_ERR_ARG, "rank %d has called %s, rank %d %s", u.rank[1], name_of_call(its),
                     u.rank[0], name_of_call(first));
  if (checks && differs(records, MPJ_RUN_SERIAL, &u))
    return mpj_error(MPJ_ERR_ARG,
                     "the serial number of schedule is %" PRId64 " on rank %d, %" PRId64
                     " on rank %d",
                     u.value[1], u.rank[1], u.value[0], u.rank[0]);
  if (!same && differs(records, MPJ_RUN_HOW, &u))
    return mpj_error(MPJ_ERR_OP, "op is %s%s on rank %d, %s on rank %d", name_of_op(u.value[1]),
                     difference_of_ops(u.value), u.rank[1], name_of_op(u.value[0]), u.rank[0]);
  if (!checks) return MPJ_SUCCESS;
  if (!differs(records, MPJ_RUN_FILE, &u) && differs(records, MPJ_RUN_FUNCTION, &u))
    return mpj_error(MPJ_ERR_OP,
                     "op is a user's operation with another function on rank %d, a user's "
                     "operation on rank %d",
                     u.rank[1], u.rank[0]);
  return MPJ_SUCCESS;
}

int mpj_run_agree(const struct mpj_schedule_run *run, int status)
{
  struct mpj_arguments a = {
      .operation = MPJ_OPERATION_ALLREDUCE, .root = -1, .comm = run->schedule->comm};
  struct mpj_run_records records;
  status = mpj_array_agree(a.comm, status, 0, NULL);
  if (status) return status;
  status = mpj_run_records_say(run, &records);
  if (!status) mpj_run_records_fill(run, &records, &a);
  a.refused = status;
  status = mpj_call_blocking(&a);
  if (!status) status = mpj_run_records_compare(&records);
  return mpj_array_agree(a.comm, status, 0, NULL);
}
