/* This file opens the endpoint that mpjrun prepared. */
#include "net/boot/boot.h"

#include "base/config.h"
#include "base/status.h"
#include "net/shm/shm.h"

int mpj_boot_open(struct mpj_net **net)
{
  const struct mpj_config *c = mpj_config();
  *net = NULL;
  if (c->rank < 0 && c->size < 0 && c->segment_fd < 0) return MPJ_SUCCESS;
  if (c->rank < 0 || c->size < 1 || c->segment_fd < 0 || c->rank >= c->size)
    return mpj_error(MPJ_ERR_ARG,
                     "MPJ_RANK is %ld, MPJ_SIZE is %ld and MPJ_SEGMENT_FD is %ld: no launcher sets "
                     "them so",
                     c->rank, c->size, c->segment_fd);
  const int status = mpj_shm_open((int)c->segment_fd, (int)c->rank, net);
  if (status != MPJ_SUCCESS || (*net)->size == c->size) return status;
  const int found = (*net)->size;
  mpj_net_close(*net, MPJ_RANK_DEAD, 0);
  *net = NULL;
  return mpj_error(MPJ_ERR_ARG, "MPJ_SIZE is %ld, the job's segment has %d ranks", c->size, found);
}
