/* The first synchronous or long message of a pair of ranks, and one look for it after a barrier: it
 * is there, as after a barrier of MPI's, in which the pair would have connected.
 *
 *   first_looks FIRST   each pair of ranks in turn, in another way each, from this one on */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 4, LONG = 30000, WAYS = 9 };
static const char *const ways[WAYS] = {
    "Isend",           "Issend",         "Bsend",
    "Ibsend",          "Send_init",      "Ssend_init",
    "Issend to Irecv", "Isend to Irecv", "Isend by a communicator of its own"};

static int rank;
static char data[LONG], space[LONG + 1000];
static MPI_Comm reversed; /* all ranks, the last one first */

static void send(int way, int to, MPI_Request *request)
{
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  switch (way) {
  case 0:
  case 7:
    MPI_Isend(data, LONG, MPI_BYTE, to, way, MPI_COMM_WORLD, request);
    break;
  case 1:
  case 6:
    MPI_Issend(data, SMALL, MPI_BYTE, to, way, MPI_COMM_WORLD, request);
    break;
  case 2:
    MPI_Bsend(data, LONG, MPI_BYTE, to, way, MPI_COMM_WORLD);
    break;
  case 3:
    MPI_Ibsend(data, LONG, MPI_BYTE, to, way, MPI_COMM_WORLD, request);
    break;
  case 4:
    MPI_Send_init(data, LONG, MPI_BYTE, to, way, MPI_COMM_WORLD, request);
    MPI_Start(request);
    break;
  case 5:
    MPI_Ssend_init(data, SMALL, MPI_BYTE, to, way, MPI_COMM_WORLD, request);
    MPI_Startall(1, request);
    break;
  default:
    MPI_Isend(data, LONG, MPI_BYTE, size - 1 - to, way, reversed, request);
  }
}

static int look(int way, int from, MPI_Request *request)
{
  int found = 0, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (way == 6 || way == 7)
    MPI_Test(request, &found, MPI_STATUS_IGNORE);
  else if (way == 8)
    MPI_Iprobe(size - 1 - from, way, reversed, &found, MPI_STATUS_IGNORE);
  else
    MPI_Iprobe(from, way, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  if (way == 8)
    MPI_Recv(data, LONG, MPI_BYTE, size - 1 - from, way, reversed, MPI_STATUS_IGNORE);
  else if (way < 6)
    MPI_Recv(data, LONG, MPI_BYTE, from, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return found;
}

static void one(int way, int from, int to)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == to && (way == 6 || way == 7))
    MPI_Irecv(data, LONG, MPI_BYTE, from, way, MPI_COMM_WORLD, &request);
  if (rank == from) {
    memset(data, way + 1, LONG);
    send(way, to, &request);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == to && !look(way, from, &request))
    printf("wrong: %s from %d to %d was not seen\n", ways[way], from, to);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == to && data[SMALL - 1] != way + 1) printf("wrong: data of %s\n", ways[way]);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
  int size, way = argc > 1 ? atoi(argv[1]) : 0, length;
  void *buffer;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Buffer_attach(space, sizeof space);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int from = 0; from < size; from++)
    for (int to = from + 1; to < size; to++)
      one(way++ % WAYS, from, to);
  MPI_Buffer_detach(&buffer, &length);
  if (rank == 0) printf("all right\n");
  MPI_Finalize();
  return 0;
}
