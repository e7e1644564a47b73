/* This program makes and frees a thousand communicators of every kind, with a collective on each,
 * and looks that nothing grows; counts the callbacks of attributes; and ends MPI with a request, a
 * communicator, a type and an operation that it never gave back. It prints, on rank 0, what is the
 * same with the interposer and without.
 *
 *   lives [served] */
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WARM = 200, COMMS = 1000, GROWTH = 4 << 20 };

static int rank, size;
static int copies, deletes;

static void check(int right, const char *what)
{
  if (right) return;
  fprintf(stderr, "rank %d of %d: %s\n", rank, size, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- nothing grows --- */

static long memory(void)
{
  long pages = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  check(f && fscanf(f, "%ld %ld", &pages, &resident) == 2, "no /proc/self/statm");
  fclose(f);
  return resident * sysconf(_SC_PAGESIZE);
}

static int entries(const char *folder)
{
  int n = 0;
  DIR *d = opendir(folder);
  check(d != NULL, folder);
  while (readdir(d))
    n++;
  closedir(d);
  return n;
}

static MPI_Comm make(int kind)
{
  MPI_Comm made;
  MPI_Group group;
  MPI_Request request;
  int dims[1] = {size}, periods[1] = {1};
  switch (kind) {
  case 0:
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    break;
  case 1:
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
    break;
  case 2:
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &made);
    break;
  case 3:
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &made);
    MPI_Group_free(&group);
    break;
  default:
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return made;
}

/* One of each kind in turn; an idup's first collective is a nonblocking one half of the time. */
static void use(int i)
{
  MPI_Comm comm = make(i % 5);
  MPI_Request request;
  int members, mine = 1, all = 0;
  MPI_Comm_size(comm, &members);
  if (i % 10 >= 5) {
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(all == members, "an iallreduce on a new communicator is wrong");
  }
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  check(all == members, "an allreduce on a new communicator is wrong");
  if (i % 2)
    MPI_Comm_free(&comm);
  else
    MPI_Comm_disconnect(&comm);
}

static void many(void)
{
  for (int i = 0; i < WARM; i++)
    use(i);
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = memory();
  const int files = entries("/proc/self/fd");
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < COMMS; i++)
    use(i);
  MPI_Barrier(MPI_COMM_WORLD);
  if (memory() - before > GROWTH) fprintf(stderr, "%ld bytes more\n", memory() - before);
  check(memory() - before <= GROWTH, "memory grew");
  check(entries("/proc/self/fd") == files, "files stay open");
  if (rank == 0) printf("%d communicators\n", COMMS);
}

/* --- callbacks of the program's attributes --- */

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag)
{
  (void)comm, (void)key, (void)extra;
  copies++;
  *(void **)copied = value;
  *flag = 1;
  return MPI_SUCCESS;
}

static int delete (MPI_Comm comm, int key, void *value, void *extra)
{
  (void)comm, (void)key, (void)value, (void)extra;
  deletes++;
  return MPI_SUCCESS;
}

static void attributes(void)
{
  MPI_Comm first, second, third;
  MPI_Request request;
  int key, x = rank, max;
  MPI_Comm_create_keyval(copy, delete, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, &key);
  MPI_Comm_dup(first, &second);
  MPI_Comm_idup(second, &third, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&x, &max, 1, MPI_INT, MPI_MAX, third);
  check(max == size - 1, "an allreduce on a duplicate is wrong");
  MPI_Comm_free(&second);
  MPI_Comm_free(&third);
  MPI_Comm_free(&first);
  MPI_Comm_free_keyval(&key);
  if (rank == 0) printf("%d copies, %d deletions\n", copies, deletes);
}

/* --- the end --- */

/* MPI_Finalize begins with it: MPI is there still. */
static int at_the_end(MPI_Comm self, int key, void *value, void *extra)
{
  MPI_Comm made;
  int x = 1, sum = 0;
  (void)self, (void)key, (void)value, (void)extra;
  MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  check(sum == size, "an allreduce in MPI_Finalize is wrong");
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Bcast(&x, 1, MPI_INT, 0, made);
  MPI_Comm_free(&made);
  if (rank == 0) printf("the end\n");
  return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
  (void)type;
  for (int i = 0; i < *n; i++)
    ((int *)inout)[i] += ((int *)in)[i];
}

static void leave(void)
{
  static int in[3] = {1, 2, 3}, out[3];
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Request barrier, sum;
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_vector(1, 3, 3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Bcast(in, 1, type, 0, comm);
  MPI_Op_create(add, 1, &op);
  MPI_Iallreduce(in, out, 3, MPI_INT, op, comm, &sum);
  MPI_Ibarrier(comm, &barrier);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  many();
  attributes();
  leave();
  MPI_Finalize();
  return 0;
}
