/* This file tells the version of the library in use. */
#include <mpj/base.h>

#include "base/entry.h"
#include "base/status.h"

int MPJ_Get_version(int *version, int *subversion)
{
  MPJ_ENTRY;
  if (!version || !subversion)
    return mpj_error(MPJ_ERR_ARG, "%s is NULL", version ? "subversion" : "version");
  *version = MPJ_VERSION;
  *subversion = MPJ_SUBVERSION;
  return MPJ_SUCCESS;
}
