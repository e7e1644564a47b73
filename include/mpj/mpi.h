/* This header declares how an MPI program and MPJ exchange datatypes,
 * operations and communicators.
 * It belongs to one MPI library: link libmpj-mpi-mpich or libmpj-mpi-openmpi,
 * whichever <mpi.h> is included.
 *
 * All functions return a status, set outputs only on MPJ_SUCCESS, and may return
 * MPJ_ERR_ARG (a NULL pointer), MPJ_ERR_NO_MEM, and MPJ_ERR_INTERNAL where MPI is not
 * initialised, or finalised already, and a handle that is not predefined is given.
 * An error of the MPI library comes back as MPJ_ERR_INTERNAL with its text.
 * Threads: any, where MPI was initialised for several. */
#ifndef MPJ_MPI_H
#define MPJ_MPI_H

#include <mpi.h>
#include <mpj/mpj.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The datatype that describes the same memory: type map, bounds, packed bytes.
 *   mpi    any datatype of the MPI library, committed or not
 *   *type  committed; the caller frees it, at any time
 * What was found out is kept with the MPI type and gone with it, so that a type seen
 * before costs a lookup. Basic types give the constants of the same C type; Fortran's
 * those of the same kind and size; 16-byte integers and reals, which have no basic
 * type here, their bytes. The pair types give MPJ's where these have no padding
 * (MPI_FLOAT_INT, MPI_2INT) and a struct of the two elsewhere, as MPI does not
 * transfer the padding.
 * Errors: MPJ_ERR_TYPE (MPI_DATATYPE_NULL), the constructors'. */
MPJ_PUBLIC int MPJ_Type_from_mpi(MPI_Datatype mpi, MPJ_Datatype *type);

/* The reverse, with as few and as small MPI constructors as there are: a bucket index
 * becomes an hindexed type, a segment a contiguous one, a distribution the struct of its
 * parts, a slice the struct of what it cuts. Numbers beyond an int go through MPI-4's
 * large counts where the library has them, else through nested types.
 *   *mpi  committed; the caller frees it with MPI_Type_free unless it is a named
 *         type (combiner MPI_COMBINER_NAMED), which the basic types and pairs give
 * FLOAT16 and BFLOAT16, which MPI has not, become two bytes.
 * Errors: MPJ_ERR_TYPE (null or freed). */
MPJ_PUBLIC int MPJ_Type_to_mpi(MPJ_Datatype type, MPI_Datatype *mpi);

/* What the v collectives say of one side, as one datatype with a part a process: part i
 * is counts[i] elements of `mpi` at displs[i] extents of it.
 *   counts[nparts], displs[nparts]  read before return; displs may be NULL: each part
 *       follows the one before
 * Regular counts and displacements are recognised and take constant memory.
 *   *type  committed; the caller frees it */
MPJ_PUBLIC int MPJ_Type_from_mpi_parts(int nparts, const int counts[], const int displs[],
                                       MPI_Datatype mpi, MPJ_Datatype *type);

/* The same with large counts; and what the w collectives say: part i is counts[i]
 * elements of types[i] at displs[i] bytes. */
MPJ_PUBLIC int MPJ_Type_from_mpi_parts_c(int nparts, const MPI_Count counts[],
                                         const MPI_Aint displs[], MPI_Datatype mpi,
                                         MPJ_Datatype *type);
MPJ_PUBLIC int MPJ_Type_from_mpi_parts_w(int nparts, const int counts[], const int displs[],
                                         const MPI_Datatype types[], MPJ_Datatype *type);
MPJ_PUBLIC int MPJ_Type_from_mpi_parts_w_c(int nparts, const MPI_Count counts[],
                                           const MPI_Aint displs[], const MPI_Datatype types[],
                                           MPJ_Datatype *type);

/* The parts of a type as MPI_Alltoallw takes them: part i is counts[i] (1, or 0 where it
 * is empty) elements of types[i] at displs[i] bytes. A displacement beyond an int goes
 * into the type.
 *   nparts                          must be the type's number of parts (MPJ_ERR_PARTS)
 *   counts, displs, types [nparts]  set; the caller frees the types as MPJ_Type_to_mpi
 *       says, all of them with MPJ_Type_free_mpi_parts */
MPJ_PUBLIC int MPJ_Type_to_mpi_parts(MPJ_Datatype type, int nparts, int counts[], int displs[],
                                     MPI_Datatype types[]);
MPJ_PUBLIC int MPJ_Type_free_mpi_parts(int nparts, MPI_Datatype types[]);

/* The operation that combines elements of elemtype as MPI's does. Predefined
 * operations on types that MPJ has them for are MPJ's own constants; others, and the user's,
 * are applied by MPI_Reduce_local.
 *   elemtype  what one element is
 *   *op       this library's, kept until the process ends, one for each operation and
 *             type map: not the caller's to free
 * The MPI operation may be freed only after the last use of *op.
 * Errors: MPJ_ERR_OP (MPI_OP_NULL; predefined, and not for this elemtype). */
