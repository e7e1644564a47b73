/* This file reads the command line. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coll/select/algorithms.h"
#include "machines.h"
#include "values.h"

enum { EXIT_USAGE = 2, GO_ON = -1 };

static const char usage[] =
    "usage: mpj-sim [OPTION ...]\n"
    "       mpj-sim sweep [--ops LIST] [--counts LIST] [--sizes LIST] [OPTION ...]\n"
    "       mpj-sim tune --json FILE [--ops LIST] ...\n"
    "\n"
    "Run a collective on a simulated machine: the library itself, its ranks one context each\n"
    "in this process, and its time a queue of events. All that is printed is simulated.\n"
    "\n"
    "The machine (spec/simulated-machine.md); --preset, --machine and --measured are read first:\n"
    "  --torus DIMS, --mesh DIMS   nodes in n dimensions: 64x32x32\n"
    "  --fattree DIMS              children of a switch on each level, the lowest first: 16x16x16\n"
    "  --flat                      every node as near to every other (what is taken otherwise)\n"
    "  --preset NAME               a published machine: --presets lists them with their sources\n"
    "  --machine FILE              a description in JSON\n"
    "  --measured[=HOW]            this one: what mpj-bench am --machine finds between two ranks that\n"
    "                              are joined by shm (processes), threads or ucx (shm)\n"
    "  --set NAME=TIME             one of its times: o g latency hop byte link_byte node_latency\n"
    "                              node_byte copy_byte reduce_byte jitter notice; --set latency=2us\n"
    "  --align BYTES               buffers that data can be put into begin at multiples of this\n"
    "  --ranks N                   (as many as the nodes hold; 64 where the machine is flat)\n"
    "  --ranks-per-node N          (1)\n"
    "\n"
    "What the ranks do:\n"
    "  --op NAME                   barrier bcast gather scatter allgather alltoall reduce allreduce\n"
    "                              reduce_scatter scan exscan (barrier)\n"
    "  --bytes N                   of the data, K, M and G behind it: of Bcast and the reductions\n"
    "                              all of it, of the others what goes from a rank to a rank (8)\n"
    "  --payload KIND              real; virtual: an origin, a place and a digest instead of bytes,\n"
    "                              of Bcast alone; by-size: virtual above 64 KiB on more than 300\n"
    "                              ranks (by-size)\n"
    "  --type TEXT                 that data as a datatype (spec/datatypes-text.md), not of the\n"
    "                              reductions\n"
    "  --root RANK                 (0)\n"
    "  --algorithm WORD            as MPJ_COLL_<OP> takes it: knomial:radix=4,segment=8192\n"
    "  --repeat N                  calls in a row (1)\n"
    "  --late RANK:TIME            this rank enters so much later; again for others\n"
    "  --skew TIME                 rank i enters i times so much later\n"
    "  --random TIME               each rank enters up to so much later, as the seed has it\n"
    "  --shift RANK:BYTES          this rank's buffers begin so many bytes behind an aligned place\n"
    "  --kill RANK:TIME            this rank dies then; again for others\n"
    "  --seed N                    of --random and of the machine's jitter (1)\n"
    "\n"
    "What is told:\n"
    "  --csv FILE                  a line a rank: rank,entered_ps,left_ps,sent,received\n"
    "  --json FILE                 the table; --cost adds peak_bytes and seconds of the simulation\n"
    "  --svg FILE                  a picture of when the ranks left\n"
    "  --trace FILE                a trace for Perfetto of the first ranks: --trace-ranks N (16)\n"
    "  --messages FILE             a line a message: kind,from,to,bytes,begun_ps,ended_ps\n"
    "  --quiet                     no table, no progress bar\n"
    "  --memory BYTES              refuse what would take more (8G)\n"
    "  --help, --presets\n"
    "\n"
    "sweep runs every algorithm of the operations in --ops (all) on each number of ranks in --counts\n"
    "(8,64) with each size in --sizes (8,1K,32K), or those of --algorithm, which may be given again;\n"
    "--csv FILE has a line a time, --svg FILE draws them beside the first one's. tune also writes\n"
    "rules that choose the best, for MPJ_COLL_FILE. The machine, --late and the like are as above.\n"
    "\n"
    "Every rank's data is checked against a serial reference. Options without effect are wrong.\n"
    "Exit status: 0; 1 a call failed, its outcome is wrong, or it ran by another algorithm than was\n"
    "asked for; 2 wrong arguments.\n";

enum {
  TORUS = 256, MESH, FATTREE, FLAT, PRESET, MACHINE, MEASURED, SET, RANKS, PER_NODE, OP, BYTES, TYPE, PAYLOAD, ROOT,
  ALGORITHM, REPEAT, LATE, SKEW, RANDOM, KILL, SHIFT, ALIGN, SEED, CSV, JSON, COST, SVG, TRACE, TRACE_RANKS, MESSAGES,
  QUIET, MEMORY, HELP, PRESETS, OPS, COUNTS, SIZES
};

static const struct option long_options[] = {{"torus", 1, NULL, TORUS},
                                             {"mesh", 1, NULL, MESH},
                                             {"fattree", 1, NULL, FATTREE},
                                             {"flat", 0, NULL, FLAT},
                                             {"preset", 1, NULL, PRESET},
                                             {"machine", 1, NULL, MACHINE},
                                             {"measured", 2, NULL, MEASURED},
                                             {"set", 1, NULL, SET},
                                             {"ranks", 1, NULL, RANKS},
                                             {"ranks-per-node", 1, NULL, PER_NODE},
                                             {"op", 1, NULL, OP},
                                             {"bytes", 1, NULL, BYTES},
                                             {"type", 1, NULL, TYPE},
                                             {"payload", 1, NULL, PAYLOAD},
                                             {"root", 1, NULL, ROOT},
                                             {"algorithm", 1, NULL, ALGORITHM},
                                             {"repeat", 1, NULL, REPEAT},
                                             {"late", 1, NULL, LATE},
                                             {"skew", 1, NULL, SKEW},
                                             {"random", 1, NULL, RANDOM},
                                             {"kill", 1, NULL, KILL},
                                             {"shift", 1, NULL, SHIFT},
                                             {"align", 1, NULL, ALIGN},
                                             {"seed", 1, NULL, SEED},
                                             {"csv", 1, NULL, CSV},
                                             {"json", 1, NULL, JSON},
                                             {"cost", 0, NULL, COST},
                                             {"svg", 1, NULL, SVG},
                                             {"trace", 1, NULL, TRACE},
                                             {"trace-ranks", 1, NULL, TRACE_RANKS},
                                             {"messages", 1, NULL, MESSAGES},
                                             {"quiet", 0, NULL, QUIET},
                                             {"memory", 1, NULL, MEMORY},
                                             {"help", 0, NULL, HELP},
                                             {"presets", 0, NULL, PRESETS},
                                             {"ops", 1, NULL, OPS},
                                             {"counts", 1, NULL, COUNTS},
                                             {"sizes", 1, NULL, SIZES},
                                             {NULL, 0, NULL, 0}};

static bool read_operations(const char *text, unsigned *ops, char *why, size_t size)
{
  char one[32];
  for (*ops = 0;; text++) {
    const size_t length = strcspn(text, ",");
    snprintf(one, sizeof one, "%.*s", (int)(length < sizeof one ? length : sizeof one - 1), text);
    const enum mpj_operation op = mpj_operation_of_word(one);
    if (op == MPJ_OPERATION_NONE) {
      snprintf(why, size, "there is no operation \"%s\"", one);
      return false;
    }
    *ops |= 1u << op;
    text += length;
    if (*text == '\0') return true;
  }
}

static bool read_operation(const char *word, struct run_options *r, char *why, size_t size)
{
  r->operation = mpj_operation_of_word(word);
  if (r->operation != MPJ_OPERATION_NONE) return true;
  snprintf(why, size, "there is no operation \"%s\"", word);
  return false;
}

static bool read_payload(const char *text, enum payload *payload, char *why, size_t size)
{
  static const char *const words[] = {"by-size", "real", "virtual"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, words[i]) == 0) {
      *payload = (enum payload)i;
      return true;
    }
  snprintf(why, size, "\"%s\" is not real, virtual or by-size", text);
  return false;
}

/* One of several options that give the machine's shape: there is one shape. */
static bool read_shape(enum mpj_sim_kind kind, const char *option, const char *text,
                       struct options *o, char *why, size_t size)
{
  if (o->shape && strcmp(o->shape, option) != 0) {
    snprintf(why, size, "--%s%s%s has given the machine's shape", o->shape, o->dims ? " " : "",
             o->dims ? o->dims : "");
    return false;
  }
  o->shape = option;
  o->dims = text;
  return machine_shape(kind, text, &o->run.machine, why, size);
}

