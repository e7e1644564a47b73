/* This file makes random collectives that move data, served and by the MPI library. */
#include <stdlib.h>

#include "mpi/interposed.h"

/* What a v or w call says of one side: blocks of counts[i] of the trial's type, one behind
 * the other with gaps, places in extents; and in bytes with types for w. */
struct side {
  int counts[RANKS_MAX], displs[RANKS_MAX];
  int w_counts[RANKS_MAX], w_displs[RANKS_MAX];
  MPI_Datatype w_types[RANKS_MAX];
  int alike; /* w has the trial's own type everywhere */
};

/* How many elements i sends to j: all ranks know it. */
static int amount(uint64_t seed, int i, int j)
{
  struct stream s = {seed + (uint64_t)(i * RANKS_MAX + j) * 977};
  return stream_in(&s, 0, 3);
}

/* Blocks for peers; `receives`: from them, else to them. In place both are alike. */
static void make_side(struct trial *t, uint64_t seed, int receives, int symmetric,
                      struct side *side)
{
  int at = 0;
  MPI_Aint lb, extent, place = 0;
  PMPI_Type_get_extent(t->type, &lb, &extent);
  side->alike = stream_in(t->own, 0, 3) == 0;
  for (int i = 0; i < t->size; i++) {
    const int from = receives ? i : t->rank, to = receives ? t->rank : i;
    const int low = from < to ? from : to, high = from < to ? to : from;
    const int n = symmetric ? amount(seed, low, high) : amount(seed, from, to);
    side->counts[i] = n;
    side->displs[i] = at;
    at += n + stream_in(t->own, 0, 1);
    side->w_counts[i] = n;
    side->w_types[i] =
        side->alike ? t->type : tiled_mpi_other(t->own, n, t->type, &side->w_counts[i]);
    side->w_displs[i] = (int)place;
    place += 2 * n * extent + stream_in(t->own, 0, 8);
  }
}

static void end_side(struct trial *t, struct side *side)
{
  if (side->alike) return;
  for (int i = 0; i < t->size; i++)
    MPI_Type_free(&side->w_types[i]);
}

static int in_place(struct trial *t)
{
  return stream_in(t->all, 0, 2) == 0;
}

static void bcast(struct trial *t)
{
  int count;
  MPI_Datatype type = tiled_mpi_other(t->own, stream_in(t->all, 0, 4), t->type, &count);
#define A(i) t->recv[i], count, type, t->root, t->comm
  TRIAL_CALL(t, Bcast, Ibcast, Bcast_init, A);
#undef A
  MPI_Type_free(&type);
}

/* Arguments that only the root's count have nonsense elsewhere. */
static void gather(struct trial *t)
{
  const int n = stream_in(t->all, 0, 3), is_root = t->rank == t->root;
  const int placed = in_place(t) && is_root;
  int count;
  MPI_Datatype type = tiled_mpi_other(t->own, n, t->type, &count);
  const MPI_Datatype recvtype = is_root ? t->type : MPI_DATATYPE_NULL;
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], count, type, is_root ? t->recv[i] : NULL, is_root ? n : -1,  \
      recvtype, t->root, t->comm
  TRIAL_CALL(t, Gather, Igather, Gather_init, A);
#undef A
  MPI_Type_free(&type);
}

static void scatter(struct trial *t)
{
  const int n = stream_in(t->all, 0, 3), is_root = t->rank == t->root;
  const int placed = in_place(t) && is_root;
  int count;
  MPI_Datatype type = tiled_mpi_other(t->own, n, t->type, &count);
  const MPI_Datatype sendtype = is_root ? t->type : MPI_DATATYPE_NULL;
#define A(i)                                                                                       \
  is_root ? t->send[i] : NULL, is_root ? n : -1, sendtype, placed ? MPI_IN_PLACE : t->recv[i],     \
      count, type, t->root, t->comm
  TRIAL_CALL(t, Scatter, Iscatter, Scatter_init, A);
#undef A
  MPI_Type_free(&type);
}

/* The root's lists: what each rank has to do with it. */
static void rooted_side(struct trial *t, uint64_t seed, struct side *side)
{
  const int rank = t->rank;
  t->rank = t->root;
  make_side(t, seed, 1, 0, side);
  t->rank = rank;
}

static void gatherv(struct trial *t)
{
  const uint64_t seed = (uint64_t)stream_in(t->all, 0, 1 << 20);
  const int is_root = t->rank == t->root, placed = in_place(t) && is_root;
  int count;
  struct side side;
  rooted_side(t, seed, &side);
  MPI_Datatype type = tiled_mpi_other(t->own, side.counts[t->rank], t->type, &count);
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], count, type, t->recv[i], is_root ? side.counts : NULL,       \
      is_root ? side.displs : NULL, t->type, t->root, t->comm
  TRIAL_CALL(t, Gatherv, Igatherv, Gatherv_init, A);
