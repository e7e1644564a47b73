/* This file gives MPJ the messages of MPI: the transport where nothing else runs. They go on
 * a communicator of their own, so that no program's receive takes one. */
#include <mpj/peers.h>
#include <stdint.h>
#include <string.h>

#include "mpi/convert/interop.h"

/* Made once, and MPI's to free when it ends: a collective is no part of leaving a job. */
static MPI_Comm ours = MPI_COMM_NULL;

/* By way of the group: a duplicate would run the callbacks of the program's attributes, and be
 * a collective on MPI_COMM_WORLD, where the program may have its own under way. */
static int begin(void *ctx)
{
  MPI_Group group;
  (void)ctx;
  if (ours != MPI_COMM_NULL) return 0;
  int code = PMPI_Comm_group(MPI_COMM_WORLD, &group);
  if (code) return code;
  code = PMPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &ours);
  PMPI_Group_free(&group);
  if (!code) code = PMPI_Comm_set_errhandler(ours, MPI_ERRORS_RETURN);
  return code ? code : mpi_watch_for_the_end(true);
}

/* A handle is an int or a pointer. */
static void *hidden(MPI_Request request)
{
  void *h = NULL;
  memcpy(&h, &request, sizeof request);
  return h;
}

static MPI_Request shown(void *h)
{
  MPI_Request request;
  memcpy(&request, &h, sizeof request);
  return request;
}

static int send_bytes(void *ctx, int peer, int tag, const void *buf, MPJ_Count bytes,
                      void **request)
{
  MPI_Request made;
  (void)ctx;
  const int code = PMPI_Isend(buf, (int)bytes, MPI_BYTE, peer, tag, ours, &made);
  if (!code) *request = hidden(made);
  return code;
}

static int recv_bytes(void *ctx, int peer, int tag, void *buf, MPJ_Count bytes, void **request)
{
  MPI_Request made;
  (void)ctx;
  const int code =
      PMPI_Irecv(buf, (int)bytes, MPI_BYTE, peer < 0 ? MPI_ANY_SOURCE : peer, tag, ours, &made);
  if (!code) *request = hidden(made);
  return code;
}

static int test(void *ctx, void **request, int *done, MPJ_Count *bytes)
{
  MPI_Request r = shown(*request);
  MPI_Status status;
  int n = 0;
  (void)ctx;
  const int code = PMPI_Test(&r, done, &status);
  if (code || !*done) return code;
  *request = NULL;
  PMPI_Get_count(&status, MPI_BYTE, &n);
  *bytes = n == MPI_UNDEFINED ? 0 : n;
  return 0;
}

/* Where MPI cannot take it back, it is given half a second to end. */
static int cancel(void *ctx, void *request)
{
  MPI_Request r = shown(request);
  const double until = PMPI_Wtime() + 0.5;
  int done = 0, code = PMPI_Cancel(&r);
  (void)ctx;
  while (!code && !done && PMPI_Wtime() < until)
    code = PMPI_Test(&r, &done, MPI_STATUS_IGNORE);
  return done ? 0 : 1;
}

const struct MPJ_Messages *mpi_messages(void)
{
  static struct MPJ_Messages messages = {
      .begin = begin, .send = send_bytes, .recv = recv_bytes, .test = test, .cancel = cancel};
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  messages.any_thread = level == MPI_THREAD_MULTIPLE;
  return &messages;
}
