/* This file opens and closes the transport between processes of one machine. */
#include "net/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/cells/cells_poll.h"
#include "net/cells/fill.h"
#include "net/cells/share.h"
#include "net/shm/blocks.h"
#include "net/shm/state.h"

/* The words of MPJ_SINGLE_COPY. */
enum { SINGLE_COPY_AUTO, SINGLE_COPY_ON, SINGLE_COPY_OFF };

/* Whether all that is under way goes by pieces, of which a move takes one or two. */
static bool goes_by_pieces(const struct mpj_shm *shm)
{
  for (unsigned i = 0; i < shm->pulls.top; i++) {
    const struct mpj_mover *m = shm->pulls.pull[i].mover;
    if (m && m != &mpj_shm_stream && m != &mpj_shm_pieces) return false;
  }
  for (unsigned i = 0, n = shm->active_serves; n > 0; n -= shm->serves[i++].active)
    if (shm->serves[i].active && shm->serves[i].way != MPJ_WAY_STREAM) return false;
  return true;
}

/* One move of each pull and serve, and several where each is little, until there is a message: it
 * may ask for data that goes the other way meanwhile. */
static bool poll_long(struct mpj_cells *cells)
{
  struct mpj_shm *shm = (struct mpj_shm *)cells;
  enum { ROUNDS = 32 };
  bool moved = false, now = true;
  for (int i = 0;
       i < ROUNDS && now &&
       (i == 0 || (!cells->net.copies && goes_by_pieces(shm) && !mpj_cells_have_mail(cells)));
       i++, moved |= now) {
    now = false;
    if (shm->pulls.active > 0) now |= mpj_pulls_poll(&shm->pulls);
    if (shm->active_serves > 0) now |= mpj_shm_poll_serves(shm);
  }
  return moved;
}

static void release_memory(struct mpj_shm *shm, int nranks)
{
  mpj_free_table(shm->mappings, (size_t)nranks, sizeof *shm->mappings);
  mpj_free_table(shm->scratch, 1, MPJ_SHM_SCRATCH_BYTES);
  mpj_free(shm->serves);
  mpj_free_table(shm, 1, sizeof *shm);
}

static void idle(void *ctx, unsigned *count)
{
  mpj_cells_idle(ctx, count, 0);
}

static void shm_close(struct mpj_transport *t, enum mpj_rank_state state, int cause)
{
  struct mpj_shm *shm = (struct mpj_shm *)t;
  struct mpj_segment *segment = shm->cells.segment;
  mpj_pulls_stop(&shm->pulls, idle, t);
  mpj_shm_unmap_all(shm);
  for (unsigned i = 0; i < shm->nserves; i++)
    if (shm->serves[i].active && shm->serves[i].has_cursor) mpj_cursor_end(&shm->serves[i].cursor);
  mpj_shm_end_watch(shm);
  mpj_shm_end_extents(shm);
  mpj_cells_end(&shm->cells, state, cause);
  munmap(segment, (size_t)segment->bytes);
  close(shm->fd);
  release_memory(shm, shm->cells.nranks);
}

static const struct mpj_transport_ops shm_ops = {.name = "shm",
                                                 .send_short = mpj_cells_send_short,
                                                 .send_eager = mpj_cells_send_eager,
                                                 .expose = mpj_cells_expose,
                                                 .withdraw = mpj_cells_withdraw,
                                                 .pull = mpj_shm_pull,
                                                 .release = mpj_cells_release,
                                                 .share = mpj_shm_share,
                                                 .take = mpj_cells_take,
                                                 .poll = mpj_cells_poll,
                                                 .idle = mpj_shm_idle,
                                                 .common = mpj_cells_common,
                                                 .wake = mpj_cells_wake,
                                                 .peer_state = mpj_cells_peer_state,
                                                 .close = shm_close};

/* Map the segment behind fd, or return NULL with errno set. The file may be longer: others may have
 * added to it already (extents.c). */
static struct mpj_segment *map_segment(int fd)
{
  struct stat st;
  if (fstat(fd, &st) != 0) return NULL;
  const size_t bytes = (size_t)st.st_size;
  errno = EINVAL;
  if (bytes < sizeof(struct mpj_segment)) return NULL;
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return NULL;
  if (mpj_segment_valid(memory, bytes)) {
    const size_t used = (size_t)((struct mpj_segment *)memory)->bytes;
    if (bytes > used) munmap((unsigned char *)memory + used, bytes - used);
    return memory;
  }
  munmap(memory, bytes);
  errno = EINVAL;
  return NULL;
}

