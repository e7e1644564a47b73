/* This file reads and writes matrices as .npy files.
 *
 * Such a file is: the magic bytes, a version (two bytes), the header's length
 * (little-endian; 2 bytes in version 1, 4 in versions 2 and 3), the header, and
 * the elements with nothing between or after them. */
#include "npy.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "atomic_file.h"
#include "npy_header.h"

enum { MAGIC_BYTES = 6, ALIGNMENT = 64, HEADER_MAX = 1 << 20, READ_MAX = 1 << 30 };
static const unsigned char magic[MAGIC_BYTES + 1] = "\x93NUMPY";

/* An open file of `left` bytes still unread. */
struct input {
  int fd;
  int64_t left;
  char *why;
};

size_t npy_size(enum npy_type type)
{
  static const size_t sizes[NPY_TYPES] = {4, 8, 4, 8, 1, 8, 16};
  return sizes[type];
}

size_t npy_scalar_size(enum npy_type type)
{
  return type == NPY_C8 || type == NPY_C16 ? npy_size(type) / 2 : npy_size(type);
}

const char *npy_name(enum npy_type type)
{
  static const char *const names[NPY_TYPES] = {"f4", "f8", "i4", "i8", "u1", "c8", "c16"};
  return names[type];
}

int64_t npy_bytes(const struct npy *m)
{
  return m->rows * m->cols * (int64_t)npy_size(m->type);
}

double npy_value(const struct npy *m, int64_t row, int64_t col)
{
  int64_t i = m->fortran ? col * m->rows + row : row * m->cols + col;
  switch (m->type) {
  case NPY_F4:
    return (double)((const float *)m->data)[i];
  case NPY_F8:
    return ((const double *)m->data)[i];
  case NPY_I4:
    return (double)((const int32_t *)m->data)[i];
  case NPY_I8:
    return (double)((const int64_t *)m->data)[i];
  case NPY_C8:
    return hypot((double)((const float *)m->data)[2 * i],
                 (double)((const float *)m->data)[2 * i + 1]);
  case NPY_C16:
    return hypot(((const double *)m->data)[2 * i], ((const double *)m->data)[2 * i + 1]);
  default:
    return (double)((const uint8_t *)m->data)[i];
  }
}

int64_t npy_count_equal(const struct npy *a, const struct npy *b)
{
  const char *x = a->data, *y = b->data;
  size_t size = npy_size(a->type);
  int64_t equal = 0;
  for (int64_t i = 0; i < a->rows * a->cols; i++, x += size, y += size)
    equal += memcmp(x, y, size) == 0;
  return equal;
}

int npy_alloc(struct npy *m, char why[NPY_WHY])
{
  int64_t bytes = npy_bytes(m);
  m->data = calloc(bytes > 0 ? (size_t)bytes : 1, 1);
  if (!m->data) return npy_complain(why, "data: no memory for %ld bytes", bytes);
  return 0;
}

void npy_free(struct npy *m)
{
  free(m->data);
  m->data = NULL;
}

/* The next n bytes of the file. Returns how many there were. */
static int64_t read_bytes(int fd, char *to, int64_t n)
{
  int64_t got = 0;
  while (got < n) {
    ssize_t more = read(fd, to + got, (size_t)(n - got < READ_MAX ? n - got : READ_MAX));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += more;
  }
  return got;
}

/* The next n bytes, which belong to `field`. */
static int take_bytes(struct input *in, const char *field, void *to, int64_t n)
{
  if (in->left < n) {
    npy_complain(in->why, "%s: %ld bytes expected, %ld present", field, n, in->left);
    return -1;
  }
  int64_t got = read_bytes(in->fd, to, n);
  if (got < n) {
    npy_complain(in->why, "%s: only %ld of %ld bytes could be read", field, got, n);
    return -1;
  }
  in->left -= n;
  return 0;
}

/* Magic and version. *length_bytes := how wide the header's length is. */
static int read_preamble(struct input *in, int *length_bytes)
{
  unsigned char found[MAGIC_BYTES], version[2];
  if (take_bytes(in, "magic", found, sizeof found) != 0) return -1;
  if (memcmp(found, magic, sizeof found) != 0)
    return npy_complain(in->why, "magic: this is not a .npy file");
  if (take_bytes(in, "version", version, sizeof version) != 0) return -1;
  if (version[0] < 1 || version[0] > 3 || version[1] != 0)
    return npy_complain(in->why, "version: %d.%d is none of 1.0, 2.0 and 3.0", version[0],
                        version[1]);
  *length_bytes = version[0] == 1 ? 2 : 4;
  return 0;
}

