/* This file is MPI's blocking point-to-point calls: they wait as the completion calls do,
 * where MPI's own waiting would keep MPJ from progressing, or the processor from the rank that
 * is waited for. */
#include "mpi/interpose/first_sends.h"
#include "mpi/interpose/request.h"
#include "mpi/interpose/requests.h"
#include "mpi/interpose/waiting.h"

/* Looks of MPJ's waits between two at MPI: one takes some 10 ns where ranks have cores of their
 * own, and as long as other ranks run where not. */
enum { LOOKS_SPINNING = 32, LOOKS_YIELDING = 8 };

/* From now on MPI may have something to do while the program is elsewhere. MPJ's waits look after
 * it more often. */
static void begin_sending(void)
{
  if (mpi_may_send()) return;
  requests_lock();
  const bool alone = MPJ_Progress_often(wait_yields() ? LOOKS_YIELDING : LOOKS_SPINNING);
  requests_unlock();
  mpi_sends_now(alone);
}

static int note_sending(int code, int to, MPI_Comm comm, const MPI_Request *request)
{
  if (!code) first_sends_note(comm, to, request);
  return code;
}

/* MPI gives back room in the program's buffer when it progresses. */
static void begin_buffered(void)
{
  begin_sending();
  let_mpi_catch_up();
}

/* The program's request is complete at once. */
static int note_buffered(int code, int to, MPI_Comm comm, const MPI_Request *request)
{
  (void)request;
  return note_sending(code, to, comm, NULL);
}

static void begin_persistent(void)
{
  begin_sending();
}

static int note_persistent(int code, int to, MPI_Comm comm, const MPI_Request *request)
{
  (void)request;
  if (!code) first_sends_will(comm, to);
  return code;
}

#define STARTING(Name, C, kind)                                                                    \
  int MPI_##Name(const void *buf, C count, MPI_Datatype type, int to, int tag, MPI_Comm comm,      \
                 MPI_Request *request)                                                             \
  {                                                                                                \
    begin_##kind();                                                                                \
    return note_##kind(PMPI_##Name(buf, count, type, to, tag, comm, request), to, comm, request);  \
  }
#define COPYING(Name, C, kind)                                                                     \
  int MPI_##Name(const void *buf, C count, MPI_Datatype type, int to, int tag, MPI_Comm comm)      \
  {                                                                                                \
    begin_##kind();                                                                                \
    return note_##kind(PMPI_##Name(buf, count, type, to, tag, comm), to, comm, NULL);              \
  }
#if MPI_VERSION >= 4
#define WIDTHS(MACRO, Name, kind) MACRO(Name, int, kind) MACRO(Name##_c, MPI_Count, kind)
#else
#define WIDTHS(MACRO, Name, kind) MACRO(Name, int, kind)
#endif
/* clang-format off */
WIDTHS(STARTING, Isend, sending)
WIDTHS(STARTING, Issend, sending)
WIDTHS(STARTING, Irsend, sending)
WIDTHS(STARTING, Ibsend, buffered)
WIDTHS(STARTING, Send_init, persistent)
WIDTHS(STARTING, Ssend_init, persistent)
WIDTHS(STARTING, Rsend_init, persistent)
WIDTHS(STARTING, Bsend_init, persistent)
WIDTHS(COPYING, Bsend, buffered)
/* clang-format on */

static bool plain(void)
{
  return !requests_under_way() && !wait_yields();
}

static int finish(int code, MPI_Request request, MPI_Status *status)
{
  return code ? code : MPI_Wait(&request, status);
}

#define SENDING(Name, Start)                                                                       \
  int MPI_##Name(const void *buf, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)    \
  {                                                                                                \
    MPI_Request request = MPI_REQUEST_NULL;                                                        \
    if (plain()) return PMPI_##Name(buf, count, type, to, tag, comm);                              \
    const int code = PMPI_##Start(buf, count, type, to, tag, comm, &request);                      \
    return finish(code, request, MPI_STATUS_IGNORE);                                               \
  }
SENDING(Send, Isend)
SENDING(Ssend, Issend)
SENDING(Rsend, Irsend)

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
  MPI_Request request = MPI_REQUEST_NULL;
  if (plain()) return PMPI_Recv(buf, count, type, from, tag, comm, status);
  const int code = PMPI_Irecv(buf, count, type, from, tag, comm, &request);
  return finish(code, request, status);
}

int MPI_Sendrecv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, int to, int sendtag,
                 void *recvbuf, int recvcount, MPI_Datatype recvtype, int from, int recvtag,
                 MPI_Comm comm, MPI_Status *status)
{
  MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
  if (plain())
    return PMPI_Sendrecv(sendbuf, sendcount, sendtype, to, sendtag, recvbuf, recvcount, recvtype,
                         from, recvtag, comm, status);
  int code = PMPI_Irecv(recvbuf, recvcount, recvtype, from, recvtag, comm, &receive);
  if (code) return code;
  code = PMPI_Isend(sendbuf, sendcount, sendtype, to, sendtag, comm, &send);
  if (code) {
    PMPI_Cancel(&receive);
    PMPI_Wait(&receive, MPI_STATUS_IGNORE);
    return code;
  }
  code = finish(MPI_SUCCESS, receive, status);
  const int sent = finish(MPI_SUCCESS, send, MPI_STATUS_IGNORE);
  return code ? code : sent;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
  int found = 0;
  if (plain()) return PMPI_Probe(from, tag, comm, status);
  for (;;) {
    const int code = PMPI_Iprobe(from, tag, comm, &found, status);
    if (code || found) return code;
    wait_a_little();
  }
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
  int found = 0;
  if (plain()) return PMPI_Mprobe(from, tag, comm, message, status);
  for (;;) {
    const int code = PMPI_Improbe(from, tag, comm, &found, message, status);
    if (code || found) return code;
    wait_a_little();
  }
}
