/* This file keeps lifelines.
 *
 * The lower rank of two connects, to one address of the other after the other, and greets;
 * the higher one greets back. A line at a rank:
 *
 *   state       event                                  next
 *   LOOSE       tie, at the lower rank                 CONNECTING
 *   LOOSE       a guest's greeting, at the higher one  TIED
 *   CONNECTING  connected                              GREETED
 *   CONNECTING, GREETED  refused, or cut, or not greeted well: CONNECTING, elsewhere, or LOOSE
 *   GREETED     a greeting                             TIED
 *   TIED        cut                                    LOOSE, and told */
#include "net/mpi/lifeline.h"

#include <mpj/mpj.h>

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"

enum { GUESTS = 16, EVENTS = 16, NO_FD = -1 };
static const double guest_s = 1; /* that a guest may keep another one waiting */

struct greeting {
  unsigned char token[MPJ_LIFELINE_TOKEN]; /* of whoever is to read it */
  int32_t rank, unused;                    /* of whoever sends it */
};

enum state { LOOSE, CONNECTING, GREETED, TIED };
struct line {
  enum state state;
  int fd;
  unsigned next; /* address to try */
  struct mpj_lifeline_card card;
};

struct mpj_lifelines {
  int rank, size;
  int listener, events;
  struct mpj_lifeline_card card; /* this rank's */
  int guest[GUESTS];             /* connected, but not greeted yet */
  double since[GUESTS];          /* when each came */
  struct line line[];            /* [size] */
};

/* What an event is of: a line's rank, the listener, or a guest. */
static uint32_t id_of_listener(const struct mpj_lifelines *l)
{
  return (uint32_t)l->size;
}

static void expect(struct mpj_lifelines *l, int fd, uint32_t id, uint32_t events, int how)
{
  struct epoll_event e = {.events = events, .data.u32 = id};
  epoll_ctl(l->events, how, fd, &e);
}

static void drop(int *fd)
{
  if (*fd != NO_FD) close(*fd);
  *fd = NO_FD;
}

static void set(int fd, int level, int option, int value)
{
  setsockopt(fd, level, option, &value, sizeof value);
}

/* The kernel asks after the other end: lost within 4 s. */
static void keep_alive(int fd)
{
  enum { IDLE_S = 1, APART_S = 1, TIMES = 3, UNANSWERED_MS = 4000 };
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, IDLE_S);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, APART_S);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, TIMES);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNANSWERED_MS);
}

/* Greetings */

static bool greet(const struct mpj_lifelines *l, const struct line *line, int fd)
{
  struct greeting g = {.rank = l->rank};
  memcpy(g.token, line->card.token, sizeof g.token);
  return send(fd, &g, sizeof g, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof g;
}

/* Read a greeting. 1: it is this rank's to read; 0: not all of it is here; -1: it never will. */
static int read_greeting(const struct mpj_lifelines *l, int fd, int *rank)
{
  struct greeting g;
  const ssize_t n = recv(fd, &g, sizeof g, MSG_PEEK | MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  if (n <= 0) return -1;
  if (n < (ssize_t)sizeof g) return 0;
  *rank = g.rank;
  recv(fd, &g, sizeof g, MSG_DONTWAIT);
  unsigned char differs = 0; /* in a time that does not depend on where */
  for (size_t i = 0; i < sizeof g.token; i++)
    differs |= (unsigned char)(g.token[i] ^ l->card.token[i]);
  return differs == 0 ? 1 : -1;
}

/* Connecting */

static socklen_t fill_address(const struct mpj_lifeline_card *card, unsigned i,
                              struct sockaddr_storage *to)
{
  static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(card->port)};
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(card->port)};
  memset(to, 0, sizeof *to);
  if (memcmp(card->address[i], mapped, sizeof mapped) == 0) {
    memcpy(&four.sin_addr, card->address[i] + sizeof mapped, sizeof four.sin_addr);
    memcpy(to, &four, sizeof four);
    return sizeof four;
  }
  memcpy(&six.sin6_addr, card->address[i], sizeof six.sin6_addr);
  memcpy(to, &six, sizeof six);
  return sizeof six;
}

