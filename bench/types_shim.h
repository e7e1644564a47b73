/* This header declares the datatype calls that the types benchmark times, over
 * MPJ or, with TYPES_MPI, over an MPI library. All end the program on an error. */
#ifndef MPJ_BENCH_TYPES_SHIM_H
#define MPJ_BENCH_TYPES_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef TYPES_MPI
#include <mpi.h>
typedef MPI_Datatype types_type;
typedef int types_count; /* as wide as the library's arrays */
#define TYPES_DOUBLE MPI_DOUBLE
#else
#include <mpj/mpj.h>
typedef MPJ_Datatype types_type;
typedef MPJ_Count types_count;
#define TYPES_DOUBLE MPJ_DOUBLE
#endif

void types_start(int *argc, char ***argv);
void types_end(void);

/* Each makes a committed type. Lengths and displacements in elements. */
types_type types_indexed(types_count n, const types_count lens[], const types_count displs[]);
types_type types_vector(types_count n, types_count blocklen, types_count stride);
types_type types_subarray(const types_count sizes[3], const types_count subsizes[3],
                          const types_count starts[3]);
types_type types_struct(types_count n, const types_count lens[], const intptr_t displs[],
                        types_type types[]);
void types_free(types_type *type);

/* Bytes kept for a type, as MPJ_Type_memory says; for an MPI library, what the heap
 * has more of than `before`. */
size_t types_kept(types_type type, size_t before);

#endif
