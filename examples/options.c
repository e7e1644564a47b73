/* This file reads the command line of matrix_gather. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

const char options_usage[] =
    "usage: matrix_gather [options] in.npy out.npy\n"
    "Scatter a matrix over the ranks, compute on every block, gather the result.\n"
    "  --threads N      ranks are N threads (else processes: mpjrun -n N matrix_gather ...)\n"
    "  --grid PxQ       the process grid (else the one nearest to a square)\n"
    "  --dist block     one block a rank (the default)\n"
    "  --dist cyclic:K  tiles of K x K elements, dealt out in turn\n"
    "  --check          compare with the serial result bit by bit\n"
    "  --picture FILE   draw the result and who owns what, as PNG\n"
    "  --times          print the times of scatter, compute and gather\n"
    "  --repeat R       do these R times; the times are medians\n";

enum { THREADS = 256, GRID, DIST, CHECK, PICTURE, TIMES, REPEAT, HELP };
static const struct option long_options[] = {{"threads", required_argument, NULL, THREADS},
                                             {"grid", required_argument, NULL, GRID},
                                             {"dist", required_argument, NULL, DIST},
                                             {"check", no_argument, NULL, CHECK},
                                             {"picture", required_argument, NULL, PICTURE},
                                             {"times", no_argument, NULL, TIMES},
                                             {"repeat", required_argument, NULL, REPEAT},
                                             {"help", no_argument, NULL, HELP},
                                             {NULL, 0, NULL, 0}};

static int complain(char why[OPTIONS_WHY], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int complain(char why[OPTIONS_WHY], const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(why, OPTIONS_WHY, format, args);
  va_end(args);
  return -1;
}

/* A whole number from 1 to max that ends at `end`. *rest := what follows it. */
static bool read_number(const char *text, int64_t max, int64_t *value, const char **rest)
{
  char *stop;
  errno = 0;
  long long v = strtoll(text, &stop, 10);
  if (text[0] < '0' || text[0] > '9' || errno != 0 || v < 1 || v > max) return false;
  *value = v;
  *rest = stop;
  return true;
}

static int read_count(struct options *o, const char *name, const char *text, int max, int *count)
{
  int64_t value;
  const char *rest;
  if (!read_number(text, max, &value, &rest) || *rest != '\0')
    return complain(o->why, "--%s %s: not a number from 1 to %d", name, text, max);
  *count = (int)value;
  return 0;
}

static int read_grid(struct options *o, const char *text)
{
  int64_t rows, cols;
  const char *rest;
  if (!read_number(text, INT32_MAX, &rows, &rest) || *rest != 'x' ||
      !read_number(rest + 1, INT32_MAX, &cols, &rest) || *rest != '\0')
    return complain(o->why, "--grid %s: not of the form PxQ", text);
  o->grid[0] = (int)rows;
  o->grid[1] = (int)cols;
  return 0;
}

static int read_dist(struct options *o, const char *text)
{
  const char *rest;
  o->cyclic = 0;
  if (strcmp(text, "block") == 0) return 0;
  if (strncmp(text, "cyclic:", 7) == 0 && read_number(text + 7, INT64_MAX, &o->cyclic, &rest) &&
      *rest == '\0')
    return 0;
  return complain(o->why, "--dist %s: neither block nor cyclic:K with K from 1", text);
}

static int read_picture(struct options *o, const char *path)
{
  o->picture = path;
  if (!picture_available)
    return complain(o->why, "--picture %s: this program was built without cairo", path);
  return 0;
}

static int read_option(struct options *o, int option, const char *value)
{
  switch (option) {
  case THREADS:
    return read_count(o, "threads", value, THREADS_MAX, &o->threads);
  case GRID:
    return read_grid(o, value);
  case DIST:
    return read_dist(o, value);
  case CHECK:
    o->check = true;
    return 0;
  case PICTURE:
    return read_picture(o, value);
  case TIMES:
    o->times = true;
    return 0;
  case REPEAT:
    return read_count(o, "repeat", value, REPEAT_MAX, &o->repeat);
  default:
    o->help = true;
    return 0;
  }
}

static int read_all(struct options *o, int argc, char **argv)
{
  int option;
  while ((option = getopt_long(argc, argv, ":", long_options, NULL)) != -1) {
    const char *given = argv[optind - 1];
    if (option == '?') return complain(o->why, "%s: no such option (see --help)", given);
    if (option == ':') return complain(o->why, "%s: needs a value", given);
    if (read_option(o, option, optarg) != 0) return -1;
  }
  if (o->help) return 0;
  if (argc - optind != 2)
    return complain(o->why, "%d files given, not in.npy and out.npy (see --help)", argc - optind);
  o->in = argv[optind];
  o->out = argv[optind + 1];
  return 0;
}

void options_read(struct options *o, int argc, char **argv)
{
  *o = (struct options){.repeat = 1};
  if (read_all(o, argc, argv) != 0) o->threads = 0;
}

int options_grid(const struct options *o, int p, int grid[2], char why[OPTIONS_WHY])
{
  if (o->grid[0] != 0) {
    if ((int64_t)o->grid[0] * o->grid[1] != p)
      return complain(why, "--grid %dx%d has %ld places for %d ranks", o->grid[0], o->grid[1],
                      (long)o->grid[0] * o->grid[1], p);
    grid[0] = o->grid[0];
    grid[1] = o->grid[1];
    return 0;
  }
  grid[1] = 1;
  for (int q = 2; q * q <= p; q++)
    if (p % q == 0) grid[1] = q;
  grid[0] = p / grid[1];
  return 0;
}
