/* This file is a job with a rank that has lost its mind: `scribble SEED`. The last rank writes
 * random words over what all ranks share in the segment but its head: the ranks' lines, windows,
 * exposures, blocks, pairs, rings, slots, streams' words or pieces, one of these or, by the seed, all;
 * then it kills itself. All run collectives meanwhile. Each ends by itself, with an
 * error or without: data may be wrong, nobody crashes. Who does not end, since a message
 * between two others has been destroyed, prints "waits" and exits with 5. */
#include <mpj/mpj.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "coll/comm/context.h"
#include "net/cells/cells.h"

enum { INTS = 60000, SECONDS_MOST = 6, SCRIBBLES = 3000 };

static uint64_t state;

static uint64_t draw(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return state >> 24;
}

/* A word as a mad peer writes it: often small, often near what was there. */
static uint64_t nonsense(uint64_t before)
{
  switch (draw() % 6) {
  case 0:
    return draw() % 300;
  case 1:
    return before + draw() % 5 - 2;
  case 2:
    return before ^ UINT64_C(1) << draw() % 64;
  case 3:
    return 0;
  case 4:
    return ~UINT64_C(0);
  default:
    return draw() << 32 | draw();
  }
}

/* Where a random word of one of the segment's parts is. */
static unsigned char *pick(struct mpj_segment *s, unsigned which)
{
  const uint64_t parts[] = {s->ranks_at, s->common_at, s->exposures_at,   s->blocks_at, s->pairs_at,
                            s->rings_at, s->slots_at,  s->streams_at, s->pieces_at, s->bytes};
  enum { PARTS = sizeof parts / sizeof *parts - 1 };
  const uint64_t from = parts[which < PARTS ? which : draw() % PARTS];
  uint64_t to = s->bytes;
  for (int i = 0; i <= PARTS; i++)
    if (parts[i] > from && parts[i] < to) to = parts[i];
  if (from == s->common_at && to > from + 4096) to = from + 4096; /* of world, as it were */
  if (to <= from + 8) return (unsigned char *)s + s->rings_at;
  return (unsigned char *)s + from + draw() % ((to - from) / 8) * 8;
}

static struct mpj_segment *segment;

/* A thread of the last rank's, which calls nothing of the library. */
static void *scribble(void *seed)
{
  const unsigned which = (unsigned)(*(const uint64_t *)seed % 12);
  usleep(5000);
  for (int i = 0; i < SCRIBBLES; i++) {
    unsigned char *at = pick(segment, which);
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = nonsense(word);
    memcpy(at, &word, sizeof word);
    if (i % 16 == 0) usleep((useconds_t)(draw() % 1000));
  }
  kill(getpid(), SIGKILL);
  return NULL;
}

static int all_of(int n, int *in, int *out)
{
  MPJ_Datatype type;
  MPJ_Type_vector(n, 1, 2, MPJ_INT, &type);
  MPJ_Type_commit(&type);
  int status = MPJ_Allreduce(in, type, out, type, MPJ_SUM, MPJ_COMM_WORLD);
  if (status == MPJ_SUCCESS) status = MPJ_Bcast(out, type, 0, MPJ_COMM_WORLD);
  MPJ_Type_free(&type);
  return status;
}

static void waits(int signal)
{
  static const char text[] = "waits\n";
  (void)signal;
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
  _exit(5);
}

static int work(bool is_mad)
{
  static int in[2 * INTS], out[2 * INTS];
  int status = MPJ_SUCCESS;
  signal(SIGALRM, waits);
  alarm(SECONDS_MOST);
  for (int i = 0; status == MPJ_SUCCESS; i++) {
    status = MPJ_Barrier(MPJ_COMM_WORLD);
    if (status == MPJ_SUCCESS) status = all_of(1, in, out);
    if (status == MPJ_SUCCESS) status = all_of(700, in, out);
    if (status == MPJ_SUCCESS && i % 16 == 0) status = all_of(INTS, in, out);
  }
  printf("%s: %s\n", MPJ_Error_string(status), MPJ_Error_detail());
  while (is_mad)
    pause(); /* until the other thread has done */
  MPJ_Finalize();
  return 0;
}

int main(int argc, char **argv)
{
  int rank, size;
  static uint64_t seed;
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  state = seed * UINT64_C(0x9e3779b97f4a7c15);
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &size);
  if (MPJ_Barrier(MPJ_COMM_WORLD) != MPJ_SUCCESS) return 1;
  pthread_t thread;
  segment = ((const struct mpj_cells *)mpj_context_current()->net->transport)->segment;
  if (rank == size - 1 && pthread_create(&thread, NULL, scribble, &seed) != 0) return 1;
  return work(rank == size - 1);
}
