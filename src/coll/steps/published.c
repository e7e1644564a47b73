/* This file gives out the room on a rank's published buffer. */
#include "coll/steps/published.h"
#include "coll/control/signals.h"

#include "coll/comm/comm.h"

void mpj_published_begin(struct mpj_published *published, struct mpj_control *control)
{
  if (!control->net->shares_all) return;
  published->net = control->net;
  published->memory = mpj_control_published(control, control->net->rank);
  published->bytes = control->board_bytes;
}

/* Whether the reader can come back for it: it has not ended the operation, and lives. */
static bool may_read(const struct mpj_published *published, const struct mpj_posted *p, int reader)
{
  return mpj_comm_done_at(p->comm, reader) <= p->sequence &&
         mpj_net_peer_state(published->net, mpj_comm_member(p->comm, reader), NULL) <
             MPJ_RANK_FINALIZED;
}

static bool is_read(const struct mpj_published *published, struct mpj_posted *p)
{
  uint64_t *words = mpj_bits_words(&p->readers);
  for (unsigned w = 0; w < mpj_bits_nwords(&p->readers); w++)
    for (uint64_t left = words[w]; left; left &= left - 1) {
      if (may_read(published, p, (int)(64 * w) + __builtin_ctzll(left))) return false;
      words[w] &= ~(left & -left);
    }
  return true;
}

/* Give the oldest room back; false if it is still needed. */
static bool give_back(struct mpj_published *published)
{
  if (published->n == 0) return false;
  struct mpj_posted *oldest = &published->posted[published->first % MPJ_POSTED_MAX];
  if (!is_read(published, oldest)) return false;
  published->tail = oldest->end;
  published->first++;
  published->n--;
  return true;
}

/* Where `bytes` bytes in one piece can begin: here, or at the next turn's beginning. Before more of
 * the published buffer is touched than has ever been in use at a time, what has been read is given
 * back, and if that leaves room at the beginning, it begins there: pages that the readers have met
 * cost them less. */
static uint64_t place_for(struct mpj_published *published, size_t bytes)
{
  const uint64_t at = published->head % published->bytes,
                 next_turn = published->head + published->bytes - at;
  if (at + bytes <= published->touched) return published->head;
  while (give_back(published)) {
  }
  if (published->n == 0 && at > 0) published->head = published->tail = next_turn;
  if (published->n == 0) return published->head;
  if (at + bytes > published->bytes || next_turn + bytes <= published->tail + published->bytes)
    return next_turn;
  return published->head;
}

/* False: there is no memory for the set of readers. */
static bool note(struct mpj_published *published, const struct mpj_comm *comm, uint64_t sequence,
                 uint64_t end)
{
  if (!published->posted)
    published->posted = mpj_alloc_array(MPJ_POSTED_MAX, sizeof *published->posted);
  if (!published->posted) return false;
  struct mpj_posted *p = &published->posted[(published->first + published->n) % MPJ_POSTED_MAX];
  if (!mpj_bits_begin(&p->readers, (unsigned)comm->size)) return false;
  p->comm = comm;
  p->sequence = sequence;
  p->end = published->head = end;
  published->n++;
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != comm->rank) mpj_bits_set(&p->readers, (unsigned)rank);
  return true;
}

void mpj_published_end(struct mpj_published *published)
{
  for (unsigned i = 0; published->posted && i < MPJ_POSTED_MAX; i++)
    mpj_bits_end(&published->posted[i].readers);
  mpj_free(published->posted);
  published->posted = NULL;
}

void mpj_published_forget(struct mpj_published *published, const struct mpj_comm *comm)
{
  for (unsigned i = 0; i < published->n; i++) {
    struct mpj_posted *p = &published->posted[(published->first + i) % MPJ_POSTED_MAX];
    if (p->comm == comm) mpj_bits_clear(&p->readers);
  }
}

int64_t mpj_published_take(struct mpj_published *published, const struct mpj_comm *comm,
                           uint64_t sequence, size_t bytes)
{
  bytes = (bytes + MPJ_CACHE_LINE - 1) / MPJ_CACHE_LINE * MPJ_CACHE_LINE;
  if (bytes > published->bytes) return -1;
  const uint64_t start = place_for(published, bytes);
  while (published->n == MPJ_POSTED_MAX || start + bytes > published->tail + published->bytes)
    if (!give_back(published)) return -1;
  if (!note(published, comm, sequence, start + bytes)) return -1;
  const uint64_t end = start % published->bytes + bytes;
  if (end > published->touched) published->touched = (uint32_t)end;
  return (int64_t)(start % published->bytes);
}
