/* This file makes .npy files by hand, in a folder of their own. */
#include "examples/npy_bytes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"

static char folder[32];

void bytes_add(struct bytes *b, const void *what, size_t n)
{
  ck_assert_uint_le(b->n + n, BYTES_MAX);
  memcpy(b->at + b->n, what, n);
  b->n += n;
}

struct bytes bytes_file(int major, const char *header)
{
  struct bytes b = {.n = 0};
  size_t length = strlen(header);
  unsigned char version[2] = {(unsigned char)major, 0};
  unsigned char size[4] = {(unsigned char)(length & 0xff), (unsigned char)(length >> 8), 0, 0};
  bytes_add(&b, "\x93NUMPY", 6);
  bytes_add(&b, version, 2);
  bytes_add(&b, size, major == 1 ? 2 : 4);
  bytes_add(&b, header, length);
  return b;
}

struct bytes bytes_dict(int major, const char *descr, const char *fortran_order, const char *shape)
{
  char header[512];
  snprintf(header, sizeof header, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }  \n", descr,
           fortran_order, shape);
  return bytes_file(major, header);
}

void bytes_save(const struct bytes *b, const char *path)
{
  FILE *f = fopen(path, "wb");
  ck_assert_ptr_nonnull(f);
  ck_assert_uint_eq(fwrite(b->at, 1, b->n, f), b->n);
  ck_assert_int_eq(fclose(f), 0);
}

void folder_make(void)
{
  snprintf(folder, sizeof folder, "/tmp/mpj-npy-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* The next file's name, or NULL after the last. */
static const char *next_file(DIR *dir)
{
  struct dirent *entry = readdir(dir);
  while (entry && entry->d_name[0] == '.')
    entry = readdir(dir);
  return entry ? entry->d_name : NULL;
}

void folder_remove(void)
{
  const char *name;
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  while ((name = next_file(dir)))
    unlink(folder_path(name));
  closedir(dir);
  ck_assert_int_eq(rmdir(folder), 0);
}

int folder_count(void)
{
  int n = 0;
  DIR *dir = opendir(folder);
  ck_assert_ptr_nonnull(dir);
  while (next_file(dir))
    n++;
  closedir(dir);
  return n;
}

const char *folder_path(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}
