/* This program receives less than it has room for, which MPI libraries let pass where each transfer
 * is of two ranks: in Gather(v), Scatter(v), Allgather and Alltoall(v, w), of random sizes, dense
 * and with gaps, and in Alltoallv and w in place. What came is at the beginning of its room, and
 * the rest is as it was. (The libraries' trees of Gather and Scatter leave parts elsewhere, or
 * hang: this is for the interposer.)
 *
 *   shorter FIRST N   rounds FIRST .. FIRST + N - 1 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 16, LENGTHS = 6 };

static int rank, size, seed;

/* One stream on all ranks. */
static unsigned next_of(uint64_t *state)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (unsigned)(*state >> 33);
}

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "rank %d of %d, round %d: wrong %s\n", rank, size, seed, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What rank r has at place i of its send buffer. */
static int value(int r, int i)
{
  return r * 10000019 + i + 1;
}

struct round {
  int sent[RANKS][RANKS], even;          /* ints: from whom to whom; from each to each */
  int room[RANKS], displs[RANKS], total; /* of a part at anybody */
  int root, gaps;
  MPI_Datatype type; /* of what is received */
  int *send, *recv;  /* the latter 0 between the calls */
};

static void draw(struct round *r)
{
  static const int lengths[LENGTHS] = {0, 1, 7, 90, 3000, 30000};
  uint64_t state = (uint64_t)seed * 7919 + 1;
  *r = (struct round){.root = (int)(next_of(&state) % (unsigned)size),
                      .gaps = next_of(&state) % 3 == 0};
  for (int i = 0; i < size; i++) {
    r->room[i] = lengths[next_of(&state) % LENGTHS] + 1;
    r->displs[i] = r->total;
    r->total += r->room[i];
    for (int j = 0; j < size; j++)
      r->sent[j][i] = (int)(next_of(&state) % (unsigned)(r->room[i] + 1));
  }
  r->even = (int)(next_of(&state) % (unsigned)(r->room[0] + 1));
  MPI_Type_create_resized(MPI_INT, 0, (r->gaps + 1) * (MPI_Aint)sizeof(int), &r->type);
  MPI_Type_commit(&r->type);
  const int most = size * 30001;
  r->send = malloc((size_t)most * sizeof *r->send);
  r->recv = calloc((size_t)most * 2, sizeof *r->recv);
  check(r->send && r->recv, "memory");
  for (int i = 0; i < most; i++)
    r->send[i] = value(rank, i);
}

/* At element `at` of the receive buffer is room for so many, in which `n` came: from rank `from`,
 * from place `first` on. It is 0 again. */
static void expect(struct round *r, int at, int room, int n, int from, int first, const char *what)
{
  int *const data = r->recv + (size_t)at * (size_t)(r->gaps + 1);
  for (int i = 0; i < room * (r->gaps + 1); i++) {
    const int k = i / (r->gaps + 1);
    const int is_data = i % (r->gaps + 1) == 0 && k < n;
    check(data[i] == (is_data ? value(from, first + k) : 0), what);
    data[i] = 0;
  }
}

static void gather(struct round *r)
{
  const int is_root = rank == r->root;
  MPI_Gatherv(r->send + rank, r->sent[0][rank], MPI_INT, r->recv, r->room, r->displs, r->type,
              r->root, MPI_COMM_WORLD);
  for (int i = 0; is_root && i < size; i++)
    expect(r, r->displs[i], r->room[i], r->sent[0][i], i, i, "Gatherv");
  MPI_Gather(r->send, r->even, MPI_INT, r->recv, r->room[0], r->type, r->root, MPI_COMM_WORLD);
  for (int i = 0; is_root && i < size; i++)
    expect(r, i * r->room[0], r->room[0], r->even, i, 0, "Gather");
}

