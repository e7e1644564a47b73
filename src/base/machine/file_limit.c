/* This file compares lengths of files with the limit of this process. */
#include "base/machine/file_limit.h"

#include <errno.h>
#include <sys/resource.h>

bool mpj_file_may_have(size_t bytes, size_t *most)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes) return true;
  if (most) *most = (size_t)limit.rlim_cur;
  errno = EFBIG;
  return false;
}