/* Try the addresses that are left, up to one that may answer. */
static void try_next(struct mpj_lifelines *l, int peer)
{
  struct line *line = &l->line[peer];
  drop(&line->fd);
  line->state = LOOSE;
  while (line->state == LOOSE && line->next < line->card.addresses) {
    struct sockaddr_storage to;
    const socklen_t bytes = fill_address(&line->card, line->next++, &to);
    line->fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (line->fd == NO_FD) continue;
    keep_alive(line->fd);
    if (connect(line->fd, (struct sockaddr *)&to, bytes) == 0 || errno == EINPROGRESS) {
      line->state = CONNECTING;
      expect(l, line->fd, (uint32_t)peer, EPOLLOUT, EPOLL_CTL_ADD);
    } else {
      drop(&line->fd);
    }
  }
}

static int error_on(int fd)
{
  int error = 0;
  socklen_t bytes = sizeof error;
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes);
  return error;
}

static void on_connected(struct mpj_lifelines *l, int peer)
{
  struct line *line = &l->line[peer];
  if (error_on(line->fd) != 0 || !greet(l, line, line->fd)) {
    try_next(l, peer);
    return;
  }
  line->state = GREETED;
  expect(l, line->fd, (uint32_t)peer, EPOLLIN, EPOLL_CTL_MOD);
}

static void on_greeted(struct mpj_lifelines *l, int peer)
{
  struct line *line = &l->line[peer];
  int rank = -1;
  const int read = read_greeting(l, line->fd, &rank);
  if (read > 0 && rank == peer) line->state = TIED;
  if (read < 0 || (read > 0 && rank != peer)) try_next(l, peer);
}

/* Guests */

/* Where the next one may stand: at a free place, or that of who has had its time. */
static int free_place(struct mpj_lifelines *l, double now)
{
  int oldest = 0;
  for (int i = 0; i < GUESTS; i++) {
    if (l->guest[i] == NO_FD) return i;
    if (l->since[i] < l->since[oldest]) oldest = i;
  }
  if (now - l->since[oldest] < guest_s) return -1;
  drop(&l->guest[oldest]);
  return oldest;
}

