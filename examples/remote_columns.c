/* Columns of a distributed matrix by active messages.
 *
 * Each rank owns a block of rows. To read a column a rank asks every owner, by a
 * message of a few bytes; the owner's handler answers with its piece of the column,
 * straight out of the matrix through a strided type, and the asker's handler says
 * where it goes. No owner knows beforehand who will ask for what. A sum over a row
 * is left to its owner altogether: MPJ_Am_call runs a C function there.
 *
 * Run: mpjrun -n 4 remote_columns */
#include <mpj/am.h>
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 1000 }; /* rows of each rank */
enum { ASK, PIECE, ROW_SUM };       /* handlers */

struct state {
  double *block;          /* [ROWS][COLUMNS] */
  double *column;         /* [size * ROWS], where the pieces go */
  MPJ_Datatype of_matrix; /* a column of a block */
  MPJ_Datatype of_column; /* the same, dense */
  int pieces;             /* that have come */
};

static double *my_block; /* for row_sum, which gets its arguments only */

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

/* At the owner: answer with my piece of the column. */
static void on_ask(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info, int status)
{
  struct state *s = ctx;
  int column;
  must(status);
  memcpy(&column, info->header, sizeof column);
  must(MPJ_Am_reply(message, PIECE, NULL, 0, s->block + column, s->of_matrix, NULL, NULL));
}

/* At the asker: the piece of rank `source` goes to its place. */
static int on_piece(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info,
                    MPJ_Am_target *target)
{
  struct state *s = ctx;
  (void)message;
  *target = (MPJ_Am_target){s->column + info->source * ROWS, s->of_column};
  return MPJ_AM_TAKE;
}

static void on_piece_complete(void *ctx, MPJ_Am_message message, const MPJ_Am_info *info,
                              int status)
{
  (void)message;
  (void)info;
  must(status);
  ((struct state *)ctx)->pieces++;
}

static double row_sum(int32_t row)
{
  double sum = 0;
  for (int c = 0; c < COLUMNS; c++)
    sum += my_block[row * COLUMNS + c];
  return sum;
}

static double element(int row, int column)
{
  return row * 2.0 + column * 0.25;
}

static void set_up(struct state *s, int rank, int size)
{
  const MPJ_Datatype one_int[] = {MPJ_INT32};
  s->block = malloc(sizeof(double) * ROWS * COLUMNS);
  s->column = malloc(sizeof(double) * ROWS * (size_t)size);
  for (int i = 0; i < ROWS * COLUMNS; i++)
    s->block[i] = element(rank * ROWS + i / COLUMNS, i % COLUMNS);
  my_block = s->block;
  must(MPJ_Type_vector(ROWS, 1, COLUMNS, MPJ_DOUBLE, &s->of_matrix));
  must(MPJ_Type_contiguous(ROWS, MPJ_DOUBLE, &s->of_column));
  must(MPJ_Type_commit(&s->of_matrix));
  must(MPJ_Type_commit(&s->of_column));
  must(MPJ_Am_register(ASK, NULL, on_ask, s));
  must(MPJ_Am_register(PIECE, on_piece, on_piece_complete, s));
  must(MPJ_Am_register_function(ROW_SUM, (void (*)(void))row_sum, 1, one_int, MPJ_DOUBLE));
}

static void read_column(struct state *s, int size, int column)
{
  s->pieces = 0;
  for (int owner = 0; owner < size; owner++) /* this rank, too: it makes no difference */
    must(MPJ_Am_send(owner, ASK, &column, sizeof column, NULL, MPJ_DATATYPE_NULL, NULL, NULL));
  must(MPJ_Am_wait(&s->pieces, size));
}

int main(int argc, char **argv)
{
  struct state s = {0};
  int rank, size, wrong = 0;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank));
  if (argc > 1) {
    if (rank == 0)
      fprintf(stderr, "remote_columns: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }
  must(MPJ_Comm_size(MPJ_COMM_WORLD, &size));
  set_up(&s, rank, size);
  for (int k = 0; k < 10; k++) {
    const int column = (rank * 37 + k * 101) % COLUMNS;
    read_column(&s, size, column);
    for (int row = 0; row < size * ROWS; row++)
      wrong += s.column[row] != element(row, column);
  }
  const int32_t row = 5;
  const void *args[] = {&row};
  double sum = 0, expected = 0;
  const int owner = (rank + 1) % size;
  must(MPJ_Am_call(owner, ROW_SUM, args, &sum));
  for (int c = 0; c < COLUMNS; c++)
    expected += element(owner * ROWS + row, c);
  wrong += sum != expected;
  must(MPJ_Am_flush());
  must(MPJ_Barrier(MPJ_COMM_WORLD)); /* others may still ask */
  if (rank == 0)
    printf("10 columns of %d rows and a sum by %d ranks: %s\n", size * ROWS, size,
           wrong ? "wrong" : "right");
  MPJ_Type_free(&s.of_matrix);
  MPJ_Type_free(&s.of_column);
  free(s.block);
  free(s.column);
  must(MPJ_Finalize());
  return wrong != 0;
}
