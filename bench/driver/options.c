/* This file reads the command line of `mpj-bench coll`. */
#include "options.h"

#include "coll_options.h"
#include "peers.h"

#include <string.h>

const char *const bench_peer_names[BENCH_NPEERS] = {"mpich",  "openmpi", "openmpi-sm",
                                                    "mpich:", "ompi:",   "mpj:"};
const char *const bench_transport_names[BENCH_NTRANSPORTS] = {"shm", "threads"};

static bool read_ops(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->ops = text;
  return coll_options_ops(&checked, text);
}

static bool read_sizes(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->sizes = text;
  return coll_options_sizes(&checked, text);
}

static bool read_orders(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->orders = text;
  return coll_options_orders(&checked, text);
}

static bool read_timings(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->timings = text;
  return coll_options_timings(&checked, text);
}

static bool read_buffers(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->buffers = text;
  return coll_options_buffers(&checked, text);
}

static bool read_seconds(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->seconds = text;
  return coll_options_seconds(&checked, text);
}

static bool read_timeout(struct bench_options *o, const char *text)
{
  struct coll_options checked;
  o->timeout = text;
  if (!coll_options_deadline(&checked, text)) return false;
  o->timeout_s = checked.deadline;
  return true;
}

static bool read_p(struct bench_options *o, const char *text)
{
  return bench_list_numbers(text, 1, 256, 1, &o->p);
}

static bool read_rounds(struct bench_options *o, const char *text)
{
  struct bench_list one;
  if (!bench_list_numbers(text, 1, 1000, 1, &one) || one.n != 1) return false;
  o->rounds = (int)one.at[0];
  return true;
}

static bool read_transports(struct bench_options *o, const char *text)
{
  struct bench_list chosen;
  if (!bench_list_words(text, bench_transport_names, BENCH_NTRANSPORTS, &chosen)) return false;
  for (int i = 0; i < BENCH_NTRANSPORTS; i++)
    o->transports[i] = bench_list_has(&chosen, i);
  return true;
}

static bool read_peers(struct bench_options *o, const char *text)
{
  o->peers_asked = true;
  return bench_peers_read(text, bench_peer_names, BENCH_NPEERS, o->peers, o->prefix);
}

static bool read_json(struct bench_options *o, const char *text)
{
  o->json = text;
  return *text != '\0';
}

static bool read_mpjrun(struct bench_options *o, const char *text)
{
  o->mpjrun = text;
  return *text != '\0';
}

static const struct option_row {
  const char *name;
  bool (*read)(struct bench_options *o, const char *text);
  const char *range; /* completes "--name takes ..." */
} rows[] = {
    {"--ops", read_ops, "a list of " COLL_FAMILIES_TEXT},
    {"--p", read_p, "a list of numbers of ranks from 1 to 256"},
    {"--sizes", read_sizes, "a list of bytes of a rank's block, multiples of 8 up to 1073741824"},
    {"--orders", read_orders, "a list of matrix orders from 1 to 32768"},
    {"--timings", read_timings, "a list of " COLL_TIMINGS_TEXT},
    {"--buffers", read_buffers, "private or library"},
    {"--transports", read_transports, "a list of shm, threads"},
    {"--peers", read_peers,
     "a list of mpich, openmpi, openmpi-sm, mpich:PREFIX, ompi:PREFIX, and mpj:PREFIX, or the word "
     "none"},
    {"--rounds", read_rounds, "a number from 1 to 1000"},
    {"--seconds", read_seconds, "seconds for one case, from 0.000001 to 3600"},
    {"--timeout", read_timeout, "seconds for one worker's run, from 1 to 86400"},
    {"--json", read_json, "the name of a file to write"},
    {"--mpjrun", read_mpjrun, "the path of mpjrun"},
};

