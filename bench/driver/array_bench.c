/* This file is `mpj-bench array`: it runs the workers of MPJ and its peers in turn, case by case,
 * and shows the medians, and whether the same bits have arrived everywhere.
 *
 * Exit status: 0; 1 MPJ failed, or bits differ; 2 a wrong command line. A peer that is missing or
 * fails costs its lines only. */
#include "array_bench.h"

#include "array/array_peer.h"
#include "bench_list.h"
#include "engines.h"
#include "launch.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MOST = 50, CASES_MOST = 32, HASH_BYTES = 20 };
enum { CREATE, FIRST, REPEAT, TIMES };

static const double limit = 300; /* seconds, of one run */

/* Workers, MPJ's first; `copies` moves other data, to itself. */
static const struct peer {
  const char *name, *worker;
  int launcher; /* -1: mpjrun, else enum bench_peer */
} peers[] = {{"mpj", "array_mpj", -1},
             {"scalapack mpich", "array_scalapack_mpich", BENCH_PEER_MPICH},
             {"scalapack openmpi", "array_scalapack_openmpi", BENCH_PEER_OPENMPI},
             {"fftw", "array_fftw", BENCH_PEER_OPENMPI},
             {"petsc", "array_petsc", BENCH_PEER_OPENMPI},
             {"ga", "array_ga", BENCH_PEER_OPENMPI},
             {"copies", "array_copies", -1}};
enum { PEERS = sizeof peers / sizeof *peers, COPIES = PEERS - 1 };

struct result {
  int n;
  double us[TIMES][ROUNDS_MOST];
  char hash[HASH_BYTES];
};

struct session {
  int rounds, ncases;
  const char *peers; /* names, with commas between; NULL: all */
  const char *cases[CASES_MOST];
  struct bench_list p;
  bool missing[PEERS], failed;
  struct result results[PEERS]; /* of the case and p at hand */
};

static void on_line(void *arg, const char *line)
{
  struct result *r = arg;
  const char *name, *hash;
  double us[TIMES];
  json_t *o = json_loads(line, 0, NULL);
  if (o && r->n < ROUNDS_MOST &&
      !json_unpack(o, "{ss sF sF sF ss}", "case", &name, "create", &us[CREATE], "first", &us[FIRST],
                   "repeat", &us[REPEAT], "hash", &hash)) {
    for (int t = 0; t < TIMES; t++)
      r->us[t][r->n] = us[t];
    snprintf(r->hash, sizeof r->hash, "%s", hash);
    r->n++;
  }
  json_decref(o);
}

/* Whether a peer is among those that are wanted, by the first word of its name. */
static bool is_wanted(const struct session *s, int which)
{
  const char *name = peers[which].name;
  const size_t n = strcspn(name, " ");
  if (which == 0 || !s->peers) return true;
  for (const char *at = s->peers; *at; at += strcspn(at, ","), at += *at == ',')
    if (strcspn(at, ",") == n && !strncmp(at, name, n)) return true;
  return false;
}

