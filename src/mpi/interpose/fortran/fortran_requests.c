/* This file is MPI's Fortran names of nonblocking collectives, and of the calls that wait, for
 * Open MPI: MPJ must progress in these, and its requests are MPI's. */
#include "mpi/interpose/fortran/fortran.h"

#ifdef OMPI_MAJOR_VERSION

extern MPI_Fint mpi_fortran_status_ignore_[], mpi_fortran_statuses_ignore_[];

/* --- nonblocking collectives --- */

static int made(int code, MPI_Request request, MPI_Fint *handle)
{
  if (code == MPI_SUCCESS) *handle = PMPI_Request_c2f(request);
  return code;
}

/* mpi_iname_(PARAMETERS, request, error) by MPI_Iname(arguments, &request). */
#define STARTING(name, Name, PARAMETERS, ...)                                                      \
  static int name(PARAMETERS, MPI_Fint *handle)                                                    \
  {                                                                                                \
    MPI_Request request = MPI_REQUEST_NULL;                                                        \
    const int code = MPI_##Name(__VA_ARGS__, &request);                                            \
    return made(code, request, handle);                                                            \
  }
/* Names of the parameters, as LIST(PARAMETERS) declares them. */
#define A_SEND buffer(sb), *sn, TYPE(st)
#define A_RECV buffer(rb), *rn, TYPE(rt)
#define A_SENDS buffer(sb), sn, sd, TYPE(st)
#define A_RECVS buffer(rb), rn, rd, TYPE(rt)
#define A_REDUCE buffer(sb), buffer(rb), *n, TYPE(t), OP(op)
#define N_SEND sb, sn, st
#define N_RECV rb, rn, rt
#define N_SENDS sb, sn, sd, st
#define N_RECVS rb, rn, rd, rt
#define N_REDUCE sb, rb, n, t, op

#define NONBLOCKING(name, Name, PARAMETERS, NAMES, ...)                                            \
  STARTING(name, Name, LIST(PARAMETERS), __VA_ARGS__)                                              \
  FORTRAN(name, name(NAMES, request), PARAMETERS, MPI_Fint *request)

/* clang-format off */
NONBLOCKING(ibarrier, Ibarrier, MPI_Fint *c, c, COMM(c))
NONBLOCKING(ibcast, Ibcast, LIST(void *b, MPI_Fint *n, MPI_Fint *t, ROOT), LIST(b, n, t, root, c),
            buffer(b), *n, TYPE(t), *root, COMM(c))
NONBLOCKING(igather, Igather, LIST(SEND, RECV, ROOT), LIST(N_SEND, N_RECV, root, c),
            A_SEND, A_RECV, *root, COMM(c))
NONBLOCKING(igatherv, Igatherv, LIST(SEND, RECVS, ROOT), LIST(N_SEND, N_RECVS, root, c),
            A_SEND, A_RECVS, *root, COMM(c))
NONBLOCKING(iscatter, Iscatter, LIST(SEND, RECV, ROOT), LIST(N_SEND, N_RECV, root, c),
            A_SEND, A_RECV, *root, COMM(c))
NONBLOCKING(iscatterv, Iscatterv, LIST(SENDS, RECV, ROOT), LIST(N_SENDS, N_RECV, root, c),
            A_SENDS, A_RECV, *root, COMM(c))
NONBLOCKING(iallgather, Iallgather, LIST(SEND, RECV, MPI_Fint *c), LIST(N_SEND, N_RECV, c),
            A_SEND, A_RECV, COMM(c))
NONBLOCKING(iallgatherv, Iallgatherv, LIST(SEND, RECVS, MPI_Fint *c), LIST(N_SEND, N_RECVS, c),
            A_SEND, A_RECVS, COMM(c))
NONBLOCKING(ialltoall, Ialltoall, LIST(SEND, RECV, MPI_Fint *c), LIST(N_SEND, N_RECV, c),
            A_SEND, A_RECV, COMM(c))
NONBLOCKING(ialltoallv, Ialltoallv, LIST(SENDS, RECVS, MPI_Fint *c), LIST(N_SENDS, N_RECVS, c),
            A_SENDS, A_RECVS, COMM(c))
