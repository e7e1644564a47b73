/* This file is `mpj-bench interop`: it runs MPI programs with and without MPJ's interposer in turn,
 * round by round, and the workers that time the conversions. */
#include "interop_bench.h"

#include "interop_report.h"
#include "launch.h"
#include "report.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>

enum { ARGS_MOST = 64 };

const char *const interop_row_names[INTEROP_ROWS] = {"types", "overhead", "coll", "program"};

/* The MPI library that a peer is of. */
static const char *const libraries[BENCH_NPEERS] = {"mpich", "openmpi", "openmpi", NULL};

/* Whose lines are being read. */
struct run {
  struct interop_session *session;
  enum interop_row row;
  enum bench_peer mpi;
  enum interop_way way; /* where the line does not say it */
  int p, round;
};

static enum interop_way way_named(const char *name)
{
  return strcmp(name, "beside") ? INTEROP_MPJ : INTEROP_BESIDE;
}

/* One line of a worker: a result, or in the first round a note. Anything else is some library's
 * talk. */
static void on_line(void *arg, const char *line)
{
  const struct run *r = arg;
  const char *name, *timing, *note, *way = NULL;
  json_int_t bytes;
  double us;
  int p;
  json_t *o = json_loads(line, 0, NULL);
  if (!o) return;
  if (!json_unpack(o, "{ss ss sI si sF s?s}", "case", &name, "timing", &timing, "bytes", &bytes,
                   "p", &p, "us", &us, "way", &way))
    bench_results_add(&r->session->results[r->row][r->mpi], (int)(way ? way_named(way) : r->way),
                      r->round, name, timing, p, (long)bytes, us);
  else if (!json_unpack(o, "{ss}", "note", &note) && r->round == 0)
    fprintf(stderr, "mpj-bench: %s, p = %d: %s\n", bench_peer_names[r->mpi], r->p, note);
  json_decref(o);
}

/* Say that the run failed, and note it if it was MPJ's. */
static bool failed(const struct run *r, const char *why)
{
  static const char *const ways[INTEROP_WAYS] = {"with MPJ", "alone", "with MPJ serving nothing"};
  fprintf(stderr, "mpj-bench: %s, %s, p = %d, %s: %s\n", interop_row_names[r->row],
          bench_peer_names[r->mpi], r->p, ways[r->way], why);
  if (r->way != INTEROP_BESIDE) r->session->mpj_failed = true;
  return false;
}

/* False after a sentence on stderr. */
static bool launch(struct run *r, const struct bench_command *c, double limit)
{
  struct bench_run outcome;
  if (bench_launch(c->argv, limit, on_line, r, &outcome)) return failed(r, outcome.complaint);
  if (!outcome.timed_out && !outcome.exit_status) return true;
  return failed(r, outcome.timed_out ? "it took too long" : outcome.complaint);
}

/* path := the interposer of the MPI library; false after a sentence on stderr. */
static bool find_interposer(const struct run *r, char path[PATH_MAX])
{
  char name[BENCH_NAME_BYTES];
  snprintf(name, sizeof name, "../src/libmpj-interpose-%s.so", libraries[r->mpi]);
  return bench_beside_us(name, path) || failed(r, "its interposer was not built");
}

/* c->worker := PREFIX_MPI. */
static bool find_worker(const struct run *r, const char *prefix, struct bench_command *c)
{
  char name[BENCH_NAME_BYTES];
  snprintf(name, sizeof name, "%s_%s", prefix, libraries[r->mpi]);
  return bench_beside_us(name, c->worker) || failed(r, "its worker was not built");
}

/* A worker that takes the seconds of each result. */
static bool run_worker(struct run *r, const char *prefix, const char *preload)
{
  struct bench_command c;
  if (!find_worker(r, prefix, &c)) return false;
  bench_command_by_peer(&c, r->mpi, "", r->p, preload);
  bench_command_add(&c, c.worker);
  bench_command_add(&c, r->session->options.seconds);
  return launch(r, &c, bench_engine_limit(&r->session->options));
}

static void run_types(struct run *r)
{
  bool going = true;
  for (r->round = 0; r->round < r->session->options.rounds && going; r->round++)
    going = run_worker(r, "interop_types", NULL);
}

static void run_overhead(struct run *r)
{
  char interposer[PATH_MAX];
  bool going = find_interposer(r, interposer);
  r->p = 2;
  for (r->round = 0; r->round < r->session->options.rounds && going; r->round++)
    going = run_worker(r, "interop_overhead", interposer);
}

/* The worker of `mpj-bench coll`, with the interposer or without. */
static bool run_coll_once(struct run *r, const char *preload)
{
  struct bench_command c;
  if (!find_worker(r, "coll", &c)) return false;
  bench_command_by_peer(&c, r->mpi, "", r->p, preload);
  bench_command_add(&c, c.worker);
  bench_command_add_options(&c, &r->session->options);
  return launch(r, &c, bench_engine_limit(&r->session->options));
}

static void run_coll(struct run *r)
{
  const struct bench_options *o = &r->session->options;
  char interposer[PATH_MAX];
  if (!find_interposer(r, interposer)) return;
  for (int i = 0; i < o->p.n; i++) {
    bool alone = true, served = true;
    r->p = (int)o->p.at[i];
    for (r->round = 0; r->round < o->rounds && served; r->round++) {
      r->way = INTEROP_BESIDE;
      alone = alone && run_coll_once(r, NULL);
      r->way = INTEROP_MPJ;
      served = run_coll_once(r, interposer);
    }
  }
}

