/* This header declares what the files of the conversion library share. */
#ifndef MPJ_SRC_MPI_CONVERT_INTEROP_H
#define MPJ_SRC_MPI_CONVERT_INTEROP_H

#include <stdbool.h>
#include <stdlib.h>

#include <mpj/mpi.h>

/* What every public function of this library that returns a status begins with: an error that it
 * ends with begins with its name. */
#define MPJ_ENTRY                                                                                  \
  const int outermost __attribute__((cleanup(mpi_entry_end), unused)) = MPJ_Error_enter(__func__)
static inline void mpi_entry_end(const int *outermost)
{
  MPJ_Error_leave(*outermost);
}

/* int mpi_report(int code, const char *format, ...): make the formatted sentence
 * the thread's error detail and return code. */
int mpi_report(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* MPJ_SUCCESS for MPI_SUCCESS, else MPJ_ERR_INTERNAL with the MPI library's text,
 * naming the function that failed. */
int mpi_check(int mpi_code, const char *function);

/* MPJ_SUCCESS if MPI can be called now, and has MPI_COMM_WORLD: not by sessions alone. */
int mpi_usable(void);

/* MPJ_Init_from_mpi by way of a communicator with MPI_COMM_WORLD's processes in their order,
 * which is used until it returns (comm.c). */
int mpi_begin_among(MPI_Comm world);

/* A communicator of this process alone on which a wrong call returns its code and nobody else
 * hears of it: so MPI is asked what it allows. MPI_COMM_NULL where none can be made. Made
 * once; given up by mpi_quiet_end, before MPI ends, or by MPI itself. Threads: any. */
MPI_Comm mpi_quiet(void);
void mpi_quiet_end(void);

/* malloc(count * size), checked; at least one byte. NULL and MPJ_ERR_NO_MEM's detail
 * when there is none. */
void *mpi_array(MPJ_Count count, size_t size);

/* --- named types (named.c) --- */

/* The datatype of a named one; MPJ_DATATYPE_NULL if it is none of the table. The handle is
 * the library's, never freed. Threads: any. */
MPJ_Datatype mpi_named_find(MPI_Datatype mpi);

/* Make the datatype of a named one that the table lacks: its bytes. The caller frees it. */
int mpi_named_bytes(MPI_Datatype mpi, MPJ_Datatype *type);

/* The named type of a basic one; MPI_DATATYPE_NULL if MPI has none. */
MPI_Datatype mpi_named_of_basic(MPJ_Datatype basic);

/* Whether it may not be freed. */
bool mpi_is_named(MPI_Datatype mpi);

/* Free it unless it is named or null; *mpi becomes MPI_DATATYPE_NULL. */
void mpi_drop(MPI_Datatype *mpi);

/* --- how an MPI type was made (made.c) --- */

/* The arguments of the call that made a type, in the order of MPI 4.1, 5.1.13 for
 * int counts, whichever counts were used. Owned: mpi_made_free. */
struct mpi_made {
  int combiner;
  MPJ_Count ncounts, naddresses, ntypes;
  MPJ_Count *counts;
  MPJ_Aint *addresses;
  MPI_Datatype *types;
};

int mpi_made_read(MPI_Datatype mpi, struct mpi_made *made);
void mpi_made_free(struct mpi_made *made);

/* Lower bound, extent. */
int mpi_bounds(MPI_Datatype mpi, MPJ_Aint *lb, MPJ_Aint *extent);
/* Bytes of data. */
int mpi_size(MPI_Datatype mpi, MPJ_Count *bytes);

/* --- conversion --- */

/* Free a datatype unless it is basic or null, which is no error here. */
void mpi_release(MPJ_Datatype *type);

/* Make the type of an MPI one that was made so, of those that became `olds` (from_mpi.c); not
 * committed. */
int mpi_convert(MPI_Datatype mpi, const struct mpi_made *made, const MPJ_Datatype olds[],
                MPJ_Datatype *type);

/* The type of an MPI one that is named, or was converted: the MPI type's, and gone with it
 * (seen.c). MPJ_DATATYPE_NULL if it is neither. Threads: any. */
MPJ_Datatype mpi_kept(MPI_Datatype mpi);

/* A number, at least 2, that grows whenever a converted MPI type is freed: until then a handle
 * of one means what it meant (seen.c). Threads: any. */
unsigned long mpi_generation(void);

/* MPI constructors for any numbers (wide.c): displacements and strides in bytes. */
int mpi_wide_contiguous(MPJ_Count count, MPI_Datatype old, MPI_Datatype *made);
int mpi_wide_hvector(MPJ_Count count, MPJ_Count blocklen, MPJ_Aint stride, MPI_Datatype old,
                     MPI_Datatype *made);
int mpi_wide_hindexed(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                      MPI_Datatype old, MPI_Datatype *made);
int mpi_wide_struct(MPJ_Count count, const MPJ_Count blocklens[], const MPJ_Aint displs[],
                    const MPI_Datatype types[], MPI_Datatype *made);
/* Give it these bounds if it has others: *mpi is replaced, and freed. */
int mpi_rebound(MPI_Datatype *mpi, MPJ_Aint lb, MPJ_Aint extent);

/* An MPI type of count elements of a type's map from `first` on (slice.c). Recursion: a level each
 * constructor that is cut; `make` makes those of whole types (mpi_make). Errors:
 * MPJ_ERR_UNSUPPORTED (more than 32). */
int mpi_slice(MPJ_Datatype old, MPJ_Count first, MPJ_Count count,
              int (*make)(MPJ_Datatype type, MPI_Datatype *made), MPI_Datatype *made);

/* As MPJ_Type_to_mpi, not committed (to_mpi.c). On a stack of a few frames, however deep the type
 * nests, but for slices. */
int mpi_make(MPJ_Datatype type, MPI_Datatype *made);

/* --- how an MPJ type was made --- */

/* The arguments of the outermost constructor (MPJ_Type_get_contents). Owned:
 * mpi_call_free. */
struct mpi_call {
  int combiner;
  MPJ_Count ncounts, naddresses, ntypes;
  MPJ_Count *counts;
  MPJ_Aint *addresses;
  MPJ_Datatype *types;
};

int mpi_call_read(MPJ_Datatype type, struct mpi_call *call);
void mpi_call_free(struct mpi_call *call);

/* --- messages among the processes of MPI_COMM_WORLD, on a communicator of their own
 * (messages.c) --- */

const struct MPJ_Messages *mpi_messages(void);

/* See to it that MPI_Finalize looks after MPJ first (the_end.c), and ends it, if this or an earlier
 * call says so: MPJ began by MPI, or cannot go on without it. */
int mpi_watch_for_the_end(bool ends_it);

/* --- progress (progress.c) --- */

/* Let MPJ's waits move MPI on, from now until mpi_progress_end, before MPI ends. */
int mpi_progress_begin(void);
void mpi_progress_end(void);

/* This thread is in a call of MPI's, or no longer: MPI may be called whatever the others do. */
void mpi_progress_inside(bool inside);

#endif
