/* This header declares how MPI's Fortran names are made of its C names, for Open MPI, whose own
 * wrappers call PMPI_.... */
#ifndef MPJ_SRC_MPI_INTERPOSE_FORTRAN_FORTRAN_H
#define MPJ_SRC_MPI_INTERPOSE_FORTRAN_FORTRAN_H

#include "mpi/convert/interop.h"

#ifdef OMPI_MAJOR_VERSION

extern MPI_Fint mpi_fortran_in_place_, mpi_fortran_bottom_;

/* Fortran says what C says by a constant by the address of a variable. */
static inline void *buffer(void *p)
{
  if (p == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return p == &mpi_fortran_bottom_ ? MPI_BOTTOM : p;
}

#define COMM(c) PMPI_Comm_f2c(*(c))
#define TYPE(t) PMPI_Type_f2c(*(t))
#define OP(o) PMPI_Op_f2c(*(o))

/* mpi_name_, and what `use mpi_f08` calls. The last parameter is the error code, which may be
 * absent there. */
#define FORTRAN(name, call, ...)                                                                   \
  void mpi_##name##_(__VA_ARGS__, MPI_Fint *error);                                                \
  void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *error) __attribute__((alias("mpi_" #name "_")));   \
  void mpi_##name##_(__VA_ARGS__, MPI_Fint *error)                                                 \
  {                                                                                                \
    const int code = (call);                                                                       \
    if (error) *error = code;                                                                      \
  }

#define SEND void *sb, MPI_Fint *sn, MPI_Fint *st
#define RECV void *rb, MPI_Fint *rn, MPI_Fint *rt
#define SENDS void *sb, MPI_Fint *sn, MPI_Fint *sd, MPI_Fint *st
#define RECVS void *rb, MPI_Fint *rn, MPI_Fint *rd, MPI_Fint *rt
#define ROOT MPI_Fint *root, MPI_Fint *c
#define REDUCE void *sb, void *rb, MPI_Fint *n, MPI_Fint *t, MPI_Fint *op

#define LIST(...) __VA_ARGS__

/* The types of a w call's peers; NULL where there is no memory. The caller frees them. */
MPI_Datatype *fortran_types_of(const MPI_Fint handles[], MPI_Comm comm);

#endif
#endif