/* What the others change: it is read before them, wherever it stands. */
static bool is_base(int option)
{
  return option == PRESET || option == MACHINE || option == MEASURED;
}

/* The commands that an option has an effect on. */
static unsigned commands_of(int option)
{
  switch (option) {
  case RANKS:
  case OP:
  case BYTES:
  case TYPE:
  case KILL:
  case COST:
  case TRACE:
  case TRACE_RANKS:
  case MESSAGES:
    return 1u << RUN;
  case OPS:
  case COUNTS:
  case SIZES:
    return 1u << SWEEP | 1u << TUNE;
  case ALGORITHM:
    return 1u << RUN | 1u << SWEEP;
  case JSON:
    return 1u << RUN | 1u << TUNE;
  default:
    return 1u << RUN | 1u << SWEEP | 1u << TUNE;
  }
}

static bool check_command(int option, enum command command, char *why, size_t size)
{
  static const char *const names[] = {"a run", "sweep", "tune"};
  const unsigned all = commands_of(option);
  if (all >> command & 1) return true;
  int used = snprintf(why, size, "it is not for %s, but for", names[command]);
  for (unsigned c = 0; c < 3; c++)
    if (all >> c & 1)
      used += snprintf(why + used, size - (size_t)used, "%s %s",
                       all & ((1u << c) - 1) ? " and" : "", names[c]);
  return false;
}

