/* This file finds the network interface that an address means. */
#include "net/ucx/device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

enum { ADDRESS_BYTES = 16 };

/* The first `bits` bits of an address. */
struct prefix {
  int family;
  unsigned bits;
  unsigned char bytes[ADDRESS_BYTES];
};

/* Read "address" or "address/bits"; false: it is neither. */
static bool read_prefix(const char *text, struct prefix *p)
{
  char address[INET6_ADDRSTRLEN], *end;
  const size_t length = strcspn(text, "/");
  if (length >= sizeof address) return false;
  memcpy(address, text, length);
  address[length] = 0;
  p->family = strchr(address, ':') ? AF_INET6 : AF_INET;
  const unsigned most = p->family == AF_INET6 ? 128 : 32;
  p->bits = most;
  if (inet_pton(p->family, address, p->bytes) != 1) return false;
  if (!text[length]) return true;
  const unsigned long bits = strtoul(text + length + 1, &end, 10);
  if (end == text + length + 1 || *end || bits > most) return false;
  p->bits = (unsigned)bits;
  return true;
}

static bool is_in(const struct prefix *p, const struct sockaddr *address)
{
  const void *bytes;
  if (!address || address->sa_family != p->family) return false;
  if (p->family == AF_INET)
    bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
  else
    bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
  const unsigned char *other = bytes;
  const unsigned whole = p->bits / 8, rest = p->bits % 8;
  if (memcmp(p->bytes, other, whole) != 0) return false;
  return rest == 0 || (p->bytes[whole] ^ other[whole]) >> (8 - rest) == 0;
}

static int not_found(const char *address)
{
  return mpj_error(MPJ_ERR_ARG,
                   "MPJ_NET_ADDRESS is \"%s\": no network interface of this machine that is up has "
                   "this name or address, or an address in this network",
                   address);
}

int mpj_device_find(const char *address, char *name, size_t size)
{
  struct prefix prefix = {.family = AF_UNSPEC};
  struct ifaddrs *all;
  if (!read_prefix(address, &prefix)) prefix.family = AF_UNSPEC;
  if (getifaddrs(&all) != 0)
    return mpj_error(MPJ_ERR_ARG,
                     "MPJ_NET_ADDRESS is \"%s\", and the interfaces cannot be listed: %s", address,
                     strerror(errno));
  const struct ifaddrs *found = NULL;
  for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next)
    if (i->ifa_flags & IFF_UP && (strcmp(i->ifa_name, address) == 0 || is_in(&prefix, i->ifa_addr)))
      found = i;
  if (found) snprintf(name, size, "%s", found->ifa_name);
  freeifaddrs(all);
  return found ? MPJ_SUCCESS : not_found(address);
}
