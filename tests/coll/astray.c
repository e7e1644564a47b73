/* This file is a program of random calls, blocking, nonblocking and persistent ones on several
 * communicators, in which one rank goes astray once: it leaves a call out, swaps it with the next,
 * or gives it another root. All its ranks must be told, by a true sentence.
 *
 *   coll_astray [--ranks LIST] [--plays N] [--seed S] [--calls N]
 *
 * A program has N positions (60), with a call each. The rank's fault is on one communicator,
 * the strayed one. No rank may wait for another in a circle of communicators, which is not found:
 * so what follows a call that is left out is another one on the same communicator, if anything. A
 * call that fails there is passed over, and the program goes on. In the end each member of the
 * strayed communicator has got an error, by a call there or by MPJ_Finalize, which says what two
 * ranks called as one operation, and it is so; each call of another communicator has succeeded with
 * right data, and so has each successful call before the fault. */
#include "coll/astray_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_strayed(const struct program *p, const struct call *c)
{
  return c->comm == p->strayed;
}

/* Note an error of the strayed communicator. */
static int hear(struct program *p)
{
  char failed[32];
  const char *sentence = MPJ_Error_detail();
  snprintf(failed, sizeof failed, "rank %d failed", p->places[p->strayed].rank);
  if (strstr(sentence, failed)) return astray_complain(p, "it is told that it failed itself");
  if (strstr(sentence, " is ") && strstr(sentence, ", but ") && !astray_is_true(p, sentence) &&
      !strstr(sentence, "of the persistent request of "))
    return astray_complain(p, "a sentence that is not true");
  if (!astray_fits(p, sentence)) return astray_complain(p, "an operation before the fault");
  if (p->told[0] == 0 && astray_is_true(p, sentence))
    snprintf(p->told, sizeof p->told, "%s", sentence);
  return 0;
}

/* The outcome of a call, or of a wait for it. */
static int judge(struct program *p, struct call *c, int status, bool done)
{
  if (status != MPJ_SUCCESS && is_strayed(p, c)) return hear(p);
  if (status != MPJ_SUCCESS) return astray_complain(p, "a call of another communicator failed");
  if (!done || (is_strayed(p, c) && c->number >= p->first)) return 0;
  return item_check(&p->run, &c->item);
}

static int make_call(struct program *p, struct call *c)
{
  const bool blocking = c->form == ITEM_BLOCKING;
  if (c->number < 0) return 0;
  const int status = item_try(&c->item, c->form);
  c->under_way = status == MPJ_SUCCESS && c->form == ITEM_NONBLOCKING;
  return judge(p, c, status, blocking);
}

static int start(struct program *p, struct call *c)
{
  if (c->form != ITEM_PERSISTENT || c->item.request == MPJ_REQUEST_NULL) return 0;
  item_refill(&c->item);
  const int status = MPJ_Start(&c->item.request);
  c->under_way = status == MPJ_SUCCESS;
  return judge(p, c, status, false);
}

static int end(struct program *p, struct call *c)
{
  if (!c->under_way) return 0;
  c->under_way = false;
  int done = 0, status = MPJ_SUCCESS;
  if (mpj_random_in(&p->own, 0, 1) == 0) return judge(p, c, MPJ_Wait(&c->item.request), true);
  while (!done && status == MPJ_SUCCESS)
    status = MPJ_Test(&c->item.request, &done);
  return judge(p, c, status, true);
}

static int pass(struct program *p, int at)
{
  int bad = 0;
  for (int k = 0; k < at && !bad; k++)
    if (p->calls[k].start_at == at) bad = start(p, &p->calls[k]);
  if (!bad) bad = make_call(p, &p->calls[p->order[at]]);
  const int first = (int)mpj_random_in(&p->own, 0, p->ncalls - 1);
  for (int k = 0; k < p->ncalls && !bad; k++) {
    struct call *c = &p->calls[(first + k) % p->ncalls];
    if (c->wait_at <= at) bad = end(p, c);
  }
  return bad;
}

static int free_all(struct program *p)
{
  for (int k = 0; k < p->ncalls; k++) {
    MPJ_Request *request = &p->calls[k].item.request;
    if (*request != MPJ_REQUEST_NULL && MPJ_Request_free(request) != MPJ_SUCCESS)
      return astray_complain(p, "a request could not be freed");
    item_free(&p->calls[k].item);
  }
  for (int i = 0; i < ASTRAY_COMMS && p->frees; i++)
    if (p->places[i].comm != MPJ_COMM_NULL && MPJ_Comm_free(&p->places[i].comm) != MPJ_SUCCESS)
      return astray_complain(p, "a communicator could not be freed");
  return 0;
}

static int play(struct program *p)
{
  if (astray_plan(p) != 0) return 1;
  const bool member = astray_is_there(p, &p->calls[p->at]);
  struct call *c = &p->calls[p->at];
  int bad = 0;
  if (member && p->fault == OTHER_ROOT && p->places[p->strayed].rank == p->odd) {
    c->item.root = (p->root + 1) % c->item.place.size;
    item_refill(&c->item);
  }
  for (int at = 0; at < p->ncalls && !bad; at++)
    bad = pass(p, at);
  if (!bad) bad = free_all(p);
  if (bad) return 1;
  const int status = MPJ_Finalize();
  if (status != MPJ_SUCCESS && !member) return astray_complain(p, "who has no part in it is told");
  if (status != MPJ_SUCCESS && hear(p) != 0) return 1;
  if (member && p->told[0] == 0) return astray_complain(p, "it has not been told");
  return 0;
}

/* Running it */

struct options {
  const char *ranks;
  long plays;
  uint64_t seed;
  int calls;
};

static int rank_main(void *arg)
{
  struct program *p = calloc(1, sizeof *p);
  if (!p) return 1;
  const struct options *o = arg;
  p->run.seed = o->seed;
  p->ncalls = o->calls;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &p->run.rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &p->run.size);
  const int status = play(p);
  free(p);
  return status;
}

static int run_threads(const struct options *o, int n)
{
  for (long i = 0; i < o->plays; i++) {
    struct options one = *o;
    one.seed = o->seed * 1000003 + (uint64_t)n * 1009 + (uint64_t)i;
    if (MPJ_Run_threads(n, rank_main, &one) != 0) return 1;
  }
  return 0;
}

static int run_all_threads(const struct options *o)
{
  char *end;
  const long first = strtol(o->ranks, &end, 10);
  const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
  int status = 0;
  for (long n = first; n <= last && status == 0; n++)
    status = run_threads(o, (int)n);
  return status;
}

static int run_process(struct options *o)
{
  return MPJ_Init(NULL, NULL) != MPJ_SUCCESS || rank_main(o) != 0;
}

int main(int argc, char **argv)
{
  struct options o = {.plays = 1, .seed = 1, .calls = 60};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--ranks") == 0) o.ranks = argv[i + 1];
    if (strcmp(argv[i], "--plays") == 0) o.plays = atol(argv[i + 1]);
    if (strcmp(argv[i], "--seed") == 0) o.seed = (uint64_t)atol(argv[i + 1]);
    if (strcmp(argv[i], "--calls") == 0) o.calls = atoi(argv[i + 1]);
  }
  if (o.calls < 2 || o.calls > ASTRAY_CALLS) return 2;
  return o.ranks ? run_all_threads(&o) : run_process(&o);
}
