/* This file is a client of PMI-1, the text protocol between MPICH's mpiexec (and
 * srun) and the processes that it starts: one line a request, one line a reply,
 * of words "key=value". A blob becomes hexadecimal text under the keys
 * mpj-<exchange>-<rank>-<piece>. What comes from the launcher is checked. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "net/boot/launch.h"

enum {
  LINE_BYTES = 4096,
  NAME_BYTES = 256,
  KEY_LEAST = 40,      /* our longest key, and its end */
  VALUE_LEAST = 64,    /* of a value's length: below this the pieces would be too many */
  REQUEST_MOST = 1024, /* Slurm's plugin reads so much and takes it for a whole request */
  TOTAL_DIGITS = 8     /* of a blob's length, at the head of its first piece */
};

/* Of a piece of this rank: the space, exchange, rank, piece, its length and text. */
#define PUT "cmd=put kvsname=%s key=mpj-%u-%d-%u value=%.*s\n"

struct pmi {
  struct mpj_launch head; /* first */
  int fd;
  unsigned exchange;
  size_t piece; /* characters of a value */
  char space[NAME_BYTES];
  char line[LINE_BYTES]; /* the last reply, without its newline */
};

static int lost(const struct pmi *pmi, const char *what)
{
  return mpj_error(MPJ_ERR_PEER, "the PMI launcher of rank %d does not answer %s: %s",
                   pmi->head.rank, what, errno ? strerror(errno) : "it has closed the connection");
}

static int nonsense(const struct pmi *pmi, const char *what)
{
  return mpj_error(MPJ_ERR_FORMAT, "the PMI launcher answered %s of rank %d with \"%.200s\"", what,
                   pmi->head.rank, pmi->line);
}

static int write_line(struct pmi *pmi, const char *text, size_t bytes, const char *what)
{
  while (bytes > 0) {
    ssize_t n = send(pmi->fd, text, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK) n = write(pmi->fd, text, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return lost(pmi, what);
    text += n;
    bytes -= (size_t)n;
  }
  return MPJ_SUCCESS;
}

/* Read one line; nothing may follow it, as a reply comes only upon a request. */
static int read_line(struct pmi *pmi, const char *what)
{
  size_t have = 0;
  for (;;) {
    const ssize_t n = read(pmi->fd, pmi->line + have, LINE_BYTES - 1 - have);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) return lost(pmi, what);
    have += (size_t)n;
    pmi->line[have] = 0;
    const char *end = memchr(pmi->line, '\n', have);
    if (end && (size_t)(end - pmi->line) == have - 1) break;
    if (end || have == LINE_BYTES - 1) return nonsense(pmi, what);
  }
  pmi->line[have - 1] = 0;
  return strlen(pmi->line) == have - 1 ? MPJ_SUCCESS : nonsense(pmi, what);
}

/* The value of a word "key=value" of the reply, and its length; NULL: none. */
static const char *find(const struct pmi *pmi, const char *key, size_t *length)
{
  const size_t n = strlen(key);
  for (const char *at = pmi->line; *at;) {
    const char *end = strchrnul(at, ' ');
    if ((size_t)(end - at) > n && strncmp(at, key, n) == 0 && at[n] == '=') {
      *length = (size_t)(end - at) - n - 1;
      return at + n + 1;
    }
    at = *end ? end + 1 : end;
  }
  return NULL;
}

static bool has_word(const struct pmi *pmi, const char *key, const char *value)
{
  size_t length;
  const char *found = find(pmi, key, &length);
  return found && length == strlen(value) && strncmp(found, value, length) == 0;
}

/* A number in the reply, from `least` to `most`. */
static bool find_number(const struct pmi *pmi, const char *key, long least, long most, long *value)
{
  size_t length;
  char text[16], *end;
  const char *found = find(pmi, key, &length);
  if (!found || length == 0 || length >= sizeof text) return false;
  memcpy(text, found, length);
  text[length] = 0;
  *value = strtol(text, &end, 10);
  return *end == 0 && *value >= least && *value <= most;
}

