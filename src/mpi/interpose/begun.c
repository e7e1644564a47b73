/* This file knows how far the interposer has come. */
#include <pthread.h>

#include "mpi/interpose/begin.h"

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
