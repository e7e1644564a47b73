/* This file draws random bytes from the system. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/status.h"
#include "net/far/mac.h"

int mpj_random_draw(void *bytes, size_t size)
{
  ssize_t n;
  do
    n = getrandom(bytes, size, 0);
  while (n < 0 && errno == EINTR);
  if (n == (ssize_t)size) return MPJ_SUCCESS;
  return mpj_error(MPJ_ERR_INTERNAL, "the system gives no random bytes: %s", strerror(errno));
}