static int read_header(struct input *in, struct npy *m, bool *swapped)
{
  int length_bytes = 0;
  unsigned char b[4] = {0};
  if (read_preamble(in, &length_bytes) != 0) return -1;
  if (take_bytes(in, "header length", b, length_bytes) != 0) return -1;
  uint32_t length = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
  if (length > HEADER_MAX)
    return npy_complain(in->why, "header length: %u bytes is more than %d", length, HEADER_MAX);
  char *text = malloc(length > 0 ? length : 1);
  if (!text) return npy_complain(in->why, "header: no memory for %u bytes", length);
  int rc = take_bytes(in, "header", text, length);
  if (rc == 0) rc = npy_header_parse(text, length, m, swapped, in->why);
  free(text);
  return rc;
}

static void swap_bytes(unsigned char *data, int64_t count, size_t size)
{
  for (int64_t i = 0; i < count; i++, data += size)
    for (size_t lo = 0, hi = size - 1; lo < hi; lo++, hi--) {
      unsigned char b = data[lo];
      data[lo] = data[hi];
      data[hi] = b;
    }
}

static int read_data(struct input *in, struct npy *m, bool swapped)
{
  int64_t bytes = npy_bytes(m);
  if (in->left != bytes)
    return npy_complain(in->why, "data: %ld bytes expected, %ld present", bytes, in->left);
  if (npy_alloc(m, in->why) != 0) return -1;
  if (take_bytes(in, "data", m->data, bytes) != 0) {
    npy_free(m);
    return -1;
  }
  const size_t scalar = npy_scalar_size(m->type);
  if (swapped) swap_bytes(m->data, bytes / (int64_t)scalar, scalar);
  return 0;
}

static int read_open(int fd, struct npy *m, char *why)
{
  struct stat st;
  if (fstat(fd, &st) != 0) return npy_complain(why, "file: %s", strerror(errno));
  if (!S_ISREG(st.st_mode)) return npy_complain(why, "file: not a regular file");
  struct input in = {fd, st.st_size, why};
  struct npy found = {0};
  bool swapped = false;
  if (read_header(&in, &found, &swapped) != 0) return -1;
  if (read_data(&in, &found, swapped) != 0) return -1;
  *m = found;
  return 0;
}

int npy_read(const char *path, struct npy *m, char why[NPY_WHY])
{
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return npy_complain(why, "file: %s", strerror(errno));
  int rc = read_open(fd, m, why);
  close(fd);
  return rc;
}

/* preamble := all that goes before the data, padded as NumPy pads it so that
 * the data is aligned. Returns its length in bytes. */
static size_t make_preamble(const struct npy *m, char preamble[4 * ALIGNMENT])
{
  const size_t text_at = MAGIC_BYTES + 4;
  memset(preamble, ' ', 4 * ALIGNMENT);
  size_t length = npy_header_format(m, preamble + text_at, 4 * ALIGNMENT - text_at);
  preamble[text_at + length] = ' '; /* was the string's end */
  size_t total = (text_at + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  preamble[total - 1] = '\n';
  memcpy(preamble, magic, MAGIC_BYTES);
  preamble[MAGIC_BYTES] = 1;
  preamble[MAGIC_BYTES + 1] = 0;
  preamble[MAGIC_BYTES + 2] = (char)((total - text_at) & 0xff);
  preamble[MAGIC_BYTES + 3] = (char)((total - text_at) >> 8);
  return total;
}

int npy_write(const char *path, const struct npy *m, char why[NPY_WHY])
{
  char preamble[4 * ALIGNMENT];
  struct atomic_file file;
  size_t length = make_preamble(m, preamble);
  int err = atomic_open(&file, path);
  if (err != 0) return npy_complain(why, "file: %s", strerror(err));
  err = atomic_write(&file, preamble, length);
  if (err == 0) err = atomic_write(&file, m->data, (size_t)npy_bytes(m));
  if (err == 0)
    err = atomic_commit(&file);
  else
    atomic_abandon(&file);
  if (err != 0) return npy_complain(why, "file: writing: %s", strerror(err));
  return 0;
}
