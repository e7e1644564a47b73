/* This file is a program of random calls in which one rank's data has another signature than the
 * others', from some element on: who hears of it is told both signatures, in basic types, and where
 * they differ; or, if it cannot know that, which ranks' differ.
 * coll_told_types [--ranks LIST] [--plays N] [--seed S] [bcast | gather | ...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpj/mpj.h>

#include "coll/runner.h"

enum { RUNS = 3, BASICS = 5, TEXT = 160, MOST = 1 << 21 };
enum operation {
  BCAST,
  GATHER,
  SCATTER,
  ALLGATHER,
  ALLTOALL,
  REDUCE,
  ALLREDUCE,
  REDUCE_SCATTER,
  SCAN,
  EXSCAN,
  OPERATIONS
};

static const char *const names[OPERATIONS] = {"bcast",    "gather", "scatter",   "allgather",
                                              "alltoall", "reduce", "allreduce", "reduce_scatter",
                                              "scan",     "exscan"};

static const struct {
  MPJ_Datatype basic;
  int size;
  const char *name;
} basics[BASICS] = {{MPJ_DOUBLE, 8, "double"},
                    {MPJ_FLOAT, 4, "float"},
                    {MPJ_INT, 4, "int"},
                    {MPJ_SHORT, 2, "short"},
                    {MPJ_CHAR, 1, "char"}};

/* Runs of basic types; neighbours are unlike, and none is empty. */
struct sequence {
  int n, basic[RUNS];
  MPJ_Count count[RUNS];
};

struct play {
  const struct run *run;
  enum operation operation;
  int odd; /* the rank whose data differs */
  bool sums;
  struct sequence usual, other;
};

static void add(struct sequence *s, int basic, MPJ_Count count)
{
  if (count == 0) return;
  if (s->n > 0 && s->basic[s->n - 1] == basic) {
    s->count[s->n - 1] += count;
    return;
  }
  s->basic[s->n] = basic;
  s->count[s->n++] = count;
}

/* Up to `most` bytes, sizes of all magnitudes. */
static MPJ_Count random_bytes(struct mpj_random *rng, MPJ_Count most)
{
  MPJ_Count bytes = 8;
  while (bytes < most && mpj_random_in(rng, 0, 7) > 0)
    bytes *= 2;
  return bytes + mpj_random_in(rng, 0, bytes - 1);
}

/* The others' data is of one basic type or two; the odd one's the same to a random element, where
 * one of another type stands, or others to the end, or where it ends. */
static void choose(struct mpj_random *rng, struct play *p)
{
  const int size = p->run->size;
  const int a = (int)mpj_random_in(rng, 0, BASICS - 1);
  const int b = (a + (int)mpj_random_in(rng, 1, BASICS - 1)) % BASICS;
  const MPJ_Count bytes = random_bytes(rng, p->operation == ALLTOALL ? MOST / size : MOST);
  const MPJ_Count n = bytes / basics[a].size + 1, at = mpj_random_in(rng, 0, n - 1);
  p->odd = (int)mpj_random_in(rng, 0, size - 1);
  p->sums = mpj_random_in(rng, 0, 1) > 0;
  add(&p->usual, a, n);
  add(&p->other, a, at);
  switch (mpj_random_in(rng, 0, 3)) {
  case 0:
    add(&p->other, b, 1);
    add(&p->other, a, n - at - 1);
    break;
  case 1:
    add(&p->other, b, mpj_random_in(rng, 1, 1 + (n - at) / 8));
    break;
  case 2: /* as many bytes, or nearly so */
    add(&p->other, b, (n - at) * basics[a].size / basics[b].size + 1);
    break;
  default:
    if (at == 0) add(&p->other, a, n + 1);
  }
}

static MPJ_Datatype make(const struct sequence *s, int copies)
{
  MPJ_Aint displs[RUNS], at = 0;
  MPJ_Datatype types[RUNS], one, all;
  for (int i = 0; i < s->n; i++) {
    types[i] = basics[s->basic[i]].basic;
    displs[i] = at;
    at += s->count[i] * basics[s->basic[i]].size;
  }
  if (MPJ_Type_create_struct(s->n, s->count, displs, types, &one) ||
      MPJ_Type_create_resized(one, 0, at, &all) || MPJ_Type_free(&one))
    exit(2);
  if (copies > 0) {
    one = all;
    if (MPJ_Type_contiguous(copies, one, &all) || MPJ_Type_free(&one)) exit(2);
  }
  if (MPJ_Type_commit(&all) || MPJ_Type_set_name(all, "mine")) exit(2);
  return all;
}