/* A program as it is, under the interposer, and under one that serves nothing. */
static bool run_program_once(struct run *r, enum interop_way way, const char *interposer)
{
  const struct bench_options *o = &r->session->options;
  struct bench_command c = {.argv = {NULL}};
  if (!bench_beside_us("interop_program", c.worker)) return failed(r, "its script was not built");
  r->way = way;
  bench_command_add(&c, c.worker);
  bench_command_add(&c, o->timeout);
  if (way != INTEROP_BESIDE) bench_command_add(&c, interposer);
  if (way == INTEROP_WAITS) bench_command_add(&c, "none");
  return launch(r, &c, bench_engine_limit(o));
}

static void run_program(struct run *r)
{
  bool going[INTEROP_WAYS] = {true, true, true};
  char interposer[PATH_MAX];
  r->p = 4;
  if (r->mpi != BENCH_PEER_MPICH || !find_interposer(r, interposer)) return;
  for (r->round = 0; r->round < r->session->options.rounds; r->round++)
    for (int way = 0; way < INTEROP_WAYS; way++)
      going[way] = going[way] && run_program_once(r, (enum interop_way)way, interposer);
}

static void help(void)
{
  fputs("mpj-bench interop [row...] [options]: time MPJ under MPI programs, beside MPI alone\n\n"
        "  rows             types: converting MPI's datatypes; overhead: an interposed call and\n"
        "                   MPJ's own; coll: collectives under the interposer and without it;\n"
        "                   program: ScaLAPACK's xdlu, MPICH (default: all)\n"
        "  --peers LIST     mpich, openmpi, openmpi-sm (mpich,openmpi)\n"
        "  --ops LIST       of coll, as mpj-bench coll has them (all but exscan)\n"
        "  --p LIST         of coll: numbers of ranks (2,4,8)\n"
        "  --sizes LIST     of coll (8,1024,65536,1048576)\n"
        "  --orders LIST    of coll: n for the n x n matrices of doubles (512)\n"
        "  --timings LIST   of coll: back_to_back, dependent, rewritten (dependent)\n"
        "  --rounds R       runs of each, in turn (3)\n"
        "  --seconds S      for one result (0.02)\n"
        "  --timeout S      after which a worker begins no further case, and a program is ended\n"
        "                   (60)\n"
        "  --json FILE      also write the results there\n"
        "  --help           this text\n",
        stdout);
}

/* Take the words before the options; returns how many, or -1 after a sentence on stderr. */
static int read_rows(struct interop_session *s, int argc, char **argv)
{
  int n = 0;
  for (; n < argc && argv[n][0] != '-'; n++) {
    struct bench_list row;
    if (!bench_list_words(argv[n], interop_row_names, INTEROP_ROWS, &row)) {
      fprintf(stderr, "mpj-bench: '%s' is no row; see mpj-bench interop --help\n", argv[n]);
      return -1;
    }
    for (int i = 0; i < row.n; i++)
      s->rows[row.at[i]] = true;
  }
  for (int i = 0; i < INTEROP_ROWS && n == 0; i++)
    s->rows[i] = true;
  return n;
}

/* The options of `mpj-bench coll` that mean something here, after defaults of our own. */
static bool read_options(struct interop_session *s, int argc, char **argv)
{
  static const char ops[] = "barrier,bcast,gather,scatter,allgather,alltoall,reduce,allreduce,"
                            "reduce_scatter,scan,matrix,transpose,redistribute";
  static const char *const defaults[] = {
      "--peers",   "mpich,openmpi", "--p",       "2,4,8",     "--sizes",  "8,1024,65536,1048576",
      "--orders",  "512",           "--timings", "dependent", "--rounds", "3",
      "--seconds", "0.02",          "--timeout", "60",        "--ops",    ops};
  char *all[ARGS_MOST];
  int n = 0;
  for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
    all[n++] = (char *)(uintptr_t)defaults[i]; /* nobody writes */
  for (int i = 0; i < argc; i++) {
    if (n < ARGS_MOST && strcmp(argv[i], "--transports") && strcmp(argv[i], "--mpjrun") &&
        strcmp(argv[i], "--quick")) {
      all[n++] = argv[i];
      continue;
    }
    fprintf(stderr, "mpj-bench: '%s' makes no sense here; see mpj-bench interop --help\n", argv[i]);
    return false;
  }
  if (!bench_options_read(n, all, &s->options)) return false;
  for (int peer = BENCH_PEER_MPICH_AT; peer < BENCH_NPEERS; peer++)
    if (s->options.peers[peer]) {
      fprintf(stderr, "mpj-bench: interop --peers takes a list of mpich, openmpi, openmpi-sm\n");
      return false;
    }
  return true;
}

static void run_rows(struct interop_session *s)
{
  static void (*const rows[INTEROP_ROWS])(struct run *) = {run_types, run_overhead, run_coll,
                                                           run_program};
  for (int row = 0; row < INTEROP_ROWS; row++)
    for (int mpi = 0; mpi < BENCH_NPEERS; mpi++) {
      struct run r = {
          .session = s, .row = (enum interop_row)row, .mpi = (enum bench_peer)mpi, .p = 1};
      if (s->rows[row] && s->options.peers[mpi]) rows[row](&r);
    }
}

int interop_bench(int argc, char **argv)
{
  static struct interop_session s;
  const int nrows = read_rows(&s, argc, argv);
  if (nrows < 0 || !read_options(&s, argc - nrows, argv + nrows)) return 2;
  if (s.options.help) {
    help();
    return 0;
  }
  if (s.options.json && !bench_report_can_write(s.options.json)) return 2;
  run_rows(&s);
  interop_report_table(&s, stdout);
  const int unwritten = s.options.json ? interop_report_json(&s) : 0;
  for (int row = 0; row < INTEROP_ROWS; row++)
    for (int mpi = 0; mpi < BENCH_NPEERS; mpi++)
      bench_results_free(&s.results[row][mpi]);
  return unwritten || s.mpj_failed;
}
