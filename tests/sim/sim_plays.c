/* This program runs collectives on simulated machines and has each rank's data checked against a
 * serial reference (tools/mpj-sim/program.c).
 *
 *   sim_plays algorithms [--ranks A-B [--every N]]
 *                                        each algorithm by its name, a process each; with --every on
 *                                        one in N of these numbers of ranks, others for others
 *   sim_plays seeds N [FIRST]            N random machines, arrivals and operations
 *   sim_plays deaths N [FIRST]           the same, where ranks die: whoever lives leaves, with
 *                                        success or MPJ_ERR_PEER
 *
 * A play that fails is printed with its seed; `sim_plays seeds 1 SEED` plays it again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "coll/select/algorithms.h"
#include "run.h"

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static int below(uint64_t *state, int n)
{
  return (int)(draw(state) % (uint64_t)n);
}

static const struct mpj_sim_machine times = {.o_ps = 500000,
                                             .g_ps = 300000,
                                             .latency_ps = 1000000,
                                             .hop_ps = 70000,
                                             .byte_fs = 900000,
                                             .link_byte_fs = 1100000,
                                             .node_latency_ps = 200000,
                                             .node_byte_fs = 100000,
                                             .copy_byte_fs = 200000,
                                             .reduce_byte_fs = 400000,
                                             .jitter_ps = 3000000,
                                             .notice_ps = 20000000};

/* A machine for p ranks. */
static struct mpj_sim_machine machine_for(uint64_t *state, int p)
{
  struct mpj_sim_machine m = times;
  m.ranks = p;
  m.ranks_per_node = 1 + below(state, 4);
  m.kind = (enum mpj_sim_kind)below(state, MPJ_SIM_KINDS);
  m.ndims = m.kind == MPJ_SIM_FLAT ? 0 : 1 + below(state, 3);
  for (int i = 0; i < m.ndims; i++)
    m.dims[i] = 1 + below(state, 4);
  while (m.ndims > 0 && mpj_sim_nodes(&m) * m.ranks_per_node < p)
    m.dims[below(state, m.ndims)]++;
  return m;
}

/* Whether the run went as it should: no error; with deaths, only those of dead ranks. */
static bool play(struct run_options *o, const char *title)
{
  struct result r;
  const int status = run_program(o, NULL, NULL, &r);
  bool good = status == MPJ_SUCCESS;
  if (!good) printf("%s: %s\n", title, MPJ_Error_detail());
  for (int i = 0; good && i < r.ranks; i++) {
    const int code = r.of[i].status;
    if (code == MPJ_SUCCESS || (code == MPJ_ERR_PEER && o->ndeaths > 0)) continue;
    printf("%s: rank %d got %d: %s\n", title, i, code, r.why);
    good = false;
  }
  if (status == MPJ_SUCCESS) result_end(&r);
  return good;
}

static int play_seed(uint64_t seed, bool deaths)
{
  static const MPJ_Count sizes[] = {0, 1, 8, 24, 333, 4096, 8200, 40000};
  uint64_t state = seed;
  char title[120];
  const int p = 1 + below(&state, below(&state, 8) == 0 ? 64 : 17);
  struct rank_time dies[2];
  struct run_options o = {.machine = machine_for(&state, p),
                          .seed = draw(&state),
                          .operation = (enum mpj_operation)(
                              MPJ_OPERATION_BARRIER +
                              below(&state, MPJ_OPERATIONS - MPJ_OPERATION_BARRIER)),
                          .bytes = sizes[below(&state, sizeof sizes / sizeof *sizes)],
                          .root = below(&state, p),
                          .repeat = 1 + below(&state, 4),
                          .random_ps = below(&state, 2) * INT64_C(30000000),
                          .memory_bytes = INT64_C(4) << 30};
  if (below(&state, 4) == 0) o.repeat = 40; /* more than a window */
  if (deaths) {
    o.deaths = dies;
    o.ndeaths = 1 + below(&state, 2);
    for (int i = 0; i < o.ndeaths; i++)
      dies[i] = (struct rank_time){below(&state, p), below(&state, 60) * INT64_C(1000000)};
  }
  snprintf(title, sizeof title, "seed %llu: %s of %lld bytes, %d ranks, %d a node",
           (unsigned long long)seed, mpj_operation_name(o.operation), (long long)o.bytes, p,
           o.machine.ranks_per_node);
  return play(&o, title) ? 0 : 1;
}

/* Whether its data grows with the number of ranks. */
static bool has_parts(enum mpj_operation operation)
{
  return operation == MPJ_OPERATION_GATHER || operation == MPJ_OPERATION_SCATTER ||
         operation == MPJ_OPERATION_ALLGATHER || operation == MPJ_OPERATION_ALLTOALL ||
         operation == MPJ_OPERATION_REDUCE_SCATTER;
}

/* In a process of its own, as the settings are read once. */
static int play_algorithm(const struct mpj_algorithm *a, int first, int last, int every)
{
  static const MPJ_Count sizes[] = {8, 3000, 20000};
  char variable[MPJ_VARIABLE_BYTES], title[120];
  int bad = 0;
  setenv(mpj_operation_variable(a->operation, variable), a->name, 1);
  const int turn = (int)(a - mpj_algorithms) * 7;
  for (int p = first; p <= last; p++)
    for (int per_node = 1; per_node <= 3; per_node += 2) {
      if ((p + turn) % every != 0) continue;
      struct run_options o = {.machine = times,
                              .seed = (uint64_t)p,
                              .operation = a->operation,
                              .bytes = sizes[(p + per_node) % 3],
                              .root = p - 1,
                              .repeat = 2,
                              .random_ps = 10000000,
                              .memory_bytes = INT64_C(4) << 30};
      if (p > 17 && has_parts(a->operation)) o.bytes = o.bytes / 256 * 8 + 8;
      o.machine.kind = MPJ_SIM_FLAT;
      o.machine.ranks = p;
      o.machine.ranks_per_node = per_node;
      snprintf(title, sizeof title, "%s %s, %d ranks, %d a node", mpj_operation_name(a->operation),
               a->name, p, per_node);
      bad += !play(&o, title);
    }
  fflush(stdout);
  return bad;
}

static int play_algorithms(int first, int last, int every)
{
  int bad = 0;
  for (const struct mpj_algorithm *a = mpj_algorithms; a->name; a++) {
    int status = 1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(play_algorithm(a, first, last, every) > 0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      printf("%s %s failed\n", mpj_operation_name(a->operation), a->name);
      bad++;
    }
  }
  return bad;
}

int main(int argc, char **argv)
{
  int first = 1, last = 17, every = 1, bad = 0;
  if (argc >= 2 && strcmp(argv[1], "algorithms") == 0) {
    if (argc >= 4 && strcmp(argv[2], "--ranks") == 0 && sscanf(argv[3], "%d-%d", &first, &last) != 2)
      return 2;
    if (argc == 6 && strcmp(argv[4], "--every") == 0) every = atoi(argv[5]);
    return every < 1 ? 2 : play_algorithms(first, last, every) > 0;
  }
  const bool deaths = argc >= 3 && strcmp(argv[1], "deaths") == 0;
  if (argc < 3 || (!deaths && strcmp(argv[1], "seeds") != 0)) {
    fprintf(stderr, "usage: sim_plays algorithms [--ranks A-B [--every N]] | seeds N [FIRST] | deaths N [FIRST]\n");
    return 2;
  }
  const uint64_t n = strtoull(argv[2], NULL, 10), from = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
  for (uint64_t seed = from; seed < from + n; seed++)
    bad += play_seed(seed, deaths);
  return bad > 0;
}
