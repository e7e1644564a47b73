/* This file gives out the room on a rank's board. */
#include "coll/steps/post_board.h"
#include "coll/control/signals.h"

#include "coll/comm/comm.h"

void mpj_board_begin(struct mpj_board *board, struct mpj_control *control)
{
  if (!control->net->shares_all) return;
  board->net = control->net;
  board->memory = mpj_control_board(control, control->net->rank);
  board->bytes = control->board_bytes;
}

/* Whether the reader can come back for it: it has not ended the operation, and lives. */
static bool may_read(const struct mpj_board *board, const struct mpj_posted *p, int reader)
{
  return mpj_comm_done_at(p->comm, reader) <= p->sequence &&
         mpj_net_peer_state(board->net, mpj_comm_member(p->comm, reader), NULL) <
             MPJ_RANK_FINALIZED;
}

static bool is_read(const struct mpj_board *board, struct mpj_posted *p)
{
  uint64_t *words = mpj_bits_words(&p->readers);
  for (unsigned w = 0; w < mpj_bits_nwords(&p->readers); w++)
    for (uint64_t left = words[w]; left; left &= left - 1) {
      if (may_read(board, p, (int)(64 * w) + __builtin_ctzll(left))) return false;
      words[w] &= ~(left & -left);
    }
  return true;
}

/* Give the oldest room back; false if it is still needed. */
static bool give_back(struct mpj_board *board)
{
  if (board->n == 0) return false;
  struct mpj_posted *oldest = &board->posted[board->first % MPJ_POSTED_MAX];
  if (!is_read(board, oldest)) return false;
  board->tail = oldest->end;
  board->first++;
  board->n--;
  return true;
}

/* Where `bytes` bytes in one piece can begin: here, or at the next turn's beginning. Before more of
 * the board is touched than has ever been in use at a time, what has been read is given back, and
 * if that leaves room at the beginning, it begins there: pages that the readers have met cost them
 * less. */
static uint64_t place_for(struct mpj_board *board, size_t bytes)
{
  const uint64_t at = board->head % board->bytes, next_turn = board->head + board->bytes - at;
  if (at + bytes <= board->touched) return board->head;
  while (give_back(board)) {
  }
  if (board->n == 0 && at > 0) board->head = board->tail = next_turn;
  if (board->n == 0) return board->head;
  if (at + bytes > board->bytes || next_turn + bytes <= board->tail + board->bytes)
    return next_turn;
  return board->head;
}

/* False: there is no memory for the set of readers. */
static bool note(struct mpj_board *board, const struct mpj_comm *comm, uint64_t sequence,
                 uint64_t end)
{
  if (!board->posted) board->posted = mpj_alloc_array(MPJ_POSTED_MAX, sizeof *board->posted);
  if (!board->posted) return false;
  struct mpj_posted *p = &board->posted[(board->first + board->n) % MPJ_POSTED_MAX];
  if (!mpj_bits_begin(&p->readers, (unsigned)comm->size)) return false;
  p->comm = comm;
  p->sequence = sequence;
  p->end = board->head = end;
  board->n++;
  for (int rank = 0; rank < comm->size; rank++)
    if (rank != comm->rank) mpj_bits_set(&p->readers, (unsigned)rank);
  return true;
}

void mpj_board_end(struct mpj_board *board)
{
  for (unsigned i = 0; board->posted && i < MPJ_POSTED_MAX; i++)
    mpj_bits_end(&board->posted[i].readers);
  mpj_free(board->posted);
  board->posted = NULL;
}

void mpj_board_forget(struct mpj_board *board, const struct mpj_comm *comm)
{
  for (unsigned i = 0; i < board->n; i++) {
    struct mpj_posted *p = &board->posted[(board->first + i) % MPJ_POSTED_MAX];
    if (p->comm == comm) mpj_bits_clear(&p->readers);
  }
}

int64_t mpj_board_take(struct mpj_board *board, const struct mpj_comm *comm, uint64_t sequence,
                       size_t bytes)
{
  bytes = (bytes + MPJ_CACHE_LINE - 1) / MPJ_CACHE_LINE * MPJ_CACHE_LINE;
  if (bytes > board->bytes) return -1;
  const uint64_t start = place_for(board, bytes);
  while (board->n == MPJ_POSTED_MAX || start + bytes > board->tail + board->bytes)
    if (!give_back(board)) return -1;
  if (!note(board, comm, sequence, start + bytes)) return -1;
  const uint64_t end = start % board->bytes + bytes;
  if (end > board->touched) board->touched = (uint32_t)end;
  return (int64_t)(start % board->bytes);
}