static struct mpj_shm *new_shm(int nranks)
{
  struct mpj_shm *shm = mpj_alloc_table(1, sizeof *shm);
  if (!shm) return NULL;
  shm->scratch = mpj_alloc_table(1, MPJ_SHM_SCRATCH_BYTES);
  shm->mappings = mpj_alloc_table((size_t)nranks, sizeof *shm->mappings);
  if (shm->mappings && shm->scratch) return shm;
  release_memory(shm, nranks);
  return NULL;
}

/* Let the other ranks read and write this process where the kernel asks for its consent (Yama):
 * those who descend from `ancestor`, or all processes of this user if that is 0 or is not seen. */
static void let_peers_copy(int ancestor)
{
  if (ancestor <= 0 || prctl(PR_SET_PTRACER, (unsigned long)ancestor) != 0)
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}

/* The ways to move long data that are tried: where each rank has a core, what it takes says
 * something of the way. */
static unsigned tried_ways(const struct mpj_shm *shm)
{
  const struct mpj_segment *segment = shm->cells.segment;
  unsigned ways = (1u << MPJ_TRIES) - 1;
  if (mpj_config()->single_copy != SINGLE_COPY_AUTO ||
      segment->config.nranks > segment->config.cores)
    return 0;
  if (shm->cells.share_least == MPJ_SHARE_NEVER) ways &= ~(1u << MPJ_TRY_BOTH);
  if (mpj_config()->pieces == MPJ_PIECES_ALL_CACHED) ways &= ~(1u << MPJ_TRY_PAST);
  if (mpj_config()->pieces == MPJ_PIECES_ALL_PAST) ways &= ~(1u << MPJ_TRY_CACHED);
  return ways;
}

/* launched: all ranks descend from the process that made the segment. */
static int attach(int fd, int rank, bool launched, bool shared, struct mpj_net **net)
{
  struct mpj_segment *segment = map_segment(fd);
  if (!segment)
    return mpj_error(MPJ_ERR_ARG, "MPJ_SEGMENT_FD is %d, which is no job's segment: %s", fd,
                     strerror(errno));
  int status = MPJ_SUCCESS;
  struct mpj_shm *shm = NULL;
  if (rank < 0 || rank >= segment->config.nranks)
    status = mpj_error(MPJ_ERR_ARG, "MPJ_RANK is %d, the job has %d ranks", rank,
                       segment->config.nranks);
  else if (!(shm = new_shm(segment->config.nranks)))
    status = mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's endpoint", rank);
  if (status != MPJ_SUCCESS) goto unmap;
  shm->fd = fd;
  fcntl(fd, F_SETFD, FD_CLOEXEC); /* programs that this rank starts are no ranks */
  shm->single_copy = mpj_config()->single_copy != SINGLE_COPY_OFF;
  shm->streams = segment->config.streams[segment->config.nranks > segment->config.cores];
  if (mpj_config()->single_copy != SINGLE_COPY_AUTO)
    memset(shm->streams.streams, 0, sizeof shm->streams.streams);
  if (mpj_config()->pieces != MPJ_PIECES_AUTO)
    memset(shm->streams.past, mpj_config()->pieces == MPJ_PIECES_ALL_PAST ? 0xff : 0,
           sizeof shm->streams.past);
  shm->cells.head.ops = &shm_ops;
  shm->cells.poll_long = poll_long;
  shm->cells.help = mpj_shm_help;
  shm->cells.further = mpj_shm_further;
  mpj_shm_pulls_begin(shm);
  if (shared && shm->single_copy && segment->config.nranks > 1)
    let_peers_copy(launched ? segment->launcher_pid : 0);
  status = mpj_cells_begin(&shm->cells, segment, rank);
  if (status != MPJ_SUCCESS) goto free_shm;
  shm->tries = tried_ways(shm);
  shm->cells.net.reads_all = shm->single_copy;
  mpj_net_register(&shm->cells.net, MPJ_AM_REQUEST, mpj_shm_on_request, shm);
  mpj_net_register(&shm->cells.net, MPJ_AM_PUSHED, mpj_shm_on_pushed, shm);
  if (memchr(segment->config.rules, '\0', MPJ_MEASURED_RULES) && segment->config.rules[0]) {
    const size_t bytes = strlen(segment->config.rules) + 1;
    if ((shm->cells.net.rules = mpj_alloc(bytes)))
      memcpy(shm->cells.net.rules, segment->config.rules, bytes);
  }
  *net = &shm->cells.net;
  return MPJ_SUCCESS;

free_shm:
  release_memory(shm, segment->config.nranks);
unmap:
  munmap(segment, (size_t)segment->bytes);
  return status;
}

int mpj_shm_open(int fd, int rank, bool shared, struct mpj_net **net)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return attach(fd, rank, true, shared, net);
}

int mpj_shm_attach(int fd, int rank, bool shared, struct mpj_net **net)
{
  return attach(fd, rank, false, shared, net);
}
