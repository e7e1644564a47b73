/* This header finds the TCP ports on which somebody of this network namespace listens. */
#ifndef MPJ_TESTS_ATTACK_PORTS_H
#define MPJ_TESTS_ATTACK_PORTS_H

#include <stdio.h>

enum { PORTS_MAX = 64 };

/* The ports of IPv4 in ports[PORTS_MAX], host order, but those of `mine`; how many. */
static inline int find_ports(unsigned short ports[], const unsigned short mine[], int nmine)
{
  char line[512];
  int n = 0;
  FILE *f = fopen("/proc/net/tcp", "r");
  while (f && fgets(line, sizeof line, f) && n < PORTS_MAX) {
    unsigned port, state;
    if (sscanf(line, " %*d: %*8x:%4x %*8x:%*4x %2x", &port, &state) != 2 || state != 0x0a) continue;
    int known = 0;
    for (int i = 0; i < nmine; i++)
      known |= mine[i] == port;
    if (!known) ports[n++] = (unsigned short)port;
  }
  if (f) fclose(f);
  return n;
}

#endif