/* A call whose types are freed before it ends. */
static int start(const struct play *p, MPJ_Comm comm, void *in, void *out, MPJ_Datatype one,
                 MPJ_Datatype parts, MPJ_Request *request)
{
  const MPJ_Op op = p->sums ? MPJ_SUM : MPJ_REPLACE;
  switch (p->operation) {
  case BCAST:
    return MPJ_Ibcast(out, one, 0, comm, request);
  case GATHER:
    return MPJ_Igather(in, one, out, parts, 0, comm, request);
  case SCATTER:
    return MPJ_Iscatter(in, parts, out, one, 0, comm, request);
  case ALLGATHER:
    return MPJ_Iallgather(in, one, out, parts, comm, request);
  case ALLTOALL:
    return MPJ_Ialltoall(in, parts, out, parts, comm, request);
  case REDUCE:
    return MPJ_Ireduce(in, one, out, one, op, 0, comm, request);
  case ALLREDUCE:
    return MPJ_Iallreduce(in, one, out, one, op, comm, request);
  case REDUCE_SCATTER:
    return MPJ_Ireduce_scatter(in, parts, out, one, op, comm, request);
  case SCAN:
    return MPJ_Iscan(in, one, out, one, op, comm, request);
  default:
    return MPJ_Iexscan(in, one, out, one, op, comm, request);
  }
}

static int call(const struct play *p, MPJ_Comm comm, void *in, void *out, MPJ_Datatype one,
                MPJ_Datatype parts)
{
  const MPJ_Op op = p->sums ? MPJ_SUM : MPJ_REPLACE;
  switch (p->operation) {
  case BCAST:
    return MPJ_Bcast(out, one, 0, comm);
  case GATHER:
    return MPJ_Gather(in, one, out, parts, 0, comm);
  case SCATTER:
    return MPJ_Scatter(in, parts, out, one, 0, comm);
  case ALLGATHER:
    return MPJ_Allgather(in, one, out, parts, comm);
  case ALLTOALL:
    return MPJ_Alltoall(in, parts, out, parts, comm);
  case REDUCE:
    return MPJ_Reduce(in, one, out, one, op, 0, comm);
  case ALLREDUCE:
    return MPJ_Allreduce(in, one, out, one, op, comm);
  case REDUCE_SCATTER:
    return MPJ_Reduce_scatter(in, parts, out, one, op, comm);
  case SCAN:
    return MPJ_Scan(in, one, out, one, op, comm);
  default:
    return MPJ_Exscan(in, one, out, one, op, comm);
  }
}

/* What is said of `times` sequences. */
static void say(const struct sequence *s, int times, char text[TEXT])
{
  int at = 0;
  if (s->n == 1) {
    snprintf(text, TEXT, "%lld %s", (long long)(s->count[0] * times), basics[s->basic[0]].name);
    return;
  }
  if (times > 1) at += snprintf(text, TEXT, "%d times (", times);
  for (int i = 0; i < s->n; i++)
    at += snprintf(text + at, (size_t)(TEXT - at), "%s%lld %s", i > 0 ? ", then " : "",
                   (long long)s->count[i], basics[s->basic[i]].name);
  if (times > 1) snprintf(text + at, (size_t)(TEXT - at), ")");
}

static MPJ_Count first_difference(const struct play *p, int times)
{
  const struct sequence *a = &p->usual, *b = &p->other;
  if (b->n == 0) return 0;
  const MPJ_Count least = a->count[0] < b->count[0] ? a->count[0] : b->count[0];
  if (a->basic[0] != b->basic[0]) return 0;
  return b->n == 1 ? least * times : least;
}

/* Whether the sentence says that the one was sent, or is described elsewhere, and the other
 * described: by this rank, or by a third one where calls are compared before data moves. */
static bool says(const struct play *p, const char *sentence, const struct sequence *one,
                 const struct sequence *other, int times)
{
  char sent[TEXT], own[TEXT], words[3][TEXT + 80];
  say(one, times, sent);
  say(other, times, own);
  snprintf(words[0], sizeof words[0], " sent %s; ", sent);
  snprintf(words[1], sizeof words[1], " describes %s; ", sent);
  snprintf(words[2], sizeof words[2], " describes %s: they differ at element %lld", own,
           (long long)first_difference(p, times));
  return (strstr(sentence, words[0]) || strstr(sentence, words[1])) && strstr(sentence, words[2]);
}

static bool names_both(const struct play *p, const char *sentence)
{
  const bool odd = p->run->rank == p->odd;
  const bool involved = strstr(sentence, " sent ") || odd || !strstr(sentence, "type on rank ");
  for (int times = 1; times <= p->run->size; times++)
    if (says(p, sentence, odd ? &p->usual : &p->other, odd ? &p->other : &p->usual, times) ||
        (!involved && says(p, sentence, &p->usual, &p->other, times)))
      return true;
  return false;
}