/* The others wait in the kernel's queue, which holds as many as there are ranks. */
static void on_arrival(struct mpj_lifelines *l)
{
  const double now = MPJ_Wtime();
  const int place = free_place(l, now);
  if (place < 0) return;
  const int fd = accept4(l->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return;
  keep_alive(fd);
  l->guest[place] = fd;
  l->since[place] = now;
  expect(l, fd, id_of_listener(l) + 1 + (uint32_t)place, EPOLLIN, EPOLL_CTL_ADD);
}

static void on_guest(struct mpj_lifelines *l, unsigned i)
{
  int rank = -1;
  if (l->guest[i] == NO_FD) return;
  const int read = read_greeting(l, l->guest[i], &rank);
  if (read == 0) return;
  struct line *line = read > 0 && rank >= 0 && rank < l->rank ? &l->line[rank] : NULL;
  if (!line || line->state != LOOSE || line->card.port == 0 || !greet(l, line, l->guest[i])) {
    drop(&l->guest[i]);
    return;
  }
  line->fd = l->guest[i];
  line->state = TIED;
  l->guest[i] = NO_FD;
  expect(l, line->fd, (uint32_t)rank, EPOLLIN, EPOLL_CTL_MOD);
}

/* Progress */

/* Nothing is said on a line that is tied; so this is its end. */
static int cut(struct line *line)
{
  char byte;
  const ssize_t n = recv(line->fd, &byte, sizeof byte, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  const int error = n < 0 ? errno : ECONNRESET;
  drop(&line->fd);
  line->state = LOOSE;
  line->card.port = 0; /* not again */
  return error;
}

static void on_line(struct mpj_lifelines *l, int peer, void (*lost)(void *, int, int), void *ctx)
{
  struct line *line = &l->line[peer];
  if (line->state == CONNECTING) {
    on_connected(l, peer);
  } else if (line->state == GREETED) {
    on_greeted(l, peer);
  } else if (line->state == TIED) {
    const int error = cut(line);
    if (error) lost(ctx, peer, error);
  }
}

void mpj_lifelines_poll(struct mpj_lifelines *l, void (*lost)(void *ctx, int peer, int error),
                        void *ctx)
{
  struct epoll_event events[EVENTS];
  const int n = epoll_wait(l->events, events, EVENTS, 0);
  for (int i = 0; i < n; i++) {
    const uint32_t id = events[i].data.u32;
    if (id < id_of_listener(l))
      on_line(l, (int)id, lost, ctx);
    else if (id == id_of_listener(l))
      on_arrival(l);
    else
      on_guest(l, id - id_of_listener(l) - 1);
  }
}

void mpj_lifelines_tie(struct mpj_lifelines *l, int peer, const struct mpj_lifeline_card *card)
{
  struct line *line = &l->line[peer];
  line->card = *card;
  if (line->card.addresses > MPJ_LIFELINE_ADDRESSES) line->card.addresses = 0;
  if (l->rank < peer) try_next(l, peer);
}

bool mpj_lifelines_loose(const struct mpj_lifelines *l)
{
  for (int peer = 0; peer < l->size; peer++) {
    const struct line *line = &l->line[peer];
    const bool awaited = peer < l->rank && line->state == LOOSE && line->card.port > 0;
    if (awaited || line->state == CONNECTING || line->state == GREETED) return true;
  }
  return false;
}

/* Opening */

/* The loopback's come last: they lead to hosts that are this one by another name. */
static void add_addresses(struct mpj_lifeline_card *card, const struct ifaddrs *list, bool loopback)
{
  for (const struct ifaddrs *a = list; a && card->addresses < MPJ_LIFELINE_ADDRESSES;
       a = a->ifa_next) {
    if (!a->ifa_addr || !(a->ifa_flags & IFF_UP)) continue;
    if (((a->ifa_flags & IFF_LOOPBACK) != 0) != loopback) continue;
    unsigned char *to = card->address[card->addresses];
    if (a->ifa_addr->sa_family == AF_INET) {
      struct sockaddr_in four;
      memcpy(&four, a->ifa_addr, sizeof four);
      to[10] = to[11] = 0xff;
      memcpy(to + 12, &four.sin_addr, sizeof four.sin_addr);
    } else if (a->ifa_addr->sa_family == AF_INET6) {
      struct sockaddr_in6 six;
      memcpy(&six, a->ifa_addr, sizeof six);
      if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) continue;
      memcpy(to, &six.sin6_addr, sizeof six.sin6_addr);
    } else {
      continue;
    }
    card->addresses++;
  }
}

static bool listen_at(struct mpj_lifelines *l, int family)
{
  struct sockaddr_storage at = {.ss_family = (sa_family_t)family};
  socklen_t bytes = family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
  l->listener = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (l->listener == NO_FD) return false;
  if (family == AF_INET6) set(l->listener, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  if (bind(l->listener, (struct sockaddr *)&at, bytes) != 0 || listen(l->listener, l->size) != 0 ||
      getsockname(l->listener, (struct sockaddr *)&at, &bytes) != 0) {
    drop(&l->listener);
    return false;
  }
  struct sockaddr_in port; /* at the same place in both families */
  memcpy(&port, &at, sizeof port);
  l->card.port = ntohs(port.sin_port);
  return true;
}

static bool begin(struct mpj_lifelines *l)
{
  struct ifaddrs *list;
  l->events = epoll_create1(EPOLL_CLOEXEC);
  if (l->events == NO_FD || !(listen_at(l, AF_INET6) || listen_at(l, AF_INET))) return false;
  if (getrandom(l->card.token, sizeof l->card.token, 0) != (ssize_t)sizeof l->card.token)
    return false;
  if (getifaddrs(&list) != 0) return false;
  add_addresses(&l->card, list, false);
  add_addresses(&l->card, list, true);
  freeifaddrs(list);
  expect(l, l->listener, id_of_listener(l), EPOLLIN, EPOLL_CTL_ADD);
  return true;
}

struct mpj_lifelines *mpj_lifelines_open(int rank, int size)
{
  struct mpj_lifelines *l = mpj_alloc_array(1, sizeof *l + (size_t)size * sizeof l->line[0]);
  if (!l) return NULL;
  l->rank = rank;
  l->size = size;
  l->listener = l->events = NO_FD;
  for (int i = 0; i < GUESTS; i++)
    l->guest[i] = NO_FD;
  for (int i = 0; i < size; i++)
    l->line[i].fd = NO_FD;
  if (begin(l)) return l;
  mpj_lifelines_close(l);
  return NULL;
}

const struct mpj_lifeline_card *mpj_lifelines_card(const struct mpj_lifelines *l)
{
  return &l->card;
}

void mpj_lifelines_close(struct mpj_lifelines *l)
{
  if (!l) return;
  for (int i = 0; i < l->size; i++)
    drop(&l->line[i].fd);
  for (int i = 0; i < GUESTS; i++)
    drop(&l->guest[i]);
  drop(&l->listener);
  drop(&l->events);
  mpj_free(l);
}
