/* This file reads and writes the header of a .npy file: the text of a Python
 * dict with exactly the keys descr, fortran_order and shape. */
#include "npy_header.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const char native_order = '<';
#else
static const char native_order = '>';
#endif

enum key { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
enum { SHOWN_MAX = 40 };
static const char *const key_names[KEYS] = {"descr", "fortran_order", "shape"};

struct reader {
  const char *at, *end;
  char *why;
};

/* A stretch of the header; not terminated. */
struct span {
  const char *at;
  size_t length;
};

int npy_complain(char why[NPY_WHY], const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(why, NPY_WHY, format, args);
  va_end(args);
  return -1;
}

/* shown := the span's beginning, fit for a terminal. */
static const char *show(struct span s, char shown[SHOWN_MAX + 1])
{
  size_t n = s.length < SHOWN_MAX ? s.length : SHOWN_MAX;
  for (size_t i = 0; i < n; i++)
    shown[i] = isprint((unsigned char)s.at[i]) ? s.at[i] : '?';
  shown[n] = '\0';
  return shown;
}

static bool equals(struct span s, const char *text)
{
  return s.length == strlen(text) && memcmp(s.at, text, s.length) == 0;
}

static void skip_space(struct reader *r)
{
  while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at != '\0')
    r->at++;
}

static bool peek(struct reader *r, char c)
{
  skip_space(r);
  return r->at < r->end && *r->at == c;
}

static bool take(struct reader *r, char c)
{
  bool found = peek(r, c);
  if (found) r->at++;
  return found;
}

/* What stands where something else was expected: up to a comma, brace or end. */
static struct span offender(struct reader *r)
{
  skip_space(r);
  const char *at = r->at;
  while (at < r->end && !strchr(",}\n", *at))
    at++;
  return (struct span){r->at, (size_t)(at - r->at)};
}

/* A string in single or double quotes. No escapes: no value here needs one. */
static bool take_string(struct reader *r, struct span *s)
{
  if (!peek(r, '\'') && !peek(r, '"')) return false;
  const char *start = r->at + 1;
  const char *close = memchr(start, *r->at, (size_t)(r->end - start));
  if (!close) return false;
  *s = (struct span){start, (size_t)(close - start)};
  r->at = close + 1;
  return true;
}

/* descr := a byte order and a type, as in '<f8'. */
static int read_descr(struct reader *r, struct npy *m, bool *swapped)
{
  char shown[SHOWN_MAX + 1];
  struct span s;
  if (!take_string(r, &s))
    return npy_complain(r->why, "descr: '%s' is not the name of a basic type",
                        show(offender(r), shown));
  struct span name = s;
  char order = '=';
  if (s.length > 0 && strchr("<>=|", s.at[0]) && s.at[0] != '\0') {
    order = s.at[0];
    name = (struct span){s.at + 1, s.length - 1};
  }
  enum npy_type type = 0;
  while (type < NPY_TYPES && !equals(name, npy_name(type)))
    type++;
  if (type == NPY_TYPES)
    return npy_complain(r->why, "descr: '%s' is none of f4 f8 i4 i8 u1 c8 c16", show(s, shown));
  if (order == '|' && npy_size(type) > 1)
    return npy_complain(r->why, "descr: '%s' says no byte order for %zu-byte elements",
                        show(s, shown), npy_size(type));
  m->type = type;
  *swapped = npy_size(type) > 1 && order != '=' && order != native_order;
  return 0;
}

static int read_fortran_order(struct reader *r, struct npy *m)
{
  char shown[SHOWN_MAX + 1];
  struct span s = offender(r);
  while (s.length > 0 && isspace((unsigned char)s.at[s.length - 1]))
    s.length--;
  if (!equals(s, "True") && !equals(s, "False"))
    return npy_complain(r->why, "fortran_order: '%s' is neither True nor False", show(s, shown));
  m->fortran = equals(s, "True");
  r->at += s.length;
  return 0;
}