static void run_peer(struct session *s, int which, int p, const char *name)
{
  const struct peer *peer = &peers[which];
  struct bench_command c = {.argv = {NULL}};
  struct bench_run run;
  if (!bench_beside_us(peer->worker, c.worker)) {
    if (!s->missing[which]) fprintf(stderr, "mpj-bench: no %s: it was not built\n", peer->worker);
    s->missing[which] = true;
    return;
  }
  if (peer->launcher < 0) {
    snprintf(c.p, sizeof c.p, "%d", p);
    bench_command_add(&c, bench_mpjrun(c.mpjrun));
    bench_command_add(&c, "--bind");
    bench_command_add(&c, "-n");
    bench_command_add(&c, c.p);
  } else {
    bench_command_by_peer(&c, (enum bench_peer)peer->launcher, "", p, NULL);
  }
  bench_command_add(&c, c.worker);
  bench_command_add(&c, name);
  if (!bench_launch(c.argv, limit, on_line, &s->results[which], &run) && !run.timed_out &&
      run.exit_status == 0)
    return;
  fprintf(stderr, "mpj-bench: %s, %s, p = %d: %s\n", peer->name, name, p, run.complaint);
  if (which == 0) s->failed = true;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(struct result *r, int t)
{
  qsort(r->us[t], (size_t)r->n, sizeof(double), by_size);
  return r->us[t][r->n / 2];
}

/* A case's lines: times, and as parts of MPJ's. */
static void show(struct session *s, const char *name, int p)
{
  struct result *own = &s->results[0];
  for (int i = 0; i < PEERS; i++) {
    struct result *r = &s->results[i];
    if (r->n == 0) continue;
    printf("%-14s %3d  %-18s", name, p, peers[i].name);
    for (int t = 0; t < TIMES; t++)
      printf(" %12.1f", median(r, t));
    if (i > 0 && own->n > 0)
      printf(" %8.2f %8.2f", median(r, FIRST) / median(own, FIRST),
             median(r, REPEAT) / median(own, REPEAT));
    const struct result *known = own->n > 0 ? own : r;
    const bool differs = i != COPIES && strcmp(r->hash, known->hash) != 0;
    printf("%s\n", differs ? "  other bits" : "");
    s->failed |= differs;
  }
  fflush(stdout);
}

static void run_case(struct session *s, const char *name, int p)
{
  memset(s->results, 0, sizeof s->results);
  for (int round = 0; round < s->rounds; round++)
    for (int i = 0; i < PEERS; i++)
      if (is_wanted(s, i)) run_peer(s, i, p, name);
  show(s, name, p);
}

static void help(void)
{
  printf("mpj-bench array [options] [case...]: time schedules of distributed arrays beside "
         "ScaLAPACK's\n"
         "redistribution, FFTW's transposition, PETSc's DMDA and SF, Global Arrays, and bare "
         "copies\n\n"
         "  --p LIST     numbers of ranks (2,4)\n"
         "  --peers LIST some of scalapack,fftw,petsc,ga,copies; or none (all that were built)\n"
         "  --rounds R   runs of each worker, in turn (3); in each the median of 11 is taken\n"
         "  --help       this text\n"
         "  cases        (default: all but slab512, which takes 4 GiB)\n              ");
  for (const struct array_case *c = array_cases; c->name; c++)
    printf(" %s", c->name);
  printf("\n");
}

static bool is_case(const char *name)
{
  for (const struct array_case *c = array_cases; c->name; c++)
    if (!strcmp(c->name, name)) return true;
  return false;
}

/* 0, or the exit status of a wrong command line; -1: help was wanted. */
static int read_arguments(struct session *s, int argc, char **argv)
{
  for (int i = 0; i < argc; i++) {
    const bool more = i + 1 < argc;
    if (!strcmp(argv[i], "--help")) return -1;
    if (!strcmp(argv[i], "--peers") && more) {
      s->peers = argv[++i];
    } else if (!strcmp(argv[i], "--rounds") && more) {
      s->rounds = atoi(argv[++i]);
    } else if (!strcmp(argv[i], "--p") && more) {
      if (!bench_list_numbers(argv[++i], 2, 64, 1, &s->p)) s->rounds = 0;
    } else if (s->ncases < CASES_MOST && is_case(argv[i])) {
      s->cases[s->ncases++] = argv[i];
    } else {
      fprintf(stderr, "mpj-bench: '%s' makes no sense here; see mpj-bench array --help\n", argv[i]);
      return 2;
    }
  }
  const bool all = s->ncases == 0;
  for (const struct array_case *c = array_cases; all && c->name; c++)
    if (strcmp(c->name, "slab512") != 0) s->cases[s->ncases++] = c->name;
  if (s->rounds >= 1 && s->rounds <= ROUNDS_MOST) return 0;
  fprintf(stderr, "mpj-bench: --rounds takes a number from 1 to %d, --p a list of 2 to 64\n",
          ROUNDS_MOST);
  return 2;
}

int array_bench(int argc, char **argv)
{
  static struct session s = {.rounds = 3, .p = {.n = 2, .at = {2, 4}}};
  const int wrong = read_arguments(&s, argc, argv);
  if (wrong > 0) return wrong;
  if (wrong < 0) {
    help();
    return 0;
  }
  printf("us: what is made once, the first run with it, a repeated run; the last two over MPJ's\n"
         "%-14s %3s  %-18s %12s %12s %12s %8s %8s\n",
         "case", "p", "who", "create", "first", "repeat", "first", "repeat");
  for (int i = 0; i < s.ncases; i++)
    for (int k = 0; k < s.p.n; k++)
      run_case(&s, s.cases[i], (int)s.p.at[k]);
  return s.failed;
}