/* Send a request; the reply must be of the command `answer`, and its rc, if it
 * has one, 0. */
__attribute__((format(printf, 3, 4))) static int ask(struct pmi *pmi, const char *answer,
                                                     const char *format, ...)
{
  char request[LINE_BYTES], what[48];
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(request, sizeof request, format, args);
  va_end(args);
  snprintf(what, sizeof what, "%.*s", (int)strcspn(request + 4, " \n"), request + 4);
  int status = write_line(pmi, request, (size_t)length, what);
  if (status == MPJ_SUCCESS) status = read_line(pmi, what);
  if (status != MPJ_SUCCESS) return status;
  size_t unused;
  const bool failed = find(pmi, "rc", &unused) && !has_word(pmi, "rc", "0");
  return failed || !has_word(pmi, "cmd", answer) ? nonsense(pmi, what) : MPJ_SUCCESS;
}

/* Publishing */

static char digit(unsigned value)
{
  return "0123456789abcdef"[value & 15];
}

/* Digit `at` of a blob's text: its length, then its bytes. */
static char digit_at(const unsigned char *blob, size_t bytes, size_t at)
{
  if (at < TOTAL_DIGITS) return digit((unsigned)(bytes >> 4 * (TOTAL_DIGITS - 1 - at)));
  const unsigned char byte = blob[(at - TOTAL_DIGITS) / 2];
  return digit(at % 2 ? byte : byte >> 4);
}

static int pmi_publish(struct mpj_launch *launch, const void *blob, size_t bytes)
{
  struct pmi *pmi = (struct pmi *)launch;
  const size_t length = TOTAL_DIGITS + 2 * bytes;
  char text[REQUEST_MOST];
  int status = MPJ_SUCCESS;
  unsigned piece = 0;
  for (size_t at = 0; at < length && status == MPJ_SUCCESS; piece++) {
    size_t n = 0;
    for (; n < pmi->piece && at < length; at++)
      text[n++] = digit_at(blob, bytes, at);
    status =
        ask(pmi, "put_result", PUT, pmi->space, pmi->exchange, pmi->head.rank, piece, (int)n, text);
  }
  return status;
}

static int pmi_fence(struct mpj_launch *launch)
{
  struct pmi *pmi = (struct pmi *)launch;
  const int status = ask(pmi, "barrier_out", "cmd=barrier_in\n");
  pmi->exchange++;
  return status;
}

/* Fetching */

