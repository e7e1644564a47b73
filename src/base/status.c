/* This file keeps each thread's last error, and says what an error does. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"

enum { DETAIL_BYTES = 512, LINE_BYTES = 1024 };

static _Thread_local char detail[DETAIL_BYTES];

/* Write "mpj: <text>" as one line in one write, so that the lines of several
 * processes do not mix. */
static void write_line(const char *text)
{
  char line[LINE_BYTES];
  int n = snprintf(line, sizeof line - 1, "mpj: %s", text);
  size_t length = n < 0 ? 0 : (size_t)n;
  if (length > sizeof line - 2) length = sizeof line - 2;
  line[length++] = '\n';
  ssize_t written = write(STDERR_FILENO, line, length);
  (void)written; /* there is nowhere left to complain */
}

/* The end of an error that has its sentence: return the code, or end here. */
static int finish(int code)
{
  enum { ERRORS_ABORT = 1 };
  if (mpj_config()->errors != ERRORS_ABORT) return code;
  char text[DETAIL_BYTES + 64];
  snprintf(text, sizeof text, "%s: %s", mpj_error_name(code), detail);
  fflush(stdout);
  write_line(text);
  _exit(1);
}

int mpj_error_record(int code, const char *format, ...)
{
  char text[DETAIL_BYTES]; /* an argument may be the present detail */
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  memcpy(detail, text, sizeof detail);
  return finish(code);
}

int mpj_error_context(int code, const char *format, ...)
{
  char text[2 * DETAIL_BYTES + 2]; /* holds both; the end of a long one is cut */
  va_list args;
  va_start(args, format);
  vsnprintf(text, DETAIL_BYTES, format, args);
  va_end(args);
  size_t length = strlen(text);
  snprintf(text + length, sizeof text - length, ": %s", detail);
  memcpy(detail, text, sizeof detail - 1); /* the last byte stays 0 */
  return finish(code);
}

void mpj_warn(const char *format, ...)
{
  char text[LINE_BYTES];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  write_line(text);
}

const char *MPJ_Error_detail(void)
{
  return detail;
}

int MPJ_Error_raise(int code, const char *sentence)
{
  return mpj_error(code, "%s", sentence ? sentence : "");
}