NONBLOCKING(ireduce, Ireduce, LIST(REDUCE, ROOT), LIST(N_REDUCE, root, c), A_REDUCE, *root, COMM(c))
NONBLOCKING(iallreduce, Iallreduce, LIST(REDUCE, MPI_Fint *c), LIST(N_REDUCE, c),
            A_REDUCE, COMM(c))
NONBLOCKING(ireduce_scatter, Ireduce_scatter, LIST(REDUCE, MPI_Fint *c), LIST(N_REDUCE, c),
            buffer(sb), buffer(rb), n, TYPE(t), OP(op), COMM(c))
NONBLOCKING(ireduce_scatter_block, Ireduce_scatter_block, LIST(REDUCE, MPI_Fint *c),
            LIST(N_REDUCE, c), A_REDUCE, COMM(c))
NONBLOCKING(iscan, Iscan, LIST(REDUCE, MPI_Fint *c), LIST(N_REDUCE, c), A_REDUCE, COMM(c))
NONBLOCKING(iexscan, Iexscan, LIST(REDUCE, MPI_Fint *c), LIST(N_REDUCE, c), A_REDUCE, COMM(c))
/* clang-format on */

/* MPJ and Open MPI's nonblocking calls have read the lists of types when they return, as Open
 * MPI's own wrapper takes for granted. */
static int ialltoallw(void *sb, int *sn, int *sd, MPI_Fint *st, void *rb, int *rn, int *rd,
                      MPI_Fint *rt, MPI_Comm comm, MPI_Fint *handle)
{
  MPI_Datatype *send = sb == MPI_IN_PLACE ? NULL : fortran_types_of(st, comm);
  MPI_Datatype *recv = fortran_types_of(rt, comm);
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_ERR_NO_MEM;
  if (recv && (send || sb == MPI_IN_PLACE))
    code = MPI_Ialltoallw(sb, sn, sd, send, rb, rn, rd, recv, comm, &request);
  free(send);
  free(recv);
  return made(code, request, handle);
}
FORTRAN(ialltoallw, ialltoallw(buffer(sb), sn, sd, st, buffer(rb), rn, rd, rt, COMM(c), request),
        SENDS, RECVS, MPI_Fint *c, MPI_Fint *request)

/* --- statuses, requests in arrays --- */

static bool wants(const MPI_Fint *status)
{
  return status != mpi_fortran_status_ignore_ && status != mpi_fortran_statuses_ignore_;
}

enum { STATUS_INTS = sizeof(MPI_Status) / sizeof(MPI_Fint) };

static int tell(int code, const MPI_Status *status, MPI_Fint *f)
{
  if (wants(f)) PMPI_Status_c2f(status, f);
  return code;
}

/* Arrays of C's for n requests of Fortran's. */
struct arrays {
  int n;
  MPI_Fint *handles;
  MPI_Request *requests;
  MPI_Status *statuses;
};

static bool begin(struct arrays *a, int n, MPI_Fint handles[])
{
  *a = (struct arrays){n, handles, mpi_array(n, sizeof *a->requests),
                       mpi_array(n, sizeof *a->statuses)};
  for (int i = 0; a->requests && i < n; i++)
    a->requests[i] = PMPI_Request_f2c(handles[i]);
  return a->requests && a->statuses;
}

/* Give back `nstatuses` statuses and all requests. */
static int end(int code, struct arrays *a, int nstatuses, MPI_Fint *statuses)
{
  for (int i = 0; a->requests && a->statuses && i < a->n; i++)
    a->handles[i] = PMPI_Request_c2f(a->requests[i]);
  for (int i = 0; a->requests && a->statuses && wants(statuses) && i < nstatuses; i++)
    PMPI_Status_c2f(&a->statuses[i], statuses + i * STATUS_INTS);
  free(a->requests);
  free(a->statuses);
  return code;
}

/* --- one request --- */

static int wait(MPI_Fint *r, MPI_Fint *s)
{
  MPI_Status status;
  MPI_Request request = PMPI_Request_f2c(*r);
  const int code = MPI_Wait(&request, &status);
  *r = PMPI_Request_c2f(request);
  return tell(code, &status, s);
}
FORTRAN(wait, wait(r, s), MPI_Fint *r, MPI_Fint *s)