static int value_of(char c)
{
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A blob while its pieces come in. */
struct incoming {
  size_t digits; /* taken so far, those of the length among them */
  size_t total;  /* the blob's bytes, once TOTAL_DIGITS digits are there */
  unsigned char *blob;
  size_t size;
};

static bool take_digit(struct incoming *in, char c)
{
  const int value = value_of(c);
  if (value < 0) return false;
  const size_t n = in->digits++;
  if (n < TOTAL_DIGITS) {
    in->total = in->total << 4 | (size_t)value;
    return true;
  }
  const size_t at = (n - TOTAL_DIGITS) / 2;
  if (at >= in->total || in->total > in->size) return false;
  in->blob[at] = (unsigned char)(n % 2 ? in->blob[at] | value : value << 4);
  return true;
}

static bool take_piece(struct incoming *in, const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (!take_digit(in, text[i])) return false;
  return length > 0;
}

static bool is_whole(const struct incoming *in)
{
  return in->digits >= TOTAL_DIGITS && in->digits == TOTAL_DIGITS + 2 * in->total;
}

static int pmi_fetch(struct mpj_launch *launch, int rank, void *blob, size_t size, size_t *bytes)
{
  struct pmi *pmi = (struct pmi *)launch;
  struct incoming in = {.blob = blob, .size = size};
  for (unsigned piece = 0; !is_whole(&in); piece++) {
    const int status = ask(pmi, "get_result", "cmd=get kvsname=%s key=mpj-%u-%d-%u\n", pmi->space,
                           pmi->exchange - 1, rank, piece);
    if (status != MPJ_SUCCESS) return status;
    size_t length;
    const char *value = find(pmi, "value", &length);
    if (!value || !take_piece(&in, value, length)) return nonsense(pmi, "get");
  }
  *bytes = in.total;
  return MPJ_SUCCESS;
}

/* Beginning and end */

static void pmi_end(struct mpj_launch *launch)
{
  struct pmi *pmi = (struct pmi *)launch;
  static const char text[] = "cmd=finalize\n";
  if (dlsym(RTLD_DEFAULT, "MPI_Initialized")) { /* an MPI in this process may need the line */
    mpj_free(pmi);
    return;
  }
  if (write_line(pmi, text, sizeof text - 1, "finalize") == MPJ_SUCCESS)
    (void)read_line(pmi, "finalize"); /* whatever it says, it has seen us leave */
  close(pmi->fd);
  mpj_free(pmi);
}

static const struct mpj_launch_ops pmi_ops = {
    .name = "pmi", .publish = pmi_publish, .fence = pmi_fence, .fetch = pmi_fetch, .end = pmi_end};

/* Learn how long names and values may be, and under which name to put them. */
static int learn(struct pmi *pmi)
{
  long keys, values;
  int status = ask(pmi, "maxes", "cmd=get_maxes\n");
  if (status != MPJ_SUCCESS) return status;
  if (!find_number(pmi, "keylen_max", KEY_LEAST, 1000000, &keys) ||
      !find_number(pmi, "vallen_max", VALUE_LEAST, 1000000, &values))
    return nonsense(pmi, "get_maxes");
  status = ask(pmi, "my_kvsname", "cmd=get_my_kvsname\n");
  if (status != MPJ_SUCCESS) return status;
  size_t length;
  const char *name = find(pmi, "kvsname", &length);
  if (!name || length == 0 || length >= NAME_BYTES) return nonsense(pmi, "get_my_kvsname");
  memcpy(pmi->space, name, length);
  const int around = snprintf(NULL, 0, PUT, pmi->space, UINT_MAX, INT_MAX, UINT_MAX, 0, "");
  pmi->piece = (size_t)mpj_least(values - 1, REQUEST_MOST - around);
  return MPJ_SUCCESS;
}

static void on_notice(int signal)
{
  (void)signal;
}

/* MPICH's mpiexec lets survivors of a death live (-disable-auto-cleanup) but sends
 * them SIGUSR1, which by default would end them. A program's own handler stays;
 * programs that this one executes get the default again. */
static void survive_notices(void)
{
  struct sigaction now;
  const struct sigaction ours = {.sa_handler = on_notice, .sa_flags = SA_RESTART};
  if (sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
    sigaction(SIGUSR1, &ours, NULL);
}

int mpj_launch_pmi(int fd, int rank, int size, struct mpj_launch **launch)
{
  struct pmi *pmi = mpj_alloc_array(1, sizeof *pmi);
  if (!pmi) return mpj_error(MPJ_ERR_NO_MEM, "no memory for rank %d's launcher", rank);
  pmi->head = (struct mpj_launch){.ops = &pmi_ops, .rank = rank, .size = size};
  pmi->fd = fd;
  int status = ask(pmi, "response_to_init", "cmd=init pmi_version=1 pmi_subversion=1\n");
  if (status == MPJ_SUCCESS) status = learn(pmi);
  if (status != MPJ_SUCCESS) {
    mpj_free(pmi);
    return status;
  }
  survive_notices();
  fcntl(fd, F_SETFD, FD_CLOEXEC); /* programs that this rank starts are no ranks */
  *launch = &pmi->head;
  return MPJ_SUCCESS;
}
