/* This file reads and writes the member "ready" of a machine's file: what follows from the rest, in
 * hexadecimal digits, with a check of both. A job's start then needs neither jansson, which takes
 * longer to load than all else that a start reads, nor the table of times. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/machine/measured_find.h"
#include "base/memory.h"

/* As it stands in the file, in bytes of x86; the rules' text comes next. */
struct ready {
  uint32_t
      check;    /* crc32 (zlib's) of the text after the line, of what follows here, of the rules */
  uint32_t key; /* mpj_machine_digest */
  int64_t made;
  mpj_measured_sizes faster[MPJ_PIECES_WAYS], past;
};
_Static_assert(sizeof(struct ready) == 16 + 3 * sizeof(mpj_measured_sizes), "no byte is padding");

static const char before[] = "{\"ready\":\"", after[] = "\",\n";
enum { BEFORE = sizeof before - 1, AFTER = sizeof after - 1, CHECKED = sizeof(uint32_t) };

static uint32_t check_of(const struct ready *ready, const char *rules, const char *rest)
{
  uLong check = crc32_z(0, (const Bytef *)rest, strlen(rest));
  check = crc32_z(check, (const Bytef *)ready + CHECKED, sizeof *ready - CHECKED);
  return (uint32_t)crc32_z(check, (const Bytef *)rules, strlen(rules));
}

static int value_of(char digit)
{
  return digit >= '0' && digit <= '9'   ? digit - '0'
         : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                        : -1;
}

/* The end of two digits a byte, or NULL. */
static const char *from_digits(const char *at, void *bytes, size_t n)
{
  for (size_t i = 0; i < n; i++, at += 2) {
    const int high = value_of(at[0]), low = high < 0 ? -1 : value_of(at[1]);
    if (low < 0) return NULL;
    ((unsigned char *)bytes)[i] = (unsigned char)(high << 4 | low);
  }
  return at;
}

static char *to_digits(char *at, const void *bytes, size_t n)
{
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < n; i++) {
    *at++ = digits[((const unsigned char *)bytes)[i] >> 4];
    *at++ = digits[((const unsigned char *)bytes)[i] & 15];
  }
  return at;
}

bool mpj_measured_ready(const char *text, uint32_t key, struct mpj_measured *m, int64_t *made)
{
  struct ready ready;
  size_t n = 0;
  if (strncmp(text, before, BEFORE) != 0) return false;
  const char *at = from_digits(text + BEFORE, &ready, sizeof ready);
  while (at && *at != '"' && n < sizeof m->rules - 1)
    at = from_digits(at, &m->rules[n++], 1);
  m->rules[n] = '\0';
  if (!at || strncmp(at, after, AFTER) != 0 || ready.key != key ||
      ready.check != check_of(&ready, m->rules, at + AFTER))
    return false;
  memcpy(m->faster, ready.faster, sizeof m->faster);
  memcpy(m->past, ready.past, sizeof m->past);
  *made = ready.made;
  return true;
}

char *mpj_measured_make_ready(const char *text, uint32_t key, const struct mpj_measured *m,
                              int64_t made)
{
  struct ready ready = {.key = key, .made = made};
  const char *rest = text + 1; /* after the brace */
  memcpy(ready.faster, m->faster, sizeof ready.faster);
  memcpy(ready.past, m->past, sizeof ready.past);
  ready.check = check_of(&ready, m->rules, rest);
  char *line = mpj_alloc(BEFORE + 2 * (sizeof ready + strlen(m->rules)) + AFTER + strlen(rest) + 1);
  if (!line) return NULL;
  memcpy(line, before, BEFORE);
  char *at = to_digits(line + BEFORE, &ready, sizeof ready);
  at = to_digits(at, m->rules, strlen(m->rules));
  memcpy(at, after, AFTER);
  memcpy(at + AFTER, rest, strlen(rest) + 1);
  return line;
}
