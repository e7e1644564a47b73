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

int mpj_ucx_next_descriptor(void)
{
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd >= 0) close(fd);
  return fd;
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

void mpj_ucx_be_impatient(int first)
{
  const int again = ASKED_AGAIN;
  for (int fd = first; fd >= 0 && fd < first + LOOKED_AT; fd++)
    if (is_connecting(fd)) setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &again, sizeof again);
}
