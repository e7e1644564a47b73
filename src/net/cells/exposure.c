/* This file implements the exposure word: generation, readers, remaining pulls. */
#include "net/cells/exposure.h"

#define READER (UINT64_C(1) << 16)
#define READERS_MASK (UINT64_C(0xffff) << 16)
#define REMAINING_MASK UINT64_C(0xffff)

static uint32_t generation_of(uint64_t word)
{
  return (uint32_t)(word >> 32);
}

/* Odd, and so not 0, also if a broken peer has written there. */
uint32_t mpj_exposure_next(const struct mpj_exposure *e)
{
  return (generation_of(atomic_load_explicit(&e->word, memory_order_relaxed)) + 1) | 1;
}

uint32_t mpj_exposure_open(struct mpj_exposure *e, unsigned pulls)
{
  const uint32_t generation = mpj_exposure_next(e);
  atomic_store_explicit(&e->word, (uint64_t)generation << 32 | pulls, memory_order_release);
  return generation;
}

/* What there is to say of a layout that is not dense, if anything. */
static bool description_of(const struct mpj_cursor *c, struct mpj_columns *d)
{
  *d = (struct mpj_columns){0};
  if (mpj_cursor_rows(c, &d->rows)) return d->rows.row >= MPJ_ROW_LEAST_TOLD;
  return mpj_cursor_columns(c, d) && d->rows.row >= MPJ_ROW_LEAST_COLUMNS;
}

void mpj_exposure_describe(struct mpj_exposure *e, const struct mpj_view *view, void *base)
{
  struct mpj_cursor c;
  struct mpj_columns d;
  atomic_store_explicit(&e->row, 0, memory_order_relaxed);
  if (mpj_cursor_begin(&c, view, base) != MPJ_SUCCESS) return;
  if (description_of(&c, &d)) {
    atomic_store_explicit(&e->rows_at, (uint64_t)(uintptr_t)c.origin, memory_order_relaxed);
    atomic_store_explicit(&e->stride, d.rows.stride, memory_order_relaxed);
    atomic_store_explicit(&e->unit, d.unit, memory_order_relaxed);
    atomic_store_explicit(&e->row, d.rows.row, memory_order_relaxed); /* opening publishes them */
  }
  mpj_cursor_end(&c);
}

static int64_t read_description(const struct mpj_exposure *e, uint64_t *address,
                                struct mpj_rows *rows)
{
  *address = atomic_load_explicit(&e->rows_at, memory_order_relaxed);
  rows->row = atomic_load_explicit(&e->row, memory_order_relaxed);
  rows->stride = atomic_load_explicit(&e->stride, memory_order_relaxed);
  return atomic_load_explicit(&e->unit, memory_order_relaxed);
}

bool mpj_exposure_rows(const struct mpj_exposure *e, uint64_t *address, struct mpj_rows *rows)
{
  return read_description(e, address, rows) == 0 && rows->row >= MPJ_ROW_LEAST_TOLD;
}

bool mpj_exposure_columns(const struct mpj_exposure *e, MPJ_Count bytes, uint64_t *address,
                          struct mpj_columns *columns)
{
  const struct mpj_rows *rows = &columns->rows;
  columns->unit = read_description(e, address, &columns->rows);
  if (columns->unit != 4 && columns->unit != 8 && columns->unit != 16) return false;
  if (rows->row < MPJ_ROW_LEAST_COLUMNS || rows->stride < rows->row) return false;
  columns->count = bytes / rows->row;
  return bytes > 0 && bytes % rows->row == 0 && rows->row % columns->unit == 0;
}

bool mpj_exposure_is_finished(const struct mpj_exposure *e)
{
  return (uint32_t)atomic_load_explicit(&e->word, memory_order_acquire) == 0;
}

bool mpj_exposure_is_open(const struct mpj_exposure *e, uint32_t generation)
{
  return (generation & 1) != 0 &&
         generation_of(atomic_load_explicit(&e->word, memory_order_acquire)) == generation;
}

void mpj_exposure_close(struct mpj_exposure *e)
{
  uint64_t word = atomic_load(&e->word), closed;
  do {
    closed = (uint64_t)(generation_of(word) + 1) << 32 | (word & READERS_MASK);
  } while (!atomic_compare_exchange_weak(&e->word, &word, closed));
}

bool mpj_exposure_is_read(const struct mpj_exposure *e)
{
  return (atomic_load_explicit(&e->word, memory_order_acquire) & READERS_MASK) != 0;
}

bool mpj_exposure_begin_read(struct mpj_exposure *e, uint32_t generation)
{
  uint64_t word = atomic_load_explicit(&e->word, memory_order_acquire);
  do {
    if (generation_of(word) != generation || (generation & 1) == 0) return false;
    if ((word & REMAINING_MASK) == 0 || (word & READERS_MASK) == READERS_MASK) return false;
  } while (!atomic_compare_exchange_weak(&e->word, &word, word + READER));
  return true;
}

void mpj_exposure_end_read(struct mpj_exposure *e, uint32_t generation, bool pulled)
{
  uint64_t word = atomic_load_explicit(&e->word, memory_order_relaxed), next;
  do {
    if (generation_of(word) - generation > 1) return; /* neither open still nor just closed */
    next = word - READER;
    if (pulled && (word & REMAINING_MASK) != 0) next--;
  } while (!atomic_compare_exchange_weak(&e->word, &word, next));
}

void mpj_exposure_take(struct mpj_exposure *e, uint32_t generation)
{
  uint64_t word = atomic_load_explicit(&e->word, memory_order_acquire);
  do {
    if (generation_of(word) != generation || (word & REMAINING_MASK) == 0) return;
  } while (!atomic_compare_exchange_weak(&e->word, &word, word - 1));
}
