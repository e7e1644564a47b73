/* This file is MPI's Fortran names where their wrappers call PMPI_..., as in Open MPI: blocking
 * collectives, and the calls that begin and end MPI or free communicators. MPICH's wrappers call
 * the C names MPI_..., which are interposed already. */
#include "mpi/interpose/fortran/fortran.h"

#ifdef OMPI_MAJOR_VERSION

/* clang-format off */
FORTRAN(barrier, MPI_Barrier(COMM(c)), MPI_Fint *c)
FORTRAN(bcast, MPI_Bcast(buffer(b), *n, TYPE(t), *root, COMM(c)), void *b, MPI_Fint *n, MPI_Fint *t,
        ROOT)
FORTRAN(gather, MPI_Gather(buffer(sb), *sn, TYPE(st), buffer(rb), *rn, TYPE(rt), *root, COMM(c)),
        SEND, RECV, ROOT)
FORTRAN(gatherv,
        MPI_Gatherv(buffer(sb), *sn, TYPE(st), buffer(rb), rn, rd, TYPE(rt), *root, COMM(c)),
        SEND, RECVS, ROOT)
FORTRAN(scatter, MPI_Scatter(buffer(sb), *sn, TYPE(st), buffer(rb), *rn, TYPE(rt), *root, COMM(c)),
        SEND, RECV, ROOT)
FORTRAN(scatterv,
        MPI_Scatterv(buffer(sb), sn, sd, TYPE(st), buffer(rb), *rn, TYPE(rt), *root, COMM(c)),
        SENDS, RECV, ROOT)
FORTRAN(allgather, MPI_Allgather(buffer(sb), *sn, TYPE(st), buffer(rb), *rn, TYPE(rt), COMM(c)),
        SEND, RECV, MPI_Fint *c)
FORTRAN(allgatherv,
        MPI_Allgatherv(buffer(sb), *sn, TYPE(st), buffer(rb), rn, rd, TYPE(rt), COMM(c)),
        SEND, RECVS, MPI_Fint *c)
FORTRAN(alltoall, MPI_Alltoall(buffer(sb), *sn, TYPE(st), buffer(rb), *rn, TYPE(rt), COMM(c)),
        SEND, RECV, MPI_Fint *c)
FORTRAN(alltoallv,
        MPI_Alltoallv(buffer(sb), sn, sd, TYPE(st), buffer(rb), rn, rd, TYPE(rt), COMM(c)),
        SENDS, RECVS, MPI_Fint *c)
FORTRAN(reduce, MPI_Reduce(buffer(sb), buffer(rb), *n, TYPE(t), OP(op), *root, COMM(c)),
        REDUCE, ROOT)
FORTRAN(allreduce, MPI_Allreduce(buffer(sb), buffer(rb), *n, TYPE(t), OP(op), COMM(c)),
        REDUCE, MPI_Fint *c)
FORTRAN(reduce_scatter, MPI_Reduce_scatter(buffer(sb), buffer(rb), n, TYPE(t), OP(op), COMM(c)),
        REDUCE, MPI_Fint *c)
FORTRAN(reduce_scatter_block,
        MPI_Reduce_scatter_block(buffer(sb), buffer(rb), *n, TYPE(t), OP(op), COMM(c)),
        REDUCE, MPI_Fint *c)
FORTRAN(scan, MPI_Scan(buffer(sb), buffer(rb), *n, TYPE(t), OP(op), COMM(c)), REDUCE, MPI_Fint *c)
FORTRAN(exscan, MPI_Exscan(buffer(sb), buffer(rb), *n, TYPE(t), OP(op), COMM(c)), REDUCE,
        MPI_Fint *c)
/* clang-format on */

MPI_Datatype *fortran_types_of(const MPI_Fint handles[], MPI_Comm comm)
{
  int size = 0;
  PMPI_Comm_size(comm, &size);
  MPI_Datatype *types = mpi_array(size, sizeof *types);
  for (int i = 0; types && i < size; i++)
    types[i] = PMPI_Type_f2c(handles[i]);
  return types;
}

static int alltoallw(void *sb, int *sn, int *sd, MPI_Fint *st, void *rb, int *rn, int *rd,
                     MPI_Fint *rt, MPI_Comm comm)
{
  /* In place, nobody looks at the sending side. */
  MPI_Datatype *send = sb == MPI_IN_PLACE ? NULL : fortran_types_of(st, comm),
               *recv = fortran_types_of(rt, comm);
  int code = MPI_ERR_NO_MEM;
  if (recv && (send || sb == MPI_IN_PLACE))
    code = MPI_Alltoallw(sb, sn, sd, send, rb, rn, rd, recv, comm);
  free(send);
  free(recv);
  return code;
}
FORTRAN(alltoallw, alltoallw(buffer(sb), sn, sd, st, buffer(rb), rn, rd, rt, COMM(c)), SENDS, RECVS,
        MPI_Fint *c)

/* --- the beginning and the end --- */

static int free_comm(MPI_Fint *c)
{
  MPI_Comm comm = COMM(c);
  const int code = MPI_Comm_free(&comm);
  if (code == MPI_SUCCESS) *c = PMPI_Comm_c2f(comm);
  return code;
}
FORTRAN(comm_free, free_comm(c), MPI_Fint *c)

static int init_thread(int required, MPI_Fint *provided)
{
  int level = MPI_THREAD_SINGLE;
  const int code = MPI_Init_thread(NULL, NULL, required, &level);
  *provided = level;
  return code;
}
FORTRAN(init_thread, init_thread(*required, provided), MPI_Fint *required, MPI_Fint *provided)

void mpi_init_(MPI_Fint *error);
void mpi_init_f08_(MPI_Fint *error) __attribute__((alias("mpi_init_")));
void mpi_init_(MPI_Fint *error)
{
  const int code = MPI_Init(NULL, NULL);
  if (error) *error = code;
}

void mpi_finalize_(MPI_Fint *error);
void mpi_finalize_f08_(MPI_Fint *error) __attribute__((alias("mpi_finalize_")));
void mpi_finalize_(MPI_Fint *error)
{
  const int code = MPI_Finalize();
  if (error) *error = code;
}
#endif
