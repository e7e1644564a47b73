/* This file loads UCX. */
#include "net/ucx/calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

static struct mpj_ucx_calls loaded;
static bool is_loaded;
static char why_not[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find(void *library, const char *name)
{
  void *address = dlsym(library, name);
  if (!address) is_loaded = false;
  return address;
}

static void load(void)
{
  /* A process's signal handlers are its own, unless its user wants UCX's. */
  setenv("UCX_ERROR_SIGNALS", "", 0);
  void *library = dlopen(MPJ_UCX_LIBRARY, RTLD_NOW | RTLD_LOCAL); /* it stays */
  if (!library) {
    strncpy(why_not, dlerror(), sizeof why_not - 1);
    return;
  }
  is_loaded = true;
  void *address;
#define MPJ_UCX_FIND(name)                                                                         \
  address = find(library, #name);                                                                  \
  memcpy(&loaded.name, &address, sizeof address);
  MPJ_UCX_CALLS(MPJ_UCX_FIND)
#undef MPJ_UCX_FIND
  if (!is_loaded) strcpy(why_not, MPJ_UCX_LIBRARY " lacks a call that is needed");
}

int mpj_ucx_load(const struct mpj_ucx_calls **calls)
{
  pthread_once(&once, load);
  if (!is_loaded) return mpj_error(MPJ_ERR_UNSUPPORTED, "UCX cannot be loaded: %s", why_not);
  *calls = &loaded;
  return MPJ_SUCCESS;
}
