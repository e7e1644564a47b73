/* This file is a program for MPJ_CHECK=1: one rank's call does not fit the others',
 * in every way, of every operation in its three forms. All ranks hear of it, who
 * and what, before data moves; and the communicator is as good as before.
 * coll_checks [--ranks LIST] [--places N] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "base/config/config.h"
#include "coll/operations.h"
#include "coll/runner.h"

enum { LENGTH = 5, ROOM = LENGTH + 2, OUTSTANDING = 20 };

static const char *const names[] = {"MPJ_Barrier", "MPJ_Bcast",     "MPJ_Gather",
                                    "MPJ_Scatter", "MPJ_Allgather", "MPJ_Alltoall",
                                    "MPJ_Reduce",  "MPJ_Allreduce", "MPJ_Reduce_scatter",
                                    "MPJ_Scan",    "MPJ_Exscan"};
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };

/* One rank's call: types of a rank's data, and of such data from or for each rank. */
struct call {
  MPJ_Comm comm;
  enum operation operation;
  enum form form;
  int root;
  MPJ_Op op;
  MPJ_Datatype one, parts;
  int *in, *out; /* ROOM ints a rank */
  MPJ_Request request;
};

#define THREE(name, iname, ...)                                                                    \
  (c->form == BLOCKING      ? MPJ_##name(__VA_ARGS__)                                              \
   : c->form == NONBLOCKING ? MPJ_##iname(__VA_ARGS__, &c->request)                                \
                            : MPJ_##name##_init(__VA_ARGS__, &c->request))

static int begin(struct call *c)
{
  switch (c->operation) {
  case BARRIER:
    return THREE(Barrier, Ibarrier, c->comm);
  case BCAST:
    return THREE(Bcast, Ibcast, c->out, c->one, c->root, c->comm);
  case GATHER:
    return THREE(Gather, Igather, c->in, c->one, c->out, c->parts, c->root, c->comm);
  case SCATTER:
    return THREE(Scatter, Iscatter, c->in, c->parts, c->out, c->one, c->root, c->comm);
  case ALLGATHER:
    return THREE(Allgather, Iallgather, c->in, c->one, c->out, c->parts, c->comm);
  case ALLTOALL:
    return THREE(Alltoall, Ialltoall, c->in, c->parts, c->out, c->parts, c->comm);
  case REDUCE:
    return THREE(Reduce, Ireduce, c->in, c->one, c->out, c->one, c->op, c->root, c->comm);
  case ALLREDUCE:
    return THREE(Allreduce, Iallreduce, c->in, c->one, c->out, c->one, c->op, c->comm);
  case REDUCE_SCATTER:
    return THREE(Reduce_scatter, Ireduce_scatter, c->in, c->parts, c->out, c->one, c->op, c->comm);
  case SCAN:
    return THREE(Scan, Iscan, c->in, c->one, c->out, c->one, c->op, c->comm);
  default:
    return THREE(Exscan, Iexscan, c->in, c->one, c->out, c->one, c->op, c->comm);
  }
}

/* All of the call; a persistent one twice, with one outcome. */
static int do_call(struct call *c)
{
  int status = begin(c);
  if (c->form == BLOCKING || status != MPJ_SUCCESS) return status;
  if (c->form == NONBLOCKING) return MPJ_Wait(&c->request);
  for (int i = 0; i < 2; i++) {
    status = MPJ_Start(&c->request);
    if (status == MPJ_SUCCESS) status = MPJ_Wait(&c->request);
  }
  if (MPJ_Request_free(&c->request) != MPJ_SUCCESS) return MPJ_ERR_INTERNAL;
  return status;
}

/* Types and operations */

static MPJ_Datatype committed(MPJ_Datatype type)
{
  if (MPJ_Type_commit(&type) != MPJ_SUCCESS) exit(2);
  return type;
}

static MPJ_Datatype data(MPJ_Count n, MPJ_Datatype basic)
{
  MPJ_Datatype made;
  if (MPJ_Type_contiguous(n, basic, &made) != MPJ_SUCCESS) exit(2);
  return committed(made);
}

/* n ints for each of p ranks, n + 1 for rank `odd`. */
static MPJ_Datatype parts(int p, MPJ_Count n, MPJ_Datatype basic, int odd)
{
  MPJ_Datatype made;
  MPJ_Count *lengths = calloc((size_t)p, sizeof *lengths);
  MPJ_Count *displs = calloc((size_t)p, sizeof *displs);
  if (!lengths || !displs) exit(2);
  for (int i = 0; i < p; i++) {
    lengths[i] = n + (i == odd);
    displs[i] = i * ROOM;
  }
  if (MPJ_Type_indexed(p, lengths, displs, basic, &made) != MPJ_SUCCESS) exit(2);
  free(displs);
  free(lengths);
  return committed(made);
}

static void add(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  (void)ctx;
  for (MPJ_Count i = 0; i < n; i++)
    ((int *)inout)[i] += ((const int *)in)[i];
}

static void subtract(void *ctx, const void *in, void *inout, MPJ_Count n)
{
  (void)ctx;
  for (MPJ_Count i = 0; i < n; i++)
    ((int *)inout)[i] = ((const int *)in)[i] - ((int *)inout)[i];
}

/* How the culprit's call differs. */

enum difference {
  NONE,
  OPERATION, /* plus k: the k-th of the other operations */
  ROOT = OPERATION + OPERATIONS - 1,
  PREDEFINED_OP,
  USER_OP,
  FUNCTION,
  COMMUTING,
  ELEMENT,
  MORE,
  FEWER,
  EMPTY,
  OTHER_BASIC,
  ONE_PART,
  DIFFERENCES
};

static bool has_root(enum operation o)
{
  return o == BCAST || o == GATHER || o == SCATTER || o == REDUCE;
}

static bool has_parts(enum operation o)
{
  return o == GATHER || o == SCATTER || o == ALLGATHER || o == ALLTOALL || o == REDUCE_SCATTER;
}

static bool applies(enum operation o, enum difference d)
{
  if (d < ROOT) return true;
  if (d == ROOT) return has_root(o);
  if (d < MORE) return o >= REDUCE;
  return d == ONE_PART ? has_parts(o) : o != BARRIER;
}

static int code_of(enum difference d)
{
  if (d == NONE) return MPJ_SUCCESS;
  if (d < ROOT) return MPJ_ERR_COMM;
  if (d == ROOT) return MPJ_ERR_ROOT;
  return d < MORE ? MPJ_ERR_OP : MPJ_ERR_SIGNATURE;
}

static bool needs_user_op(enum difference d)
{
  return d == FUNCTION || d == COMMUTING || d == ELEMENT;
}

static MPJ_Op user_op(MPJ_User_function *fn, MPJ_Count ints, int commutes)
{
  MPJ_Op made;
  MPJ_Datatype element = data(ints, MPJ_INT);
  if (MPJ_Op_create(fn, NULL, element, commutes, &made) != MPJ_SUCCESS) exit(2);
  MPJ_Type_free(&element);
  return made;
}

/* The op of a call; the caller's to drop. */
static MPJ_Op op_for(enum difference d, bool culprit)
{
  if (d == PREDEFINED_OP && culprit) return MPJ_MAX;
  if (needs_user_op(d) || (d == USER_OP && culprit))
    return user_op(d == FUNCTION && culprit ? subtract : add, d == ELEMENT && culprit ? LENGTH : 1,
                   !(d == COMMUTING && culprit));
  return MPJ_SUM;
}

static MPJ_Count length_for(enum difference d, bool culprit)
{
  if (!culprit) return LENGTH;
  if (d == MORE) return LENGTH + 1;
  if (d == EMPTY) return 0;
  return d == FEWER ? LENGTH - 1 : LENGTH;
}

enum { PATTERN = -77 };

/* The call of this rank, where the culprit's differs. */
static struct call make_call(const struct run *run, enum operation o, enum form form,
                             enum difference d, int culprit)
{
  const bool odd = run->rank == culprit;
  const int root = d == ONE_PART ? culprit : 0, p = run->size;
  struct call c = {.comm = run->comm, .operation = o, .form = form, .root = root};
  if (odd && d >= OPERATION && d < ROOT)
    c.operation = (enum operation)(((int)o + 1 + (int)d - OPERATION) % OPERATIONS);
  if (odd && d == ROOT) c.root = (root + 1) % p;
  const MPJ_Datatype basic = odd && d == OTHER_BASIC ? MPJ_FLOAT : MPJ_INT;
  const int odd_part = odd && d == ONE_PART ? (culprit + 1) % p : -1;
  c.op = op_for(d, odd);
  c.one = data(length_for(d, odd), basic);
  c.parts = parts(p, length_for(d, odd), basic, odd_part);
  c.in = calloc((size_t)(ROOM * p), sizeof *c.in);
  c.out = calloc((size_t)(ROOM * p), sizeof *c.out);
  if (!c.in || !c.out) exit(2);
  for (int i = 0; i < ROOM * p; i++) {
    c.in[i] = 1 + run->rank;
    c.out[i] = PATTERN;
  }
  return c;
}

static void end_call(struct call *c)
{
  if (c->op != MPJ_SUM && c->op != MPJ_MAX) MPJ_Op_free(&c->op);
  MPJ_Type_free(&c->one);
  MPJ_Type_free(&c->parts);
  free(c->in);
  free(c->out);
}

static bool is_untouched(const struct run *run, const struct call *c)
{
  for (int i = 0; i < ROOM * run->size; i++)
    if (c->out[i] != PATTERN) return false;
  return true;
}

/* Whether the sentence names a rank: "rank 1", not followed by another digit. */
static bool says_rank(int rank)
{
  char text[24];
  const int n = snprintf(text, sizeof text, "rank %d", rank);
  for (const char *at = MPJ_Error_detail(); (at = strstr(at, text)); at++)
    if (at[n] < '0' || at[n] > '9') return true;
  return false;
}

/* Whether this rank is one of the two sides. In a gather, what all others give fits. */
static bool is_involved(const struct run *run, enum operation o, enum difference d, int culprit)
{
  if (run->rank == culprit || d < MORE) return true;
  if (d == ONE_PART) return o == REDUCE_SCATTER || run->rank == (culprit + 1) % run->size;
  return !(o == GATHER || o == SCATTER) || run->rank == 0 || culprit == 0;
}

static int complain(const struct run *run, enum operation o, enum form form, enum difference d,
                    int culprit, int status, const char *what)
{
  fprintf(stderr,
          "rank %d of %d: %s, form %d, difference %d, culprit %d: %s; status is %d with '%s'\n",
          run->rank, run->size, names[o], form, d, culprit, what, status,
          status ? MPJ_Error_detail() : "");
  return 1;
}

static int play(const struct run *run, enum operation o, enum form form, enum difference d,
                int culprit)
{
  struct call c = make_call(run, o, form, d, culprit);
  const char *wrong = NULL;
  const int status = do_call(&c);
  if (status != code_of(d)) wrong = "another code was due";
  if (status != MPJ_SUCCESS && !is_untouched(run, &c)) wrong = "data has moved";
  if (status != MPJ_SUCCESS && !wrong) {
    if (!strstr(MPJ_Error_detail(), names[o])) wrong = "the operation is not named";
    if (!says_rank(culprit)) wrong = "the culprit is not named";
    if (is_involved(run, o, d, culprit) && !says_rank(run->rank)) wrong = "I am not named";
  }
  end_call(&c);
  return wrong ? complain(run, o, form, d, culprit, status, wrong) : 0;
}

/* Every difference of an operation, each followed by the call as it should be. */
static int differ(const struct run *run, enum operation o, enum form form)
{
  int failed = 0;
  for (int d = OPERATION; d < DIFFERENCES && !failed; d++) {
    if (!applies(o, (enum difference)d)) continue;
    const int culprit = (d + (int)o + (int)form) % run->size;
    failed = play(run, o, form, (enum difference)d, culprit);
    if (!failed) failed = play(run, o, form, NONE, -1);
  }
  return failed;
}

/* Two calls in the other order on one rank, both under way at once. */
static int other_order(const struct run *run, int culprit)
{
  const enum operation first = run->rank == culprit ? SCAN : BCAST;
  struct call a = make_call(run, first, NONBLOCKING, NONE, -1);
  struct call b = make_call(run, first == SCAN ? BCAST : SCAN, NONBLOCKING, NONE, -1);
  int failed = begin(&a) != MPJ_SUCCESS;
  failed += begin(&b) != MPJ_SUCCESS;
  failed += MPJ_Wait(&b.request) != MPJ_ERR_COMM || !says_rank(culprit);
  failed += MPJ_Wait(&a.request) != MPJ_ERR_COMM || !says_rank(run->rank);
  failed += !is_untouched(run, &a) + !is_untouched(run, &b);
  end_call(&a);
  end_call(&b);
  if (failed) fprintf(stderr, "rank %d of %d: other order failed\n", run->rank, run->size);
  return failed ? 1 : 0;
}

/* Many under way at once, of which a few differ: those fail, the others are right. */
static int a_few_of_many(const struct run *run, int culprit)
{
  struct call c[OUTSTANDING];
  int failed = 0, sum = 0;
  for (int i = 0; i < OUTSTANDING; i++) {
    c[i] = make_call(run, ALLREDUCE, NONBLOCKING, i % 7 == 3 ? PREDEFINED_OP : NONE, culprit);
    failed += begin(&c[i]) != MPJ_SUCCESS;
  }
  for (int r = 0; r < run->size; r++)
    sum += 1 + r;
  for (int i = OUTSTANDING - 1; i >= 0; i--) {
    const bool bad = i % 7 == 3;
    failed += MPJ_Wait(&c[i].request) != (bad ? MPJ_ERR_OP : MPJ_SUCCESS);
    failed += bad ? !is_untouched(run, &c[i]) : c[i].out[0] != sum || c[i].out[LENGTH - 1] != sum;
    end_call(&c[i]);
  }
  if (failed) fprintf(stderr, "rank %d of %d: a few of many failed\n", run->rank, run->size);
  return failed ? 1 : 0;
}

static int rank_main(const struct run *run)
{
  int failed = mpj_config()->check != 1;
  if (failed) fprintf(stderr, "coll_checks: MPJ_CHECK is not 1\n");
  if (run->size < 2) return failed;
  for (int form = 0; form < FORMS && !failed; form++)
    for (int o = 0; o < OPERATIONS && !failed; o++)
      failed = differ(run, (enum operation)o, (enum form)form);
  if (!failed) failed = other_order(run, run->size - 1);
  if (!failed) failed = a_few_of_many(run, run->size / 2);
  return failed;
}

int main(int argc, char **argv)
{
  return run_main(argc, argv, rank_main);
}
