/* This file makes the communicator of an MPI one, and keeps it as an attribute of it. */
#include "mpi/convert/comm.h"

#include <mpj/am.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the key and of starting MPJ */
static int key = MPI_KEYVAL_INVALID;                     /* of what is kept */
static unsigned long generation = 1;                     /* atomic */
static bool begun_here; /* MPJ_COMM_WORLD has MPI_COMM_WORLD's ranks */

unsigned long mpi_comm_generation(void)
{
  return __atomic_load_n(&generation, __ATOMIC_ACQUIRE);
}

/* MPI calls it when the communicator is freed. */
static int forget(MPI_Comm mpi, int keyval, void *value, void *extra_state)
{
  struct mpi_comm_of *kept = value;
  int over = 0;
  (void)mpi, (void)keyval, (void)extra_state;
  __atomic_fetch_add(&generation, 1, __ATOMIC_ACQ_REL);
  MPJ_Finalized(&over);
  if (!over) mpi_comm_unlink(kept->comm);
  if (!over && kept->owned) MPJ_Comm_free(&kept->comm);
  free(kept);
  return MPI_SUCCESS;
}

const struct mpi_comm_of *mpi_comm_look(MPI_Comm mpi)
{
  const int keyval = __atomic_load_n(&key, __ATOMIC_ACQUIRE);
  void *value;
  int found = 0;
  if (keyval == MPI_KEYVAL_INVALID) return NULL;
  if (PMPI_Comm_get_attr(mpi, keyval, &value, &found) || !found) return NULL;
  return value;
}

void mpi_comm_give_up(MPI_Comm mpi)
{
  const struct mpi_comm_of *kept = mpi_comm_look(mpi);
  if (kept && kept->owned) PMPI_Comm_delete_attr(mpi, key);
}

/* --- how ranks tell each other a few bytes while they make what will carry more --- */

/* What others wait for in MPJ goes on meanwhile. */
static int finish(MPI_Request *request)
{
  int done = 0, begun = 0, over = 0;
  MPJ_Initialized(&begun);
  MPJ_Finalized(&over);
  while (!done) {
    const int status = mpi_check(PMPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (status) return status;
    if (!done && begun && !over) MPJ_Am_progress(NULL);
    if (!done) sched_yield();
  }
  return MPJ_SUCCESS;
}

static int allgather(void *ctx, const void *mine, void *all, MPJ_Count bytes)
{
  const MPI_Comm *comm = ctx;
  MPI_Request request;
  const int status = mpi_check(
      PMPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, *comm, &request),
      "MPI_Iallgather");
  return status ? status : finish(&request);
}

static struct MPJ_Peers peers_of(MPI_Comm *mpi)
{
  struct MPJ_Peers peers = {.ctx = mpi, .allgather = allgather};
  PMPI_Comm_rank(*mpi, &peers.rank);
  PMPI_Comm_size(*mpi, &peers.size);
  return peers;
}

static MPI_Comm starting = MPI_COMM_NULL; /* by which MPJ starts, if not by MPI_COMM_WORLD */

int mpi_begin_among(MPI_Comm world)
{
  starting = world;
  const int status = MPJ_Init_from_mpi();
  starting = MPI_COMM_NULL;
  return status;
}

int MPJ_Peers_from_mpi(struct MPJ_Peers *peers)
{
  MPJ_ENTRY;
  static MPI_Comm used;
  if (!peers) return mpi_report(MPJ_ERR_ARG, "peers is NULL");
  const int status = mpi_usable();
  if (status) return status;
  used = starting == MPI_COMM_NULL ? MPI_COMM_WORLD : starting;
  *peers = peers_of(&used);
  peers->messages = mpi_messages();
  return MPJ_SUCCESS;
}

/* --- the beginning and the end --- */

/* Once, when MPJ has begun: the key of what is kept, and what lasts as long as both run. */
static int attend(void)
{
  int made;
  int status = mpi_watch_for_the_end(begun_here);
  if (!status) status = mpi_progress_begin();
  if (!status)
    status = mpi_check(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, NULL),
                       "MPI_Comm_create_keyval");
  if (!status) __atomic_store_n(&key, made, __ATOMIC_RELEASE);
  return status;
}

static int begin(void)
{
  struct MPJ_Peers peers;
  int level = MPI_THREAD_SINGLE, provided;
  int status = MPJ_Peers_from_mpi(&peers);
  PMPI_Query_thread(&level);
  const int required = level == MPI_THREAD_MULTIPLE ? MPJ_THREAD_MULTIPLE : MPJ_THREAD_SERIALIZED;
  if (!status) status = MPJ_Init_peers_thread(&peers, required, &provided);
  begun_here = !status;
  return status;
}

