/* This file says in MPI's error codes what MPJ's statuses mean. */
#include "mpi/interpose/errors.h"

#include <ctype.h>
#include <mpj/mpj.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "mpi/convert/interop.h"
#include "mpi/interpose/begun.h"
#include "mpi/interpose/call_run.h"

enum { STATUSES = MPJ_ERR_INTERNAL + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int code; /* MPI_SUCCESS: not made yet */
  char text[MPI_MAX_ERROR_STRING];
} errors[STATUSES];

static int class_of(int status)
{
  switch (status) {
  case MPJ_ERR_TYPE:
  case MPJ_ERR_PARTS:
    return MPI_ERR_TYPE;
  case MPJ_ERR_ROOT:
    return MPI_ERR_ROOT;
  case MPJ_ERR_COMM:
    return MPI_ERR_COMM;
  case MPJ_ERR_OP:
    return MPI_ERR_OP;
  case MPJ_ERR_SIGNATURE:
  case MPJ_ERR_TRUNCATE:
    return MPI_ERR_TRUNCATE;
  case MPJ_ERR_NO_MEM:
    return MPI_ERR_NO_MEM;
  case MPJ_ERR_REQUEST:
    return MPI_ERR_REQUEST;
  case MPJ_ERR_ARG:
    return MPI_ERR_ARG;
  default:
    return MPI_ERR_OTHER;
  }
}

/* "MPI_Ibcast": the program's own call. */
static void name_call(const struct call *call, char *name, size_t size)
{
  const char *collective = collective_names[call->collective];
  const int first = call->form == STARTS ? 'I' : toupper((unsigned char)*collective);
  snprintf(name, size, "MPI_%c%s%s", first, collective + (call->form != STARTS),
           call->form == MAKES ? "_init" : "");
}

void mpi_error_keep(int status, const struct call *call)
{
  char name[64] = "", whole[512];
  const char *sentence = MPJ_Error_detail();
  if (status <= MPJ_SUCCESS || status >= STATUSES) return;
  if (call && strncmp(sentence, "MPJ_", 4) == 0) {
    name_call(call, name, sizeof name);
    sentence += strcspn(sentence, " :");
  }
  snprintf(whole, sizeof whole, "%s%.440s", name, sentence);
  pthread_mutex_lock(&lock);
  snprintf(errors[status].text, sizeof errors[status].text, "%.*s", MPI_MAX_ERROR_STRING - 1, whole);
  pthread_mutex_unlock(&lock);
}

/* MPICH 4.0.2 forgets the texts of codes that are added to its own classes. There the code
 * is a class of its own, of which MPI_Error_class says the right one. The lock is held. */
static int make_code(int status)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int code, length;
  if (PMPI_Add_error_code(class_of(status), &code) == MPI_SUCCESS &&
      PMPI_Add_error_string(code, errors[status].text) == MPI_SUCCESS &&
      PMPI_Error_string(code, text, &length) == MPI_SUCCESS &&
      strcmp(text, errors[status].text) == 0)
    return code;
  return PMPI_Add_error_class(&code) == MPI_SUCCESS ? code : class_of(status);
}

static int code_of(int status)
{
  if (status == MPJ_SUCCESS) return MPI_SUCCESS;
  if (status < 0 || status >= STATUSES) return MPI_ERR_OTHER;
  pthread_mutex_lock(&lock);
  if (errors[status].code == MPI_SUCCESS) errors[status].code = make_code(status);
  const int code = errors[status].code;
  if (code != class_of(status)) PMPI_Add_error_string(code, errors[status].text);
  pthread_mutex_unlock(&lock);
  return code;
}

int MPI_Error_class(int errorcode, int *errorclass)
{
  int status = errorcode == MPI_SUCCESS ? 0 : STATUSES - 1;
  pthread_mutex_lock(&lock);
  while (status > 0 && errors[status].code != errorcode)
    status--;
  pthread_mutex_unlock(&lock);
  if (status == 0 || !errorclass) return PMPI_Error_class(errorcode, errorclass);
  *errorclass = class_of(status);
  return MPI_SUCCESS;
}

static bool ends_the_job(MPI_Comm comm)
{
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler)) return true;
  bool ends = handler == MPI_ERRORS_ARE_FATAL;
#if MPI_VERSION >= 4
  ends = ends || handler == MPI_ERRORS_ABORT;
#endif
  PMPI_Errhandler_free(&handler);
  return ends;
}

/* A forked child must not end its parent's job, and Open MPI's handler would wait for a daemon that
 * does not know the child. */
static void end_child(int status)
{
  fprintf(stderr, "mpj: %s: this process ends\n", errors[status].text);
  _exit(EXIT_FAILURE);
}

int mpi_error_call(int status, MPI_Comm comm)
{
  if (status == MPJ_SUCCESS) return MPI_SUCCESS;
  if (interposer_is_child() && status < STATUSES && ends_the_job(comm)) end_child(status);
  const int code = code_of(status);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

int mpi_error_of(int status, const struct call *call, MPI_Comm comm)
{
  mpi_error_keep(status, call);
  return mpi_error_call(status, comm);
}

int mpi_error_in_child(const struct call *call, MPI_Comm comm)
{
  int rank;
  return mpi_error_of(MPJ_Comm_rank(MPJ_COMM_WORLD, &rank), call, comm);
}
