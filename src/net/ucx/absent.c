/* This file stands in for the carrier over UCX where the library was built
 * without it. */
#include "base/status.h"
#include "net/ucx/ucx.h"

int mpj_ucx_open(int rank, int size, struct mpj_carrier **carrier)
{
  (void)carrier;
  return mpj_error(
      MPJ_ERR_UNSUPPORTED,
      "rank %d of %d needs a network, and this library was built without UCX, or without "
      "libsodium",
      rank, size);
}
