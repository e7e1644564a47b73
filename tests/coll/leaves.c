/* In this program the root sends, and then goes about its own business without a call of the
 * library until all others say, beside the library, that they have what was sent. What it has sent
 * must so have left its process with its last call: its first messages to ranks whose connection
 * may not stand yet, and as many as the eager protocol takes for ranks that come late.
 * Its exit status is 0 if they all have it. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mpj/mpj.h>

#include "coll/board.h"

enum { BYTES = 6000, MESSAGES = 40, ROUNDS = 4 };
static const double seconds = 30;

/* Root 0 sends `messages` of which each byte is the number of the message. The others are late. */
static int send(int rank, int messages, MPJ_Datatype type)
{
  const struct timespec late = {.tv_nsec = 20000000};
  unsigned char data[BYTES];
  int wrong = 0;
  if (rank != 0 && messages > 1) nanosleep(&late, NULL);
  for (int m = 0; m < messages; m++) {
    memset(data, rank == 0 ? m : MESSAGES, BYTES);
    wrong += MPJ_Bcast(data, type, 0, MPJ_COMM_WORLD) != MPJ_SUCCESS;
    for (int i = 0; i < BYTES; i++)
      wrong += data[i] != (unsigned char)m;
  }
  if (wrong) fprintf(stderr, "rank %d has %d wrong bytes: %s\n", rank, wrong, MPJ_Error_detail());
  return wrong;
}

int main(int argc, char **argv)
{
  int rank = -1;
  int ranks = 0;
  int wrong = 0;
  MPJ_Datatype type = MPJ_DATATYPE_NULL;
  if (MPJ_Init(&argc, &argv) != MPJ_SUCCESS) return 1;
  MPJ_Comm_rank(MPJ_COMM_WORLD, &rank);
  MPJ_Comm_size(MPJ_COMM_WORLD, &ranks);
  struct board *board = board_map();
  if (!board) return 1;
  MPJ_Type_contiguous(BYTES, MPJ_BYTE, &type);
  MPJ_Type_commit(&type);
  for (int round = 0; round < ROUNDS; round++) {
    wrong += send(rank, round == 0 ? 1 : MESSAGES, type);
    if (!board_meet(board, ranks * (round + 1), seconds)) {
      fprintf(stderr, "rank %d: not all have round %d's messages after %.0f s\n", rank, round,
              seconds);
      return 1;
    }
  }
  board_forget();
  MPJ_Type_free(&type);
  return MPJ_Finalize() != MPJ_SUCCESS || wrong != 0;
}
