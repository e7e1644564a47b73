/* This file is a program that writes a sample matrix: the ripples of two stones
 * in a pond, between -1 and 1 for floating types and over most of the range of
 * u1, or +-1,000,000 for the other integers. Complex elements have it as their real part, and the
 * same with the stones' places exchanged as their imaginary part. Either dimension may be 0. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

static const char usage[] =
    "usage: make_matrix [--shape RxC] [--dtype f4|f8|i4|i8|u1|c8|c16] [--order C|F] out.npy\n";

static const struct option long_options[] = {{"shape", required_argument, NULL, 's'},
                                             {"dtype", required_argument, NULL, 'd'},
                                             {"order", required_argument, NULL, 'o'},
                                             {"help", no_argument, NULL, 'h'},
                                             {NULL, 0, NULL, 0}};

/* u and v are the place in the matrix, from 0 to 1 each. */
static double ripples(double u, double v)
{
  double near = hypot(u - 0.30, v - 0.35), far = hypot(u - 0.72, v - 0.62);
  return 0.5 * sin(60 * near) * exp(-2 * near) + 0.5 * sin(90 * far) * exp(-2 * far);
}

/* Set element i; `other` is the imaginary part of a complex one. */
static void put(struct npy *m, int64_t i, double value, double other)
{
  switch (m->type) {
  case NPY_F4:
    ((float *)m->data)[i] = (float)value;
    break;
  case NPY_F8:
    ((double *)m->data)[i] = value;
    break;
  case NPY_I4:
    ((int32_t *)m->data)[i] = (int32_t)(value * 1e6);
    break;
  case NPY_I8:
    ((int64_t *)m->data)[i] = (int64_t)(value * 1e6);
    break;
  case NPY_C8:
    ((float *)m->data)[2 * i] = (float)value;
    ((float *)m->data)[2 * i + 1] = (float)other;
    break;
  case NPY_C16:
    ((double *)m->data)[2 * i] = value;
    ((double *)m->data)[2 * i + 1] = other;
    break;
  default:
    ((uint8_t *)m->data)[i] = (uint8_t)(127.5 + value * 127);
    break;
  }
}

static void fill(struct npy *m)
{
  int64_t outer = m->fortran ? m->cols : m->rows, inner = m->fortran ? m->rows : m->cols;
  for (int64_t o = 0; o < outer; o++)
    for (int64_t i = 0; i < inner; i++) {
      double a = (double)o / (double)outer, b = (double)i / (double)inner;
      const double here = ripples(a, b), there = ripples(b, a);
      put(m, o * inner + i, m->fortran ? here : there, m->fortran ? there : here);
    }
}

static int mistake(const char *what, const char *why)
{
  fprintf(stderr, "make_matrix: %s: %s\n", what, why);
  return -1;
}

static int read_shape(struct npy *m, const char *text)
{
  char *rest;
  int64_t bytes;
  errno = 0;
  m->rows = strtoll(text, &rest, 10);
  const char *second = rest != text && *rest == 'x' ? rest + 1 : text;
  m->cols = strtoll(second, &rest, 10);
  if (second == text || rest == second || *rest != '\0' || errno != 0 || m->rows < 0 || m->cols < 0)
    return mistake(text, "not a shape of the form ROWSxCOLUMNS");
  if (__builtin_mul_overflow(m->rows, m->cols, &bytes) || __builtin_mul_overflow(bytes, 16, &bytes))
    return mistake(text, "too many elements for 64 bits");
  return 0;
}

static int read_option(struct npy *m, int option, const char *value)
{
  switch (option) {
  case 's':
    return read_shape(m, value);
  case 'd':
    for (m->type = 0; m->type < NPY_TYPES; m->type++)
      if (strcmp(value, npy_name(m->type)) == 0) return 0;
    return mistake(value, "none of the types f4 f8 i4 i8 u1 c8 c16");
  case 'o':
    m->fortran = strcmp(value, "F") == 0;
    return m->fortran || strcmp(value, "C") == 0 ? 0 : mistake(value, "neither order C nor F");
  case 'h':
    fputs(usage, stdout);
    exit(EXIT_SUCCESS);
  default:
    return -1; /* getopt has spoken */
  }
}

int main(int argc, char **argv)
{
  struct npy m = {.rows = 1000, .cols = 777, .type = NPY_F8};
  char why[NPY_WHY];
  int option;
  while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
    if (read_option(&m, option, optarg) != 0) return 2;
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return 2;
  }
  int failed = npy_alloc(&m, why);
  if (!failed) fill(&m);
  if (!failed) failed = npy_write(argv[optind], &m, why);
  npy_free(&m);
  if (failed) mistake(argv[optind], why);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