static int test(MPI_Fint *r, MPI_Fint *flag, MPI_Fint *s)
{
  MPI_Status status;
  MPI_Request request = PMPI_Request_f2c(*r);
  int done = 0;
  const int code = MPI_Test(&request, &done, &status);
  *flag = done;
  if (!done) return code;
  *r = PMPI_Request_c2f(request);
  return tell(code, &status, s);
}
FORTRAN(test, test(r, flag, s), MPI_Fint *r, MPI_Fint *flag, MPI_Fint *s)

static int get_status(MPI_Fint *r, MPI_Fint *flag, MPI_Fint *s)
{
  MPI_Status status;
  int done = 0;
  const int code = MPI_Request_get_status(PMPI_Request_f2c(*r), &done, &status);
  *flag = done;
  return done ? tell(code, &status, s) : code;
}
FORTRAN(request_get_status, get_status(r, flag, s), MPI_Fint *r, MPI_Fint *flag, MPI_Fint *s)

static int by_handle(int (*call)(MPI_Request *), MPI_Fint *r)
{
  MPI_Request request = PMPI_Request_f2c(*r);
  const int code = call(&request);
  if (!code) *r = PMPI_Request_c2f(request);
  return code;
}
FORTRAN(request_free, by_handle(MPI_Request_free, r), MPI_Fint *r)
FORTRAN(cancel, by_handle(MPI_Cancel, r), MPI_Fint *r)

/* --- several --- */

static int waitall(int n, MPI_Fint r[], MPI_Fint *s)
{
  struct arrays a;
  const int code = begin(&a, n, r) ? MPI_Waitall(n, a.requests, a.statuses) : MPI_ERR_NO_MEM;
  return end(code, &a, n, s);
}
FORTRAN(waitall, waitall(*n, r, s), MPI_Fint *n, MPI_Fint *r, MPI_Fint *s)

static int testall(int n, MPI_Fint r[], MPI_Fint *flag, MPI_Fint *s)
{
  struct arrays a;
  int done = 0;
  const int code = begin(&a, n, r) ? MPI_Testall(n, a.requests, &done, a.statuses) : MPI_ERR_NO_MEM;
  *flag = done;
  return end(code, &a, done ? n : 0, s);
}
FORTRAN(testall, testall(*n, r, flag, s), MPI_Fint *n, MPI_Fint *r, MPI_Fint *flag, MPI_Fint *s)

/* Fortran counts from 1. */
static MPI_Fint from_one(int index)
{
  return index == MPI_UNDEFINED ? MPI_UNDEFINED : index + 1;
}

static int waitany(int n, MPI_Fint r[], MPI_Fint *at, MPI_Fint *s)
{
  struct arrays a;
  int index = MPI_UNDEFINED, code = MPI_ERR_NO_MEM;
  const bool ready = begin(&a, n, r);
  if (ready) code = MPI_Waitany(n, a.requests, &index, a.statuses);
  *at = from_one(index);
  return end(code, &a, ready && n > 0 ? 1 : 0, s);
}
FORTRAN(waitany, waitany(*n, r, at, s), MPI_Fint *n, MPI_Fint *r, MPI_Fint *at, MPI_Fint *s)

static int testany(int n, MPI_Fint r[], MPI_Fint *at, MPI_Fint *flag, MPI_Fint *s)
{
  struct arrays a;
  int index = MPI_UNDEFINED, done = 0, code = MPI_ERR_NO_MEM;
  if (begin(&a, n, r)) code = MPI_Testany(n, a.requests, &index, &done, a.statuses);
  *at = from_one(index);
  *flag = done;
  return end(code, &a, done && n > 0 ? 1 : 0, s);
}
FORTRAN(testany, testany(*n, r, at, flag, s), MPI_Fint *n, MPI_Fint *r, MPI_Fint *at,
        MPI_Fint *flag, MPI_Fint *s)

/* MPI_Waitsome or MPI_Testsome. */
static int some(int (*call)(int, MPI_Request[], int *, int[], MPI_Status[]), int n, MPI_Fint r[],
                MPI_Fint *ndone, MPI_Fint indices[], MPI_Fint *s)
{
  struct arrays a;
  int done = 0, code = MPI_ERR_NO_MEM;
  if (begin(&a, n, r)) code = call(n, a.requests, &done, indices, a.statuses);
  const int told = done == MPI_UNDEFINED ? 0 : done;
  for (int i = 0; i < told; i++)
    indices[i] = from_one(indices[i]);
  *ndone = done;
  return end(code, &a, told, s);
}
FORTRAN(waitsome, some(MPI_Waitsome, *n, r, ndone, at, s), MPI_Fint *n, MPI_Fint *r,
        MPI_Fint *ndone, MPI_Fint *at, MPI_Fint *s)