/* One dimension's size. Python 2 wrote long ones with an L behind. */
static int read_size(struct reader *r, int64_t *size)
{
  char shown[SHOWN_MAX + 1];
  bool negative = take(r, '-');
  struct span s = {r->at, 0};
  bool fits = true;
  *size = 0;
  while (r->at < r->end && isdigit((unsigned char)*r->at)) {
    fits = fits && !__builtin_mul_overflow(*size, 10, size) &&
           !__builtin_add_overflow(*size, *r->at - '0', size);
    r->at++;
  }
  s.length = (size_t)(r->at - s.at);
  if (s.length == 0)
    return npy_complain(r->why, "shape: '%s' is not a whole number", show(offender(r), shown));
  if (negative) return npy_complain(r->why, "shape: -%s is negative", show(s, shown));
  if (!fits) return npy_complain(r->why, "shape: %s does not fit 64 bits", show(s, shown));
  if (r->at < r->end && *r->at == 'L') r->at++;
  return 0;
}

/* shape := a tuple of two sizes. */
static int read_shape(struct reader *r, struct npy *m)
{
  char shown[SHOWN_MAX + 1];
  if (!take(r, '('))
    return npy_complain(r->why, "shape: '%s' is not a tuple", show(offender(r), shown));
  int64_t sizes[2] = {0, 0};
  int ndims = 0;
  bool comma = true;
  while (!take(r, ')')) {
    int64_t size;
    if (!comma)
      return npy_complain(r->why, "shape: '%s' where a ',' or ')' is due",
                          show(offender(r), shown));
    if (read_size(r, &size) != 0) return -1;
    if (ndims < 2) sizes[ndims] = size;
    ndims++;
    comma = take(r, ',');
  }
  if (ndims == 1 && !comma) return npy_complain(r->why, "shape: (%ld) is not a tuple", sizes[0]);
  if (ndims != 2)
    return npy_complain(r->why, "shape: %d dimension%s, and a matrix has 2", ndims,
                        ndims == 1 ? "" : "s");
  m->rows = sizes[0];
  m->cols = sizes[1];
  return 0;
}

/* One "key: value"; its bit in *seen. */
static int read_entry(struct reader *r, struct npy *m, bool *swapped, unsigned *seen)
{
  char shown[SHOWN_MAX + 1];
  struct span s;
  if (!take_string(r, &s))
    return npy_complain(r->why, "header: '%s' where a key in quotes is due",
                        show(offender(r), shown));
  enum key key = 0;
  while (key < KEYS && !equals(s, key_names[key]))
    key++;
  if (key == KEYS) return npy_complain(r->why, "header: unknown key '%s'", show(s, shown));
  if (*seen & 1U << key) return npy_complain(r->why, "%s: given twice", key_names[key]);
  *seen |= 1U << key;
  if (!take(r, ':')) return npy_complain(r->why, "%s: no ':' and no value", key_names[key]);
  if (key == DESCR) return read_descr(r, m, swapped);
  return key == SHAPE ? read_shape(r, m) : read_fortran_order(r, m);
}

static int check_total(const struct npy *m, char *why)
{
  int64_t total;
  if (__builtin_mul_overflow(m->rows, m->cols, &total) ||
      __builtin_mul_overflow(total, (int64_t)npy_size(m->type), &total))
    return npy_complain(why, "shape: (%ld, %ld) elements of %zu bytes do not fit 64 bits", m->rows,
                        m->cols, npy_size(m->type));
  return 0;
}

int npy_header_parse(const char *text, size_t length, struct npy *m, bool *swapped,
                     char why[NPY_WHY])
{
  char shown[SHOWN_MAX + 1];
  struct reader r = {text, text + length, why};
  unsigned seen = 0;
  if (!take(&r, '{'))
    return npy_complain(why, "header: '%s' is not a dict", show(offender(&r), shown));
  while (!take(&r, '}')) {
    if (read_entry(&r, m, swapped, &seen) != 0) return -1;
    if (!take(&r, ',') && !peek(&r, '}'))
      return npy_complain(why, "header: '%s' where a ',' or '}' is due", show(offender(&r), shown));
  }
  skip_space(&r);
  if (r.at < r.end)
    return npy_complain(why, "header: '%s' after the dict", show(offender(&r), shown));
  for (int key = 0; key < KEYS; key++)
    if (!(seen & 1U << key)) return npy_complain(why, "%s: missing", key_names[key]);
  return check_total(m, why);
}

size_t npy_header_format(const struct npy *m, char *text, size_t size)
{
  int n = snprintf(text, size, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%ld, %ld), }",
                   npy_size(m->type) > 1 ? native_order : '|', npy_name(m->type),
                   m->fortran ? "True" : "False", m->rows, m->cols);
  return (size_t)n;
}
