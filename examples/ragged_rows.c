/* A table to which every rank adds some rows, on all ranks, by teams.
 *
 * How many rows a rank has only it knows. With counts and displacements one would
 * gather the counts, sum them up to displacements, and then gather the rows. Here
 * each rank names the type of its part, MPJ_Type_create_gathered makes of them the
 * type of the whole table, and MPJ_Allgather fills it. Ranks with even and with odd
 * numbers are two teams, each a communicator with a table of its own.
 *
 * Run: mpjrun -n 5 ragged_rows */
#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

struct row {
  int owner, number;
  double weight;
};

static void must(int status)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "%s\n", MPJ_Error_detail());
  MPJ_Abort(MPJ_COMM_WORLD, 1);
}

static MPJ_Count rows_of(int rank)
{
  return rank * rank % 7;
}

static void make_row_type(MPJ_Datatype *type)
{
  const MPJ_Count lengths[] = {2, 1};
  const MPJ_Aint places[] = {0, offsetof(struct row, weight)};
  const MPJ_Datatype fields[] = {MPJ_INT, MPJ_DOUBLE};
  must(MPJ_Type_create_struct(2, lengths, places, fields, type));
}

/* The rows of all members, in order of their ranks. */
static int check(const struct row *table, int size)
{
  for (int owner = 0; owner < size; owner++)
    for (int k = 0; k < rows_of(owner); k++, table++)
      if (table->owner != owner || table->number != k || table->weight != owner + k / 8.) return 1;
  return 0;
}

int main(int argc, char **argv)
{
  int world_rank, rank, size;
  MPJ_Comm team;
  must(MPJ_Init(&argc, &argv));
  must(MPJ_Comm_rank(MPJ_COMM_WORLD, &world_rank));
  if (argc > 1) {
    if (world_rank == 0)
      fprintf(stderr, "ragged_rows: takes no arguments, and was given %s\n", argv[1]);
    MPJ_Finalize();
    return 2;
  }
  must(MPJ_Comm_split(MPJ_COMM_WORLD, world_rank % 2, 0, &team));
  must(MPJ_Comm_rank(team, &rank));
  must(MPJ_Comm_size(team, &size));

  MPJ_Datatype row, mine, table_type;
  make_row_type(&row);
  must(MPJ_Type_contiguous(rows_of(rank), row, &mine));
  must(MPJ_Type_create_gathered(mine, MPJ_ALL, team, &table_type));
  must(MPJ_Type_commit(&mine));
  must(MPJ_Type_commit(&table_type));

  MPJ_Aint lb, bytes;
  must(MPJ_Type_get_extent(table_type, &lb, &bytes));
  struct row rows[7], *table = malloc((size_t)bytes + 1);
  if (!table) return 1;
  for (int k = 0; k < rows_of(rank); k++)
    rows[k] = (struct row){rank, k, rank + k / 8.};
  must(MPJ_Allgather(rows, mine, table, table_type, team));

  const int wrong = check(table, size);
  if (wrong)
    fprintf(stderr, "rank %d: the table is wrong\n", world_rank);
  else if (rank == 0)
    printf("team %d: %d ranks, %td rows\n", world_rank % 2, size,
           bytes / (MPJ_Aint)sizeof(struct row));
  free(table);
  must(MPJ_Type_free(&table_type));
  must(MPJ_Type_free(&mine));
  must(MPJ_Type_free(&row));
  must(MPJ_Comm_free(&team));
  must(MPJ_Finalize());
  return wrong;
}