/* One option; what is wrong is in why. */
static bool take(int option, const char *text, struct options *o, char *why, size_t size)
{
  struct run_options *r = &o->run;
  int64_t n;
  switch (option) {
  case TORUS:
    return read_shape(MPJ_SIM_TORUS, "torus", text, o, why, size);
  case MESH:
    return read_shape(MPJ_SIM_MESH, "mesh", text, o, why, size);
  case FATTREE:
    return read_shape(MPJ_SIM_FATTREE, "fattree", text, o, why, size);
  case FLAT:
    return read_shape(MPJ_SIM_FLAT, "flat", NULL, o, why, size);
  case PRESET:
    return machine_preset(text, &r->machine, why, size);
  case MACHINE:
    return machine_read(text, &r->machine, why, size);
  case MEASURED:
    return machine_measured(text ? text : "shm", &r->machine, why, size);
  case SET:
    return machine_set(text, &r->machine, why, size);
  case RANKS:
    return read_int(text, 1, &r->machine.ranks, why, size);
  case PER_NODE:
    return read_int(text, 1, &r->machine.ranks_per_node, why, size);
  case OP:
    return read_operation(text, r, why, size);
  case BYTES:
    o->bytes = text;
    return read_number(text, 0, INT64_C(1) << 40, &r->bytes, why, size);
  case TYPE:
    r->type = text;
    return true;
  case PAYLOAD:
    return read_payload(text, &r->payload, why, size);
  case ROOT:
    return read_int(text, 0, &r->root, why, size);
  case ALGORITHM:
    if (o->nalgorithms == LIST_MOST) {
      snprintf(why, size, "\"%s\" is one more than %d", text, LIST_MOST);
      return false;
    }
    o->algorithms[o->nalgorithms++] = text;
    return true;
  case REPEAT:
    return read_int(text, 1, &r->repeat, why, size);
  case LATE:
    return add_rank_time(text, &r->late, &r->nlate, why, size);
  case SKEW:
    return read_time(text, &r->skew_ps, why, size);
  case RANDOM:
    return read_time(text, &r->random_ps, why, size);
  case KILL:
    return add_rank_time(text, &r->deaths, &r->ndeaths, why, size);
  case SHIFT:
    return add_rank_bytes(text, &r->shifted, &r->nshifted, why, size);
  case ALIGN:
    return read_int(text, 0, &r->machine.align_bytes, why, size);
  case SEED:
    if (!read_number(text, 0, INT64_MAX, &n, why, size)) return false;
    r->seed = (uint64_t)n;
    return true;
  case CSV:
    o->csv = text;
    return true;
  case JSON:
    o->json = text;
    return true;
  case COST:
    o->cost = true;
    return true;
  case SVG:
    o->svg = text;
    return true;
  case TRACE:
    o->trace = text;
    return true;
  case MESSAGES:
    o->messages = text;
    return true;
  case TRACE_RANKS:
    return read_int(text, 1, &o->trace_ranks, why, size);
  case QUIET:
    o->quiet = true;
    return true;
  case OPS:
    return read_operations(text, &o->ops, why, size);
  case COUNTS:
    return read_list(text, 1, &o->counts, why, size);
  case SIZES:
    return read_list(text, 0, &o->sizes, why, size);
  case MEMORY:
    return read_number(text, 1, INT64_MAX, &r->memory_bytes, why, size);
  default:
    snprintf(why, size, "--help tells what there is");
    return false;
  }
}