void bench_options_help(FILE *f)
{
  fputs("mpj-bench coll [options]: time MPJ's collectives beside MPICH's and Open MPI's\n\n"
        "  --ops LIST         barrier, bcast, gather, scatter, allgather, alltoall, reduce,\n"
        "                     allreduce, reduce_scatter, scan, exscan, matrix, transpose,\n"
        "                     redistribute\n"
        "                     (default: all)\n"
        "  --p LIST           numbers of ranks (2,4,8,16)\n"
        "  --sizes LIST       bytes of a rank's block, multiples of 8\n"
        "                     (8,1024,65536,1048576,16777216)\n"
        "  --orders LIST      n for the n x n matrices of doubles (512,4096)\n"
        "  --timings LIST     back_to_back, dependent, rewritten, separate\n"
        "                     (the first three; a barrier has the first)\n"
        "  --buffers WHOSE    private, or library: MPJ_Alloc_mem's and MPI_Alloc_mem's (private)\n"
        "  --transports LIST  of MPJ: shm, threads (both)\n"
        "  --peers LIST       mpich, openmpi, openmpi-sm (its shared-memory\n"
        "                     collectives preferred), mpich:PREFIX and ompi:PREFIX, others of\n"
        "                     those installed there, and last mpj:PREFIX, another build of MPJ;\n"
        "                     or none (mpich,openmpi,openmpi-sm). One that is\n"
        "                     named and missing makes the exit status 1\n"
        "  --rounds R         runs of each engine, in turn (5)\n"
        "  --seconds S        for one case (0.15)\n"
        "  --timeout S        after which a worker begins no further case (60)\n"
        "  --quick            small and rough: one round of p = 2 and 4, 8 and 65536 bytes,\n"
        "                     n = 512, 0.02 s a case, unless said otherwise\n"
        "  --json FILE        also write the results there\n"
        "  --mpjrun PATH      MPJ's launcher (beside this program, or in PATH)\n"
        "  --help             this text\n",
        f);
}

static const struct option_row *find_row(const char *name)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strcmp(rows[i].name, name)) return &rows[i];
  return NULL;
}

/* Read the option at argv[*i] and move *i past it. */
static bool read_one(struct bench_options *o, int argc, char **argv, int *i)
{
  const char *name = argv[(*i)++];
  const struct option_row *row = find_row(name);
  if (!row) {
    fprintf(stderr, "mpj-bench: there is no option '%s'; see --help\n", name);
    return false;
  }
  if (*i == argc) {
    fprintf(stderr, "mpj-bench: %s takes %s\n", name, row->range);
    return false;
  }
  if (row->read(o, argv[(*i)++])) return true;
  fprintf(stderr, "mpj-bench: %s takes %s, not '%s'\n", name, row->range, argv[*i - 1]);
  return false;
}

/* What the command line left open. */
static void fill_in(struct bench_options *o, bool quick)
{
  if (!o->ops) o->ops = COLL_FAMILIES_TEXT;
  if (!o->sizes) o->sizes = quick ? "8,65536" : "8,1024,65536,1048576,16777216";
  if (!o->orders) o->orders = quick ? "512" : "512,4096";
  if (!o->timings) o->timings = COLL_TIMINGS_DEFAULT;
  if (!o->buffers) o->buffers = "private";
  if (!o->seconds) o->seconds = quick ? "0.02" : "0.15";
  if (!o->timeout) read_timeout(o, quick ? "20" : "60");
  if (!o->rounds) o->rounds = quick ? 1 : 5;
  if (!o->p.n) read_p(o, quick ? "2,4" : "2,4,8,16");
}

bool bench_options_read(int argc, char **argv, struct bench_options *o)
{
  bool quick = false;
  *o = (struct bench_options){.transports = {true, true}, .peers = {true, true, true}};
  for (int i = 0; i < argc;) {
    if (!strcmp(argv[i], "--quick"))
      quick = true;
    else if (!strcmp(argv[i], "--help"))
      o->help = true;
    else if (read_one(o, argc, argv, &i))
      continue;
    else
      return false;
    i++;
  }
  fill_in(o, quick);
  return true;
}
