/* This file loads another build of MPJ into a worker. Both run in one process, on the same data,
 * batch by batch in turn, so what the machine does otherwise meets both. */
#include "face.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *loaded(void *handle, const char *what)
{
  if (handle) return handle;
  fprintf(stderr, "%s: %s: %s\n", pack_engine, what, dlerror());
  exit(1);
}

/* path := the module beside this program. */
static void module_path(char path[2 * PATH_MAX])
{
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  self[n < 0 ? 0 : n] = '\0';
  snprintf(path, 2 * PATH_MAX, "%s/pack_mpj_face.so", dirname(self));
}

const struct pack_face *pack_other(const char *path)
{
  static const struct pack_face *face;
  char module[2 * PATH_MAX];
  Lmid_t space;
  if (face) return face;
  void *library = loaded(dlmopen(LM_ID_NEWLM, path, RTLD_NOW), path);
  if (dlinfo(library, RTLD_DI_LMID, &space)) loaded(NULL, path);
  module_path(module);
  face = loaded(dlsym(loaded(dlmopen(space, module, RTLD_NOW), module), "pack_face"), module);
  return face;
}
