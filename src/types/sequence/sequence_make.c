/* This file chooses the form of a sequence. */
#include <inttypes.h>
#include <string.h>

#include "base/least.h"
#include "base/memory.h"
#include "base/status.h"
#include "types/layout/period.h"
#include "types/layout/rows.h"
#include "types/sequence/sequence_forms.h"

enum { CHUNK = 128, GLANCES = 3 };

static int no_memory(MPJ_Count n)
{
  return mpj_error(MPJ_ERR_NO_MEM, "sequence of %" PRId64 " numbers could not be allocated", n);
}

static struct mpj_sequence *new_sequence(enum mpj_sequence_form form, MPJ_Count n)
{
  struct mpj_sequence *s = mpj_alloc_array(1, mpj_sequence_own_bytes(form, n));
  if (!s) return NULL;
  s->form = form;
  s->n = n;
  atomic_init(&s->references, 1);
  return s;
}

/* Cut the values into lines, each as long as it goes. Counts them up to `limit`,
 * and stores them unless lines is NULL. */
static MPJ_Count cut_lines(const struct mpj_series *values, MPJ_Count limit,
                           struct mpj_line lines[])
{
  MPJ_Count v[CHUNK], count = 0, length = 0;
  struct mpj_line line = {0, 0, 0};
  MPJ_Count next = 0; /* what continues the line */
  for (MPJ_Count i = 0; i < values->n; i += CHUNK) {
    MPJ_Count m = values->n - i < CHUNK ? values->n - i : CHUNK;
    mpj_series_read(values, i, m, v);
    for (MPJ_Count k = 0; k < m; k++, length++) {
      if (length == 1) {
        line.slope = mpj_wrap_sub(v[k], line.base);
        if (lines) lines[count - 1].slope = line.slope;
      } else if (length == 0 || v[k] != next) {
        if (++count > limit) return count;
        line = (struct mpj_line){i + k, v[k], 0};
        if (lines) lines[count - 1] = line;
        length = 0;
      }
      next = mpj_wrap_muladd(1, v[k], line.slope);
    }
  }
  return count;
}

static int make_line(const struct mpj_series *values, struct mpj_sequence **out)
{
  struct mpj_sequence *s = new_sequence(MPJ_SEQUENCE_LINE, values->n);
  if (!s) return no_memory(values->n);
  MPJ_Count first = mpj_series_at(values, 0);
  MPJ_Count second = values->n > 1 ? mpj_series_at(values, 1) : first;
  s->u.line = (struct mpj_line){0, first, mpj_wrap_sub(second, first)};
  *out = s;
  return MPJ_SUCCESS;
}

static int make_lines(const struct mpj_series *values, MPJ_Count count, struct mpj_sequence **out)
{
  struct mpj_sequence *s = new_sequence(MPJ_SEQUENCE_LINES, values->n);
  if (!s) return no_memory(values->n);
  s->u.lines.count = count;
  s->u.lines.all = mpj_alloc_array((size_t)count, sizeof(struct mpj_line));
  if (!s->u.lines.all) {
    mpj_sequence_release(s);
    return no_memory(values->n);
  }
  cut_lines(values, count, s->u.lines.all);
  *out = s;
  return MPJ_SUCCESS;
}

static int make_periods(const struct mpj_series *values, MPJ_Count period,
                        struct mpj_sequence **out)
{
  struct mpj_sequence *s = new_sequence(MPJ_SEQUENCE_PERIODS, values->n);
  if (!s) return no_memory(values->n);
  struct mpj_series inner = *values;
  inner.n = period;
  s->u.periods.period = period;
  s->u.periods.step = mpj_wrap_sub(mpj_series_at(values, period), mpj_series_at(values, 0));
  int status = mpj_sequence_make(&inner, &s->inner);
  if (status) {
    mpj_sequence_release(s);
    return status;
  }
  *out = s;
  return MPJ_SUCCESS;
}

/* Bytes of the table form, heads of frames included, about. */
static size_t table_bytes(MPJ_Count n, MPJ_Count rows)
{
  unsigned width = rows > 1 ? 64 - (unsigned)__builtin_clzll((uint64_t)rows - 1) : 0;
  return (size_t)n / 8 * (width + 1) + (size_t)rows * sizeof(MPJ_Count) +
         2 * sizeof(struct mpj_sequence);
}

/* The series as numbers of rows: those it is made of, or `fresh` ones. */
static void number_rows(const struct mpj_series *values, const struct mpj_rows *rows, int fresh[],
                        struct mpj_series *numbers, MPJ_Count table[])
{
  *numbers = (struct mpj_series){.n = values->n, .table = table, .rows = MPJ_ROWS_MAX, .scale = 1};
  for (MPJ_Count i = 0; i < MPJ_ROWS_MAX; i++)
    table[i] = i;
  if (fresh) {
    MPJ_Count v[CHUNK];
    for (MPJ_Count i = 0; i < values->n; i++) {
      if (i % CHUNK == 0)
        mpj_series_read(values, i, values->n - i < CHUNK ? values->n - i : CHUNK, v);
      fresh[i] = (int)mpj_rows_find(rows, v[i % CHUNK]);
    }
    numbers->numbers = fresh;
    return;
  }
  numbers->numbers = values->numbers;
  for (MPJ_Count i = 0; i < values->rows; i++)
    table[i] = mpj_rows_find(rows, mpj_series_of_row(values, i));
}

