/* This file reports errors of the conversions, the MPI library's own included. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "mpi/convert/interop.h"

int mpi_report(int code, const char *format, ...)
{
  char sentence[512];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  return MPJ_Error_raise(code, sentence);
}

int mpi_check(int mpi_code, const char *function)
{
  if (mpi_code == MPI_SUCCESS) return MPJ_SUCCESS;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length;
  PMPI_Error_string(mpi_code, text, &length);
  return mpi_report(MPJ_ERR_INTERNAL, "%s failed: %.400s", function, text);
}

int mpi_usable(void)
{
  int begun, over;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&over);
  if (begun && !over) return MPJ_SUCCESS;
  return mpi_report(MPJ_ERR_INTERNAL, "MPI is %s", over ? "finalised already" : "not initialised");
}

void *mpi_array(MPJ_Count count, size_t size)
{
  void *array = NULL;
  if (count >= 0 && (uint64_t)count <= PTRDIFF_MAX / size)
    array = malloc(count > 0 ? (size_t)count * size : 1);
  if (!array)
    mpi_report(MPJ_ERR_NO_MEM, "no memory for an array of %lld elements of %zu bytes",
               (long long)count, size);
  return array;
}
