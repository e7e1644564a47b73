/* This file lets a connection that is being made fail in time where nobody answers. By itself the
 * kernel asks for two minutes. UCX's setting for it (TCP_SYN_CNT) makes UCX 1.13 refuse to open a
 * worker, and its endpoints do not tell their sockets: so those are looked for among the
 * descriptors that have come, as sockets that are being connected. */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/ucx/state.h"

/* The first question is asked again after 1 s, and the answer to that awaited for 2. */
enum { ASKED_AGAIN = 1, LOOKED_AT = 16 };

struct mpj_ucx_descriptors mpj_ucx_descriptors(void)
{
  const int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
  struct mpj_ucx_descriptors d = {.first = first};
  if (first < 0) return d;
  close(first);
  for (int i = 0; i < LOOKED_AT; i++)
    if (fcntl(first + i, F_GETFD) != -1) d.taken |= 1u << i;
  return d;
}

static bool is_connecting(int fd)
{
  int protocol = 0;
  struct tcp_info info;
  socklen_t bytes = sizeof protocol;
  if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &bytes) != 0 || protocol != IPPROTO_TCP)
    return false;
  bytes = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) == 0 &&
         info.tcpi_state == TCP_SYN_SENT;
}

void mpj_ucx_be_impatient(const struct mpj_ucx_descriptors *before)
{
  const int again = ASKED_AGAIN;
  for (int i = 0; before->first >= 0 && i < LOOKED_AT; i++)
    if (!(before->taken >> i & 1) && is_connecting(before->first + i))
      setsockopt(before->first + i, IPPROTO_TCP, TCP_SYNCNT, &again, sizeof again);
}