static int make_table(const struct mpj_series *values, const struct mpj_rows *rows,
                      struct mpj_sequence **out)
{
  bool numbered = mpj_series_is_numbered(values);
  int *fresh = numbered ? NULL : mpj_alloc((size_t)values->n * sizeof *fresh);
  struct mpj_sequence *s = new_sequence(MPJ_SEQUENCE_TABLE, values->n);
  int status = no_memory(values->n);
  if (!s || (!numbered && !fresh)) goto release;
  s->u.table.rows = rows->n;
  s->u.table.values = mpj_alloc_array((size_t)rows->n, sizeof(MPJ_Count));
  if (!s->u.table.values) goto release;
  memcpy(s->u.table.values, rows->sorted, (size_t)rows->n * sizeof(MPJ_Count));
  struct mpj_series numbers;
  MPJ_Count table[MPJ_ROWS_MAX];
  number_rows(values, rows, fresh, &numbers, table);
  status = mpj_sequence_make(&numbers, &s->inner);
release:
  mpj_free(fresh);
  if (status)
    mpj_sequence_release(s);
  else
    *out = s;
  return status;
}

/* One piece of memory: the sequence, and its frames. */
static int make_frames(const struct mpj_series *values, const struct mpj_frames_plan *plan,
                       struct mpj_sequence **out)
{
  enum { BORDER = _Alignof(struct mpj_frame) };
  const size_t own = mpj_sequence_own_bytes(MPJ_SEQUENCE_FRAMES, values->n);
  const size_t before = (own + BORDER - 1) / BORDER * BORDER;
  struct mpj_sequence *s = mpj_alloc(before + mpj_frames_bytes(&plan->frames));
  if (!s) return no_memory(values->n);
  s->form = MPJ_SEQUENCE_FRAMES;
  s->n = values->n;
  s->inner = NULL;
  atomic_init(&s->references, 1);
  mpj_frames_fill(values, plan, (char *)s + before, &s->u.frames);
  *out = s;
  return MPJ_SUCCESS;
}

/* Whether a table of at most n / 16 rows is smaller than `bytes` by a bit a value,
 * and its rows, sorted. Looks at the first values come before one at all. */
static bool table_pays(const struct mpj_series *values, size_t bytes, struct mpj_rows *rows)
{
  static const MPJ_Count glances[GLANCES] = {64, 1024, PTRDIFF_MAX};
  struct mpj_series some = *values;
  const MPJ_Count n = values->n;
  if (table_bytes(n, 1) + (size_t)n / 8 > bytes) return false; /* more rows take more */
  for (int i = 0; i < GLANCES && (i == 0 || some.n < n); i++) {
    some.n = mpj_least(n, glances[i]);
    if (!mpj_rows_collect(&some, n / 16, rows)) return false;
    if (table_bytes(n, rows->n) + (size_t)n / 8 > bytes) return false;
  }
  mpj_rows_sort(rows);
  return true;
}

/* Of three forms the smallest, a table only where it saves a bit a value. */
static int make_smallest(const struct mpj_series *values, size_t lines_bytes, MPJ_Count lines,
                         struct mpj_sequence **out)
{
  struct mpj_frames_plan plan;
  struct mpj_rows rows;
  if (!mpj_frames_measure(values, &plan)) return no_memory(values->n);
  const size_t bytes = mpj_frames_bytes(&plan.frames);
  const bool in_lines = lines_bytes <= bytes,
             in_table = !in_lines && table_pays(values, bytes, &rows);
  const int status = in_lines || in_table ? MPJ_SUCCESS : make_frames(values, &plan, out);
  mpj_frames_release(&plan);
  if (in_lines) return make_lines(values, lines, out);
  return in_table ? make_table(values, &rows, out) : status;
}

/* At most MPJ_SEQUENCE_FEW_MOST values: a line, or as they are. */
static int make_few(const struct mpj_series *values, struct mpj_sequence **out)
{
  const MPJ_Count n = values->n;
  MPJ_Count v[MPJ_SEQUENCE_FEW_MOST], i = 0;
  for (MPJ_Count k = 0; k < n; k++)
    v[k] = mpj_series_at(values, k);
  while (i < n && v[i] == mpj_wrap_muladd(i, mpj_wrap_sub(v[n > 1], v[0]), v[0]))
    i++;
  if (i == n) return make_line(values, out);
  struct mpj_sequence *s = new_sequence(MPJ_SEQUENCE_FEW, n);
  if (!s) return no_memory(n);
  memcpy(s->u.few, v, (size_t)n * sizeof v[0]);
  *out = s;
  return MPJ_SUCCESS;
}

int mpj_sequence_make(const struct mpj_series *values, struct mpj_sequence **out)
{
  if (values->n <= MPJ_SEQUENCE_FEW_MOST) return make_few(values, out);
  MPJ_Count n = values->n, limit = n / 8 + 4;
  MPJ_Count lines = cut_lines(values, limit, NULL);
  if (lines == 1) return make_line(values, out);
  MPJ_Count period = mpj_period(values, NULL);
  if (period < n) return make_periods(values, period, out);
  size_t bytes = lines > limit ? SIZE_MAX : (size_t)lines * sizeof(struct mpj_line);
  return make_smallest(values, bytes, lines, out);
}

int mpj_sequence_make_periodic(const struct mpj_series *values, MPJ_Count period,
                               struct mpj_sequence **out)
{
  if (period == 1) return make_line(values, out);
  if (values->n <= MPJ_SEQUENCE_FEW_MOST) return make_few(values, out);
  return period > 1 ? make_periods(values, period, out) : mpj_sequence_make(values, out);
}