/* Whether it names the type, of which this rank's side is all or a part. */
static bool names_type(const struct play *p, const char *sentence)
{
  const char *const whole =
      p->operation == BCAST ? "; type 'mine' describes" : "type 'mine' describes";
  char title[40];
  snprintf(title, sizeof title, " on rank %d: ", p->run->rank);
  if (!strstr(sentence, title)) return false;
  return strstr(sentence, whole) || strstr(sentence, "type 'mine' together describes") ||
         strstr(sentence, "type on rank ");
}

/* Whether it names two ranks, of which one is the odd one, or who has failed. */
static bool names_ranks(const struct play *p, const char *sentence)
{
  int one = -1, other = -1;
  const char *at = strstr(sentence, "the signatures of rank ");
  if (at) {
    sscanf(at, "the signatures of rank %d and rank %d differ", &one, &other);
    return (one == p->odd) != (other == p->odd);
  }
  at = strstr(sentence, "could not send its data: MPJ_ERR_SIGNATURE");
  return at || strstr(sentence, " failed in operation ");
}

static MPJ_Count bytes_of(const struct sequence *s)
{
  MPJ_Count bytes = 0;
  for (int i = 0; i < s->n; i++)
    bytes += s->count[i] * basics[s->basic[i]].size;
  return bytes;
}

/* What takes too long to find: long mixtures of another size in segments. */
static bool is_unknown(const struct play *p, const char *sentence)
{
  const MPJ_Count usual = bytes_of(&p->usual), other = bytes_of(&p->other);
  return strstr(sentence, " sent about ") && strstr(sentence, " bytes of another sequence; ") &&
         usual != other && usual + other > 1 << 17;
}

static int judge(const struct play *p, long number, int status)
{
  const char *sentence = status ? MPJ_Error_detail() : "";
  const bool named =
      (names_both(p, sentence) || is_unknown(p, sentence)) && names_type(p, sentence);
  const bool right =
      status == MPJ_SUCCESS || (status == MPJ_ERR_SIGNATURE && (named || names_ranks(p, sentence)));
  if (right) return 0;
  char usual[TEXT], other[TEXT];
  say(&p->usual, 1, usual);
  say(&p->other, 1, other);
  fprintf(stderr, "rank %d of %d, play %ld, operation %d: %s, but %s on rank %d: %d, %s\n",
          p->run->rank, p->run->size, number, p->operation, usual, other, p->odd, status, sentence);
  return 1;
}

static enum operation chosen(const struct run *run, long number)
{
  for (int o = 0; run->word && o < OPERATIONS; o++)
    if (strcmp(run->word, names[o]) == 0) return (enum operation)o;
  return (enum operation)(number % OPERATIONS);
}

static int play(const struct run *run, long number)
{
  struct play p = {.run = run, .operation = chosen(run, number)};
  struct mpj_random rng = {run_seed(run, (uint64_t)number)};
  MPJ_Comm comm;
  choose(&rng, &p);
  const struct sequence *mine = run->rank == p.odd ? &p.other : &p.usual;
  MPJ_Datatype one = make(mine, 0), parts = make(mine, run->size);
  MPJ_Count bytes;
  if (MPJ_Type_size(parts, &bytes) || MPJ_Comm_dup(run->comm, &comm)) return 1;
  void *in = calloc(1, (size_t)bytes + 1), *out = calloc(1, (size_t)bytes + 1);
  if (!in || !out) exit(2);
  int failed = 0;
  if (number % 3 != 0) failed = judge(&p, number, call(&p, comm, in, out, one, parts));
  MPJ_Request request = MPJ_REQUEST_NULL;
  int status = number % 3 != 0 ? MPJ_SUCCESS : start(&p, comm, in, out, one, parts, &request);
  MPJ_Type_free(&one);
  MPJ_Type_free(&parts);
  if (status == MPJ_SUCCESS && number % 3 == 0) status = MPJ_Wait(&request);
  if (number % 3 == 0) failed = judge(&p, number, status);
  MPJ_Comm_free(&comm);
  free(in);
  free(out);
  return failed;
}

static int rank_main(const struct run *run)
{
  int failed = 0;
  if (run->size == 1) return 0;
  for (long i = 0; i < run->plays && !failed; i++)
    failed = play(run, i);
  return failed;
}

int main(int argc, char **argv)
{
  return run_main_of_differing(argc, argv, rank_main);
}