/* The options that others change, or those others. GO_ON, or the program's exit code. */
static int parse(int argc, char **argv, bool base, struct options *o)
{
  char why[500];
  int option, which;
  optind = o->command == RUN ? 1 : 2;
  while ((option = getopt_long(argc, argv, "+", long_options, &which)) != -1) {
    if (option == HELP || option == PRESETS) {
      if (option == HELP)
        fputs(usage, stdout);
      else
        machine_list(stdout);
      return 0;
    }
    if (option == '?') return EXIT_USAGE;
    if (is_base(option) != base) continue;
    const char *text = optarg;
    if (!check_command(option, o->command, why, sizeof why))
      fprintf(stderr, "mpj-sim: --%s%s%s: %s\n", long_options[which].name, text ? " " : "",
              text ? text : "", why);
    else if (take(option, text, o, why, sizeof why))
      continue;
    else
      fprintf(stderr, "mpj-sim: --%s: %s\n", long_options[which].name, why);
    return EXIT_USAGE;
  }
  if (optind == argc) return GO_ON;
  fprintf(stderr, "mpj-sim: there is no \"%s\"; --help tells what there is\n", argv[optind]);
  return EXIT_USAGE;
}

int options_read(int argc, char **argv, struct options *o)
{
  char why[500];
  *o = (struct options){.ops = ~1u,
                        .counts = {2, {8, 64}},
                        .sizes = {3, {8, 1024, 32768}},
                        .run = {.machine = {.ranks_per_node = 1},
                                .seed = 1,
                                .operation = MPJ_OPERATION_BARRIER,
                                .bytes = 8,
                                .repeat = 1,
                                .gives_nothing_back = true,
                                .memory_bytes = INT64_C(8) << 30}};
  machine_preset("flat", &o->run.machine, why, sizeof why);
  if (argc > 1 && (strcmp(argv[1], "sweep") == 0 || strcmp(argv[1], "tune") == 0))
    o->command = argv[1][0] == 's' ? SWEEP : TUNE;
  for (int base = 1; base >= 0; base--) {
    const int code = parse(argc, argv, base > 0, o);
    if (code != GO_ON) return code;
  }
  if (options_complete(o, why, sizeof why)) return GO_ON;
  fprintf(stderr, "mpj-sim: %s\n", why);
  return EXIT_USAGE;
}

void options_end(struct options *o)
{
  mpj_free(o->run.late);
  mpj_free(o->run.deaths);
  mpj_free(o->run.shifted);
}