MPJ_PUBLIC int MPJ_Op_from_mpi(MPI_Op mpi, MPI_Datatype elemtype, MPJ_Op *op);

/* The reverse: an MPI operation that calls the function of a user's or a lifted operation with
 * its context, on `len` elements of whatever datatype MPI is given, which must consist of
 * elements of elemtype, one after another. Predefined operations give MPI's constants, which
 * MPI applies to its named types alone.
 *   *mpi  this library's, kept until MPI ends, one for each function and context: not the
 *         caller's to free. As commutative as op. The last use of it comes before MPJ_Op_free
 * Errors: MPJ_ERR_OP (null or freed), MPJ_ERR_UNSUPPORTED (built without libffi, and op is not
 * predefined). */
MPJ_PUBLIC int MPJ_Op_to_mpi(MPJ_Op op, MPI_Op *mpi);

/* The processes of MPI_COMM_WORLD as mpj/peers.h wants them, with an exchange that is a
 * collective of MPI's. MPJ_Init asks for them where MPJ_BOOT is mpi, or where MPI is
 * initialised already and MPJ_BOOT says nothing else (spec/launch.md). */
MPJ_PUBLIC int MPJ_Peers_from_mpi(struct MPJ_Peers *peers);

/* Start MPJ among the processes of MPI_COMM_WORLD, whatever launched them: MPJ_COMM_WORLD
 * gets their ranks and moves data by MPJ's own transports. It does not start MPJ twice. As
 * many threads may call MPJ as may call MPI (MPJ_THREAD_MULTIPLE, or one at a time). All
 * processes of MPI_COMM_WORLD call it together, as a collective of MPI's.
 * From here on MPJ's waits let MPI move on (as far as MPI takes calls on their thread:
 * MPI_THREAD_MULTIPLE, or MPI's main thread below MPI_THREAD_SERIALIZED). MPI_Finalize ends
 * what this began, unless MPJ_Finalize has been called before; after it, that is an error.
 * Errors: as MPJ_Init_peers. */
MPJ_PUBLIC int MPJ_Init_from_mpi(void);

/* The communicator of the same processes in the same order. It is kept with the MPI
 * communicator and gone with it: not the caller's to free. MPI_COMM_SELF gives MPJ_COMM_SELF,
 * and MPI_COMM_WORLD gives MPJ_COMM_WORLD where MPJ was started by MPJ_Init_from_mpi.
 *   mpi   any intracommunicator of processes of MPI_COMM_WORLD; all of them call it together,
 *         as a collective of MPI's, the first time: later calls are local
 *   comm  set on success
 * Where MPJ has not been started, this starts it (MPJ_Init_from_mpi): the first call of a
 * program is one of all processes together. Where MPJ_Init has started it, a rank's number
 * in MPJ_COMM_WORLD may differ from that in MPI_COMM_WORLD. MPI_Comm_free gives the
 * communicator up as MPJ_Comm_free does, on its thread.
 * Errors: MPJ_ERR_COMM (MPI_COMM_NULL, an intercommunicator; MPJ_Finalize has been called),
 *   MPJ_ERR_UNSUPPORTED (processes that MPI_Comm_spawn or MPI_Comm_connect joined), as
 *   MPJ_Init_peers and MPJ_Comm_create_peers. */
MPJ_PUBLIC int MPJ_Comm_from_mpi(MPI_Comm mpi, MPJ_Comm *comm);

/* The reverse: the MPI communicator of the same processes in the same order. MPJ_COMM_SELF gives
 * MPI_COMM_SELF; MPJ_COMM_WORLD gives MPI_COMM_WORLD where the ranks are the same; what
 * MPJ_Comm_from_mpi gave, the communicator that it came from. For any other a new one is made
 * by its processes, with MPI_ERRORS_ARE_FATAL; it is kept with comm and freed with it, and
 * MPJ_Comm_from_mpi gives comm for it.
 *   comm  all its processes call it together, as a collective of MPJ's, the first time: later calls
 *         are local. MPJ_Comm_free then frees the MPI communicator, too, as MPI_Comm_free
 *         does, on its thread
 *   *mpi  set on success; not the caller's to free. A program that frees one that was made for
 *         comm by MPI_Comm_free all the same gets a new one next time
 * Errors: MPJ_ERR_COMM (null, freed, broken), MPJ_ERR_UNSUPPORTED (ranks that are threads of one
 *   process, or processes of several MPI_COMM_WORLDs), MPJ_ERR_NO_MEM, the same on all. */
MPJ_PUBLIC int MPJ_Comm_to_mpi(MPJ_Comm comm, MPI_Comm *mpi);

#ifdef __cplusplus
}
#endif
#endif
