/* This file is an attacker that knows nothing: `garbage SEED` connects to every TCP port on which
 * somebody listens and writes random bytes, some of which begin like a sensible length. Prints
 * how many ports it found. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attack/ports.h"

enum { TRIES = 40, BYTES = 4096 };

static uint64_t state;

static unsigned draw(void)
{
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(state >> 33);
}

static void write_garbage(unsigned short port)
{
  unsigned char bytes[BYTES];
  const struct sockaddr_in to = {
      .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return;
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (unsigned char)(draw() % 3 ? draw() : 0);
  if (draw() % 2) bytes[1] = bytes[2] = bytes[3] = 0;
  const size_t n = 1 + draw() % sizeof bytes;
  struct pollfd ready = {.fd = fd, .events = POLLIN};
  if (connect(fd, (const struct sockaddr *)&to, sizeof to) == 0) {
    (void)!send(fd, bytes, n, MSG_NOSIGNAL);
    poll(&ready, 1, (int)(draw() % 20));
  }
  close(fd);
}

int main(int argc, char **argv)
{
  unsigned short ports[PORTS_MAX];
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  const int n = find_ports(ports, NULL, 0);
  for (int i = 0; i < TRIES * n; i++)
    write_garbage(ports[i % n]);
  printf("%d ports\n", n);
  return 0;
}