static void scatter(struct round *r)
{
  MPI_Request request;
  MPI_Iscatterv(r->send, r->sent[0], r->displs, MPI_INT, r->recv, r->room[rank], r->type, r->root,
                MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(r, 0, r->room[rank], r->sent[0][rank], r->root, r->displs[rank], "Iscatterv");
  MPI_Scatter(r->send, r->even, MPI_INT, r->recv, r->room[0], r->type, r->root, MPI_COMM_WORLD);
  expect(r, 0, r->room[0], r->even, r->root, rank * r->even, "Scatter");
}

static void allgather(struct round *r)
{
  MPI_Request request;
  MPI_Allgather(r->send, r->even, MPI_INT, r->recv, r->room[0], r->type, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    expect(r, i * r->room[0], r->room[0], r->even, i, 0, "Allgather");
  MPI_Iallgather(r->send + 1, r->even, MPI_INT, r->recv, r->room[0], r->type, MPI_COMM_WORLD,
                 &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size; i++)
    expect(r, i * r->room[0], r->room[0], r->even, i, 1, "Iallgather");
}

static void alltoall(struct round *r)
{
  int room[RANKS], displs[RANKS], bytes[RANKS], from[RANKS] = {0};
  MPI_Datatype ints[RANKS], types[RANKS];
  for (int i = 0; i < size; i++) {
    room[i] = r->room[rank];
    displs[i] = i * room[i];
    bytes[i] = displs[i] * (r->gaps + 1) * (int)sizeof(int);
    ints[i] = MPI_INT;
    types[i] = r->type;
  }
  MPI_Alltoallv(r->send, r->sent[rank], from, MPI_INT, r->recv, room, displs, r->type,
                MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    expect(r, displs[i], room[i], r->sent[i][rank], i, 0, "Alltoallv");
  MPI_Alltoallw(r->send, r->sent[rank], from, ints, r->recv, room, bytes, types, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    expect(r, displs[i], room[i], r->sent[i][rank], i, 0, "Alltoallw");
  MPI_Alltoall(r->send, r->even, MPI_INT, r->recv, r->room[0], r->type, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    expect(r, i * r->room[0], r->room[0], r->even, i, rank * r->even, "Alltoall");
}

/* What the rank's part for itself, or for a peer, lies at and how long it is there. */
struct part {
  int at, n;
};

static struct part part_of(const struct round *r, int owner, int peer)
{
  struct part part = {.at = 0};
  for (int i = 0; i <= peer; i++) {
    part.at += part.n + 1;
    part.n = r->sent[owner][i] % (2 * size) ? r->sent[owner < i ? owner : i][owner < i ? i : owner]
                                            : r->sent[owner][i];
  }
  return part;
}

/* In place both ends of a pair say how long it is, and one that has less room than comes has made
 * an error: then it has its own data or what came. The other's is the beginning of its room. */
static void in_place(struct round *r, MPI_Comm comm)
{
  int counts[RANKS], displs[RANKS], bytes[RANKS], fits = 1;
  MPI_Datatype types[RANKS];
  const int unit = r->gaps + 1;
  for (int i = 0; i < size; i++) {
    const struct part part = part_of(r, rank, i);
    counts[i] = part.n;
    displs[i] = part.at;
    bytes[i] = part.at * unit * (int)sizeof(int);
    types[i] = r->type;
    fits = fits && part_of(r, i, rank).n <= part.n;
  }
  const int used = (displs[size - 1] + counts[size - 1] + 1) * unit;
  for (int form = 0; form < 3; form++) {
    MPI_Request request;
    for (int i = 0; i < used; i++)
      r->recv[i] = value(rank, i);
    int code;
    if (form == 0)
      code =
          MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, r->recv, counts, displs, r->type, comm);
    else if (form == 1)
      code = MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, r->recv, counts, bytes, types, comm);
    else {
      code = MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, r->recv, counts, bytes, types, comm,
                            &request);
      if (!code) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    check((code == MPI_SUCCESS) == fits, "outcome of Alltoall in place");
    for (int i = 0; i < size; i++) {
      const struct part part = part_of(r, rank, i), sent = part_of(r, i, rank);
      for (int k = 0; k < part.n; k++) {
        const int own = value(rank, (part.at + k) * unit);
        const int came = k < sent.n ? value(i, (sent.at + k) * unit) : own;
        int *const now = &r->recv[(part.at + k) * unit];
        check(*now == came || (!fits && *now == own), "Alltoall in place");
        *now = own;
      }
    }
    for (int i = 0; i < used; i++)
      check(r->recv[i] == value(rank, i), "rest of Alltoall in place");
    MPI_Barrier(comm);
  }
  for (int i = 0; i < used; i++)
    r->recv[i] = 0;
}

int main(int argc, char **argv)
{
  const int first = argc > 1 ? atoi(argv[1]) : 0, n = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm pairs;
  MPI_Comm_dup(MPI_COMM_WORLD, &pairs);
  MPI_Comm_set_errhandler(pairs, MPI_ERRORS_RETURN);
  MPI_Barrier(pairs);
  for (seed = first; seed < first + n; seed++) {
    struct round r;
    draw(&r);
    gather(&r);
    scatter(&r);
    allgather(&r);
    alltoall(&r);
    in_place(&r, pairs);
    MPI_Type_free(&r.type);
    free(r.send);
    free(r.recv);
  }
  if (rank == 0) printf("all right\n");
  MPI_Finalize();
  return 0;
}
