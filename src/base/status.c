/* This file keeps each thread's last error, and says what an error does. */
#include "base/status.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config/config.h"
#include "base/memory.h"

enum { DETAIL_BYTES = 512, LINE_BYTES = 1024 };

static _Thread_local char detail[DETAIL_BYTES];
_Thread_local __attribute__((tls_model("initial-exec"))) struct mpj_entry mpj_entered;
static int (*_Atomic rank_of_thread)(void);

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

static void abort_if_wanted(int code)
{
  enum { ERRORS_ABORT = 1 };
  if (mpj_config()->errors != ERRORS_ABORT) return;
  char text[DETAIL_BYTES + 64];
  snprintf(text, sizeof text, "%s: %s", mpj_error_name(code), detail);
  fflush(stdout);
  write_line(text);
  _exit(1);
}

/* A sentence is one line, whatever names or other libraries' texts stand in it. */
static void set_detail(const char *text, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    detail[i] = (unsigned char)text[i] < ' ' && text[i] ? ' ' : text[i];
}

int mpj_error_record(int code, const char *format, ...)
{
  char text[DETAIL_BYTES]; /* an argument may be the present detail */
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  set_detail(text, strlen(text) + 1);
  mpj_entered.error = mpj_error_nonzero(code);
  return code;
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
  mpj_entered.error = mpj_error_nonzero(code);
  return code;
}

void mpj_error_keep(char *why, size_t size)
{
  snprintf(why, size, "%s", detail);
  mpj_error_drop();
}

/* Where sentences lie for which there is no memory. */
enum { PLACES = 16 };
static char places[PLACES][DETAIL_BYTES];
static _Atomic bool taken[PLACES];

static char *take_place(void)
{
  for (int i = 0; i < PLACES; i++)
    if (!atomic_exchange(&taken[i], true)) return places[i];
  return NULL;
}

void mpj_error_store(char **why)
{
  const size_t bytes = strlen(detail) + 1;
  mpj_error_forget(why);
  *why = mpj_alloc(bytes);
  if (!*why) *why = take_place();
  if (*why) memcpy(*why, detail, bytes);
  mpj_error_drop();
}

void mpj_error_forget(char **why)
{
  const uintptr_t at = (uintptr_t)*why - (uintptr_t)places;
  if (at < sizeof places)
    atomic_store(&taken[at / DETAIL_BYTES], false);
  else
    mpj_free(*why);
  *why = NULL;
}

const char *mpj_error_stored(const char *why)
{
  return why ? why : "there was no memory to note why";
}

void mpj_error_drop(void)
{
  mpj_entered.error = MPJ_SUCCESS;
}

void mpj_entry_ranks(int (*rank)(void))
{
  rank_of_thread = rank;
}

/* Whether the sentence begins as this would make it: "MPJ_Bcast on rank 2: ", "MPJ_Bcast: ". */
static bool is_titled(const char *sentence)
{
  const char *end = sentence + strcspn(sentence, " :");
  return strncmp(sentence, "MPJ_", 4) == 0 && islower((unsigned char)end[-1]) &&
         (strncmp(end, ": ", 2) == 0 || strncmp(end, " on rank ", 9) == 0);
}

void mpj_error_untitle(void)
{
  static const char on[] = " on rank ";
  if (!is_titled(detail)) return;
  const size_t name = strcspn(detail, " :");
  size_t end = name;
  if (strncmp(detail + end, on, sizeof on - 1) == 0) {
    end += sizeof on - 1;
    end += strspn(detail + end, "0123456789");
  }
  if (strncmp(detail + end, ": ", 2) == 0) {
    memmove(detail, detail + end + 2, strlen(detail + end + 2) + 1);
  } else if (mpj_entered.name) { /* "MPJ_Bcast on rank 2 needs ...": the call is a part of this */
    char rest[DETAIL_BYTES];
    snprintf(rest, sizeof rest, "%s%s", mpj_entered.name, detail + name);
    memcpy(detail, rest, sizeof rest);
    detail[sizeof detail - 1] = '\0';
  }
}

void mpj_entry_failed(void)
{
  int (*rank_of)(void) = rank_of_thread;
  const int error = mpj_entered.error;
  int rank = mpj_entered.rank;
  if (rank < 0 && rank_of) rank = rank_of();
  if (!is_titled(detail) && rank >= 0)
    mpj_error_context(error, "%s on rank %d", mpj_entered.name, rank);
  else if (!is_titled(detail))
    mpj_error_context(error, "%s", mpj_entered.name);
  abort_if_wanted(error);
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
  const int error = mpj_error(code, "%s", sentence ? sentence : "");
  if (!mpj_entered.name) abort_if_wanted(error); /* else the call that it is raised in does */
  return error;
}
