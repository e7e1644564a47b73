/* This file lets ranks that share a segment exchange blobs on its cards: what a
 * launcher's own protocol does elsewhere. */
#include <sched.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "net/boot/launch.h"

struct cards {
  struct mpj_launch head; /* first */
  struct mpj_segment *segment;
  unsigned exchange;
};

static int cards_publish(struct mpj_launch *launch, const void *blob, size_t bytes)
{
  struct cards *c = (struct cards *)launch;
  struct mpj_card_page *page = mpj_segment_card(c->segment, launch->rank, c->exchange);
  memcpy(page->data, blob, bytes);
  page->bytes = bytes;
  return MPJ_SUCCESS;
}

/* A rank that has left or died and so never comes to a fence; -1: none. */
static int find_gone(struct mpj_segment *s)
{
  for (int rank = 0; rank < s->config.nranks; rank++)
    if (atomic_load(&mpj_segment_rank(s, rank)->state) >= MPJ_RANK_FINALIZED) return rank;
  return -1;
}

static int cards_fence(struct mpj_launch *launch)
{
  struct cards *c = (struct cards *)launch;
  const uint64_t all = (uint64_t)++c->exchange * (uint64_t)launch->size;
  atomic_fetch_add(&c->segment->fences, 1);
  while (atomic_load(&c->segment->fences) < all) {
    const int gone = find_gone(c->segment);
    if (gone >= 0 && atomic_load(&c->segment->fences) < all)
      return mpj_error(MPJ_ERR_PEER, "rank %d left before it had met the others", gone);
    sched_yield();
  }
  return MPJ_SUCCESS;
}

static int cards_fetch(struct mpj_launch *launch, int rank, void *blob, size_t size, size_t *bytes)
{
  struct cards *c = (struct cards *)launch;
  const struct mpj_card_page *page = mpj_segment_card(c->segment, rank, c->exchange - 1);
  const uint64_t n = page->bytes;
  if (n > size || n > sizeof page->data)
    return mpj_error(MPJ_ERR_FORMAT, "rank %d's card of %llu bytes makes no sense", rank,
                     (unsigned long long)n);
  memcpy(blob, page->data, (size_t)n);
  *bytes = (size_t)n;
  return MPJ_SUCCESS;
}

static void cards_end(struct mpj_launch *launch)
{
  mpj_free(launch);
}

static const struct mpj_launch_ops cards_ops = {.name = "segment",
                                                .publish = cards_publish,
                                                .fence = cards_fence,
                                                .fetch = cards_fetch,
                                                .end = cards_end};

int mpj_launch_segment(struct mpj_segment *segment, int rank, struct mpj_launch **launch)
{
  struct cards *c = mpj_alloc_array(1, sizeof *c);
  if (!c) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's cards", rank);
  c->head = (struct mpj_launch){.ops = &cards_ops, .rank = rank, .size = segment->config.nranks};
  c->segment = segment;
  *launch = &c->head;
  return MPJ_SUCCESS;
}
