/* This file lets ranks that have an exchange of their own meet by it.
 *
 * A fence is two of its calls: how long each rank's blob is, or that the rank has
 * failed; then the blobs, each as long as the longest. A rank that fails between two
 * fences says so at what is the next one for the others, so that nobody waits for it. */
#include "net/boot/peers.h"

#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/boot/join.h"

struct said {
  int32_t bytes, failed; /* failed: a status */
};

enum { SAID_FEW = 256 }; /* whose words need no memory, so that who has none can say so */

struct peers {
  struct mpj_launch head; /* first */
  const struct MPJ_Peers *peers;
  bool over; /* an exchange has failed, or said of a failure */
  struct said few[SAID_FEW];
  struct said *said;    /* [size] at the last fence: `few`, or owned */
  size_t stride;        /* bytes from blob to blob */
  unsigned char *blobs; /* [size][stride] */
  unsigned char mine[MPJ_BLOB_MAX];
  int32_t mine_bytes;
};

static int peers_publish(struct mpj_launch *launch, const void *blob, size_t bytes)
{
  struct peers *p = (struct peers *)launch;
  if (p->over)
    return mpj_error(MPJ_ERR_PEER, "the exchange of rank %d has failed before", launch->rank);
  memcpy(p->mine, blob, bytes);
  p->mine_bytes = (int32_t)bytes;
  return MPJ_SUCCESS;
}

static int call(struct peers *p, const void *mine, void *all, size_t bytes)
{
  const int code = p->peers->allgather(p->peers->ctx, mine, all, (MPJ_Count)bytes);
  if (code == 0) return MPJ_SUCCESS;
  p->over = true;
  return mpj_error(MPJ_ERR_PEER, "allgather of rank %d of %d returned %d", p->head.rank,
                   p->head.size, code);
}

/* What each rank says of itself, and whether any has failed. */
static int hear(struct peers *p, int32_t bytes, int failed)
{
  const struct said own = {bytes, failed};
  const int status = call(p, &own, p->said, sizeof own);
  if (status != MPJ_SUCCESS) return status;
  p->stride = 0;
  for (int i = 0; i < p->head.size; i++) {
    if (p->said[i].failed != MPJ_SUCCESS) {
      p->over = true;
      return mpj_error(p->said[i].failed, "rank %d failed: %s", i,
                       mpj_error_name(p->said[i].failed));
    }
    if (p->said[i].bytes < 0 || p->said[i].bytes > MPJ_BLOB_MAX)
      return mpj_error(MPJ_ERR_FORMAT, "rank %d publishes %d bytes", i, p->said[i].bytes);
    if ((size_t)p->said[i].bytes > p->stride) p->stride = (size_t)p->said[i].bytes;
  }
  return MPJ_SUCCESS;
}

static int peers_fence(struct mpj_launch *launch)
{
  struct peers *p = (struct peers *)launch;
  const int status = hear(p, p->mine_bytes, MPJ_SUCCESS);
  p->mine_bytes = 0;
  if (status != MPJ_SUCCESS || p->stride == 0) return status;
  return call(p, p->mine, p->blobs, p->stride);
}

static int peers_fetch(struct mpj_launch *launch, int rank, void *blob, size_t size, size_t *bytes)
{
  struct peers *p = (struct peers *)launch;
  const size_t n = (size_t)p->said[rank].bytes;
  if (n > size)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d's blob of %zu bytes makes no sense", rank, n);
  memcpy(blob, p->blobs + (size_t)rank * p->stride, n);
  *bytes = n;
  return MPJ_SUCCESS;
}

static void peers_end(struct mpj_launch *launch)
{
  (void)launch; /* lies on its user's stack */
}

static const struct mpj_launch_ops peers_ops = {.name = "peers",
                                                .publish = peers_publish,
                                                .fence = peers_fence,
                                                .fetch = peers_fetch,
                                                .end = peers_end};

/* The last exchange: each rank tells how all went, `status` with the thread's detail.
 * Whoever has heard of a failure at a fence has no more to hear. */
static int agree(struct peers *p, int status)
{
  char why[240];
  if (p->over) return status;
  mpj_error_keep(why, sizeof why);
  const int heard = hear(p, 0, status);
  return status == MPJ_SUCCESS ? heard : mpj_error(status, "%s", why);
}

static int join(struct peers *p, struct mpj_net **net)
{
  p->blobs = mpj_alloc_array((size_t)p->head.size, MPJ_BLOB_MAX);
  if (!p->blobs) return mpj_error(MPJ_ERR_NO_MEM, "no memory for what %d peers say", p->head.size);
  const int status = mpj_boot_join(&p->head, net);
  if (status == MPJ_SUCCESS) (*net)->launch = NULL; /* they know each other: it is over */
  return status;
}

int mpj_boot_peers(const struct MPJ_Peers *peers, struct mpj_net **net)
{
  struct peers p = {.head = {.ops = &peers_ops,
                             .rank = peers->rank,
                             .size = peers->size,
                             .messages = peers->messages},
                    .peers = peers};
  *net = NULL;
  if (peers->size == 1) return MPJ_SUCCESS;
  p.said = peers->size <= SAID_FEW ? p.few : mpj_alloc_array((size_t)peers->size, sizeof *p.said);
  if (!p.said) return mpj_error(MPJ_ERR_NO_MEM, "no memory for the words of %d peers", peers->size);
  const int status = agree(&p, join(&p, net));
  if (status != MPJ_SUCCESS && *net) {
    mpj_net_close(*net, MPJ_RANK_DEAD, 0);
    *net = NULL;
  }
  mpj_free(p.blobs);
  if (p.said != p.few) mpj_free(p.said);
  return status;
}

int mpj_peers_check(const struct MPJ_Peers *peers)
{
  if (!peers) return mpj_error(MPJ_ERR_ARG, "peers is NULL");
  if (!peers->allgather) return mpj_error(MPJ_ERR_ARG, "peers->allgather is NULL");
  if (peers->size < 1)
    return mpj_error(MPJ_ERR_ARG, "peers->size is %d, must be 1 or more", peers->size);
  if (peers->rank < 0 || peers->rank >= peers->size)
    return mpj_error(MPJ_ERR_ARG, "peers->rank is %d, peers->size is %d", peers->rank, peers->size);
  return MPJ_SUCCESS;
}
