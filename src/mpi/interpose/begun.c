/* This file knows how far the interposer has come. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "mpi/interpose/begun.h"

static unsigned reached; /* enum interposer_stage; atomic */

static void note_child(void)
{
  interposer_now(INTERPOSER_CHILD);
}

void interposer_now(enum interposer_stage stage)
{
  if (stage == INTERPOSER_SERVES) pthread_atfork(NULL, NULL, note_child);
  __atomic_fetch_or(&reached, (unsigned)stage, __ATOMIC_RELEASE);
}

#ifdef OMPI_MAJOR_VERSION
static const char *const own = "openmpi", *const other = "mpich",
                         *const others = "MPII_Version_string";
#else
static const char *const own = "mpich", *const other = "openmpi",
                         *const others = "ompi_mpi_comm_world";
#endif

/* Handles of the two libraries have nothing in common: a program of the other would end in a crash
 * at its first call. `others`: a name that it alone has. */
__attribute__((constructor)) static void see_library(void)
{
  if (!dlsym(RTLD_DEFAULT, others)) return;
  fprintf(stderr,
          "mpj: libmpj-interpose-%s.so is loaded into a program of the other MPI library: it needs "
          "libmpj-interpose-%s.so\n",
          own, other);
  _exit(1);
}

static bool has_reached(enum interposer_stage stage)
{
  return __atomic_load_n(&reached, __ATOMIC_ACQUIRE) & (unsigned)stage;
}

bool interposer_has_begun(void)
{
  return has_reached(INTERPOSER_BEGUN);
}

bool interposer_serves(void)
{
  return has_reached(INTERPOSER_SERVES);
}

bool interposer_fits(void)
{
  return has_reached(INTERPOSER_FITS);
}

bool interposer_is_child(void)
{
  return has_reached(INTERPOSER_CHILD);
}

bool interposer_began_late(void)
{
  return has_reached(INTERPOSER_LATE);
}