int MPJ_Init_from_mpi(void)
{
  MPJ_ENTRY;
  int begun = 0;
  int status = mpi_usable();
  if (status) return status;
  pthread_mutex_lock(&lock);
  status = MPJ_Initialized(&begun);
  if (!status && !begun) status = begin();
  if (!status && key == MPI_KEYVAL_INVALID) status = attend();
  pthread_mutex_unlock(&lock);
  return status;
}

/* --- communicators --- */

/* Processes of another MPI_COMM_WORLD are of no job of ours. All members see it alike:
 * each misses those of the other worlds. */
static int check_members(MPI_Comm mpi)
{
  MPI_Group group, world, others;
  int n = 0;
  PMPI_Comm_group(mpi, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  int status = mpi_check(PMPI_Group_difference(group, world, &others), "MPI_Group_difference");
  if (!status) {
    PMPI_Group_size(others, &n);
    if (others != MPI_GROUP_EMPTY) PMPI_Group_free(&others);
  }
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  if (!status && n > 0)
    status =
        mpi_report(MPJ_ERR_UNSUPPORTED, "mpi has %d processes that are not of MPI_COMM_WORLD", n);
  return status;
}

static int make(MPI_Comm mpi, struct mpi_comm_of *made)
{
  const struct MPJ_Peers peers = peers_of(&mpi);
  if (!made) { /* the others are to hear of it */
    MPJ_Comm_create_peers(&peers, NULL, NULL);
    return mpi_report(MPJ_ERR_NO_MEM, "no memory for a communicator");
  }
  const bool is_world = mpi == MPI_COMM_WORLD && begun_here, is_self = mpi == MPI_COMM_SELF;
  made->rank = peers.rank;
  made->size = peers.size;
  made->owned = !is_world && !is_self;
  made->comm = is_world ? MPJ_COMM_WORLD : MPJ_COMM_SELF;
  return made->owned ? MPJ_Comm_create_peers(&peers, NULL, &made->comm) : MPJ_SUCCESS;
}

static int check(MPI_Comm mpi)
{
  int between = 0;
  const int status = mpi_check(PMPI_Comm_test_inter(mpi, &between), "MPI_Comm_test_inter");
  if (status) return status;
  if (between) return mpi_report(MPJ_ERR_COMM, "mpi is an intercommunicator");
  return check_members(mpi);
}

static int make_and_keep(MPI_Comm mpi, const struct mpi_comm_of **kept)
{
  int status = check(mpi);
  if (!status) status = MPJ_Init_from_mpi();
  if (status) return status;
  struct mpi_comm_of *made = calloc(1, sizeof *made);
  status = make(mpi, made);
  if (!status) {
    if (made->owned) status = mpi_comm_link(made->comm, mpi, false);
    if (!status) status = mpi_check(PMPI_Comm_set_attr(mpi, key, made), "MPI_Comm_set_attr");
    if (status && made->owned) MPJ_Comm_free(&made->comm);
  }
  if (status)
    free(made);
  else
    *kept = made;
  return status;
}

bool mpi_comm_is_world(MPJ_Comm comm)
{
  return begun_here && comm == MPJ_COMM_WORLD;
}

int mpi_comm_keep(MPI_Comm mpi, MPJ_Comm comm)
{
  struct mpi_comm_of *made = calloc(1, sizeof *made);
  if (!made) return mpi_report(MPJ_ERR_NO_MEM, "no memory for a communicator");
  made->comm = comm;
  PMPI_Comm_rank(mpi, &made->rank);
  PMPI_Comm_size(mpi, &made->size);
  const int status = mpi_check(PMPI_Comm_set_attr(mpi, key, made), "MPI_Comm_set_attr");
  if (status) free(made);
  return status;
}

int MPJ_Comm_from_mpi(MPI_Comm mpi, MPJ_Comm *comm)
{
  MPJ_ENTRY;
  if (!comm) return mpi_report(MPJ_ERR_ARG, "comm is NULL");
  if (mpi == MPI_COMM_NULL) return mpi_report(MPJ_ERR_COMM, "mpi is MPI_COMM_NULL");
  int status = mpi_usable();
  if (status) return status;
  const struct mpi_comm_of *kept = mpi_comm_look(mpi);
  if (!kept) status = make_and_keep(mpi, &kept);
  if (!status) *comm = kept->comm;
  return status;
}