#undef A
  MPI_Type_free(&type);
  end_side(t, &side);
}

static void scatterv(struct trial *t)
{
  const uint64_t seed = (uint64_t)stream_in(t->all, 0, 1 << 20);
  const int is_root = t->rank == t->root, placed = in_place(t) && is_root;
  int count;
  struct side side;
  rooted_side(t, seed, &side);
  MPI_Datatype type = tiled_mpi_other(t->own, side.counts[t->rank], t->type, &count);
#define A(i)                                                                                       \
  t->send[i], is_root ? side.counts : NULL, is_root ? side.displs : NULL, t->type,                 \
      placed ? MPI_IN_PLACE : t->recv[i], count, type, t->root, t->comm
  TRIAL_CALL(t, Scatterv, Iscatterv, Scatterv_init, A);
#undef A
  MPI_Type_free(&type);
  end_side(t, &side);
}

static void allgather(struct trial *t)
{
  const int n = stream_in(t->all, 0, 3), placed = in_place(t);
  int count;
  MPI_Datatype type = tiled_mpi_other(t->own, n, t->type, &count);
#define A(i) placed ? MPI_IN_PLACE : t->send[i], count, type, t->recv[i], n, t->type, t->comm
  TRIAL_CALL(t, Allgather, Iallgather, Allgather_init, A);
#undef A
  MPI_Type_free(&type);
}

static void allgatherv(struct trial *t)
{
  const int placed = in_place(t);
  int count;
  struct side side;
  rooted_side(t, (uint64_t)stream_in(t->all, 0, 1 << 20), &side);
  MPI_Datatype type = tiled_mpi_other(t->own, side.counts[t->rank], t->type, &count);
#ifdef OMPI_MAJOR_VERSION /* whose ranks choose different algorithms where their types differ */
  count = side.counts[t->rank];
  const MPI_Datatype sent = t->type;
#else
  const MPI_Datatype sent = type;
#endif
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], count, sent, t->recv[i], side.counts, side.displs, t->type,  \
      t->comm
  TRIAL_CALL(t, Allgatherv, Iallgatherv, Allgatherv_init, A);
#undef A
  MPI_Type_free(&type);
  end_side(t, &side);
}

static void alltoall(struct trial *t)
{
  const int n = stream_in(t->all, 0, 3), placed = in_place(t) && t->form == BLOCKING;
  int sends, receives;
  MPI_Datatype out = tiled_mpi_other(t->own, n, t->type, &sends);
  MPI_Datatype in = tiled_mpi_other(t->own, n, t->type, &receives);
#define A(i) placed ? MPI_IN_PLACE : t->send[i], sends, out, t->recv[i], receives, in, t->comm
  TRIAL_CALL(t, Alltoall, Ialltoall, Alltoall_init, A);
#undef A
  MPI_Type_free(&out);
  MPI_Type_free(&in);
}

static void alltoallv_or_w(struct trial *t, int w)
{
  const uint64_t seed = (uint64_t)stream_in(t->all, 0, 1 << 20);
  const int placed = in_place(t) && t->form == BLOCKING;
  struct side send, recv;
  if (t->size == 1) t->form = BLOCKING; /* Open MPI 4.1 crashes in PMPI_Ialltoallw of one rank */
  make_side(t, seed, 0, placed, &send);
  make_side(t, seed, 1, placed, &recv);
  if (w) {
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], send.w_counts, send.w_displs, send.w_types, t->recv[i],      \
      recv.w_counts, recv.w_displs, recv.w_types, t->comm
    TRIAL_CALL(t, Alltoallw, Ialltoallw, Alltoallw_init, A);
#undef A
  } else {
#define A(i)                                                                                       \
  placed ? MPI_IN_PLACE : t->send[i], send.counts, send.displs, t->type, t->recv[i], recv.counts,  \
      recv.displs, t->type, t->comm
    TRIAL_CALL(t, Alltoallv, Ialltoallv, Alltoallv_init, A);
#undef A
  }
  end_side(t, &send);
  end_side(t, &recv);
}

void trial_move(struct trial *t)
{
  t->type = tiled_mpi(t->all, 3);
  switch (stream_in(t->all, 0, 9)) {
  case 0:
    bcast(t);
    break;
  case 1:
    gather(t);
    break;
  case 2:
    gatherv(t);
    break;
  case 3:
    scatter(t);
    break;
  case 4:
    scatterv(t);
    break;
  case 5:
    allgather(t);
    break;
  case 6:
    allgatherv(t);
    break;
  case 7:
    alltoall(t);
    break;
  case 8:
    alltoallv_or_w(t, 0);
    break;
  default:
    alltoallv_or_w(t, 1);
  }
  tiled_mpi_free(&t->type);
}