FORTRAN(testsome, some(MPI_Testsome, *n, r, ndone, at, s), MPI_Fint *n, MPI_Fint *r,
        MPI_Fint *ndone, MPI_Fint *at, MPI_Fint *s)

/* --- blocking messages, which wait, too --- */

#define MESSAGE void *b, MPI_Fint *n, MPI_Fint *t, MPI_Fint *peer, MPI_Fint *tag, MPI_Fint *c

FORTRAN(send, MPI_Send(buffer(b), *n, TYPE(t), *peer, *tag, COMM(c)), MESSAGE)
FORTRAN(ssend, MPI_Ssend(buffer(b), *n, TYPE(t), *peer, *tag, COMM(c)), MESSAGE)
FORTRAN(rsend, MPI_Rsend(buffer(b), *n, TYPE(t), *peer, *tag, COMM(c)), MESSAGE)

static int receive(MESSAGE, MPI_Fint *s)
{
  MPI_Status status;
  const int code = MPI_Recv(b, *n, TYPE(t), *peer, *tag, COMM(c), &status);
  return tell(code, &status, s);
}
FORTRAN(recv, receive(buffer(b), n, t, peer, tag, c, s), MESSAGE, MPI_Fint *s)

static int probe(int peer, int tag, MPI_Comm comm, MPI_Fint *s)
{
  MPI_Status status;
  const int code = MPI_Probe(peer, tag, comm, &status);
  return tell(code, &status, s);
}
FORTRAN(probe, probe(*peer, *tag, COMM(c), s), MPI_Fint *peer, MPI_Fint *tag, MPI_Fint *c,
        MPI_Fint *s)

static int iprobe(int peer, int tag, MPI_Comm comm, MPI_Fint *flag, MPI_Fint *s)
{
  MPI_Status status;
  int found = 0;
  const int code = MPI_Iprobe(peer, tag, comm, &found, &status);
  *flag = found;
  return found ? tell(code, &status, s) : code;
}
FORTRAN(iprobe, iprobe(*peer, *tag, COMM(c), flag, s), MPI_Fint *peer, MPI_Fint *tag, MPI_Fint *c,
        MPI_Fint *flag, MPI_Fint *s)

static int improbe(int peer, int tag, MPI_Comm comm, MPI_Fint *flag, MPI_Fint *m, MPI_Fint *s)
{
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  int found = 0;
  const int code = MPI_Improbe(peer, tag, comm, &found, &message, &status);
  *flag = found;
  if (!found) return code;
  *m = PMPI_Message_c2f(message);
  return tell(code, &status, s);
}
FORTRAN(improbe, improbe(*peer, *tag, COMM(c), flag, m, s), MPI_Fint *peer, MPI_Fint *tag,
        MPI_Fint *c, MPI_Fint *flag, MPI_Fint *m, MPI_Fint *s)

static int win_test(MPI_Win win, MPI_Fint *flag)
{
  int done = 0;
  const int code = MPI_Win_test(win, &done);
  *flag = done;
  return code;
}
FORTRAN(win_test, win_test(PMPI_Win_f2c(*w), flag), MPI_Fint *w, MPI_Fint *flag)

#define SEND_TO MPI_Fint *sn, MPI_Fint *st, MPI_Fint *to, MPI_Fint *stag
#define RECV_FROM MPI_Fint *rn, MPI_Fint *rt, MPI_Fint *from, MPI_Fint *rtag
static int exchange(const void *sb, SEND_TO, void *rb, RECV_FROM, MPI_Fint *c, MPI_Fint *s)
{
  MPI_Status status;
  const int code = MPI_Sendrecv(sb, *sn, TYPE(st), *to, *stag, rb, *rn, TYPE(rt), *from, *rtag,
                                COMM(c), &status);
  return tell(code, &status, s);
}
FORTRAN(sendrecv, exchange(buffer(sb), sn, st, to, stag, buffer(rb), rn, rt, from, rtag, c, s),
        void *sb, SEND_TO, void *rb, RECV_FROM, MPI_Fint *c, MPI_Fint *s)
#endif
