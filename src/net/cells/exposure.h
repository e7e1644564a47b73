/* This header declares the owner's and the reader's side of an exposure's word
 * in the segment (segment.h). All are lock-free; any rank may call them. */
#ifndef MPJ_SRC_NET_CELLS_EXPOSURE_H
#define MPJ_SRC_NET_CELLS_EXPOSURE_H

#include "net/cells/segment.h"
#include "net/net.h"

/* Bytes of a row from which the other side may be told of it: process_vm takes 0.2 us for each
 * row that is not its caller's. A receiver's rows, which it does not leave to the owner alone;
 * the owner's that are told, and that are read, though it could as well write by itself; and a
 * matrix's, whose columns are told. */
enum {
  MPJ_ROW_LEAST = 2048,
  MPJ_ROW_LEAST_TOLD = 1024,
  MPJ_ROW_LEAST_EXPOSED = 4096,
  MPJ_ROW_LEAST_COLUMNS = 4096
};

/* The id of an open exposure in messages, and its two halves. */
static inline uint64_t mpj_exposure_id(unsigned index, uint32_t generation)
{
  return (uint64_t)generation << 32 | index;
}
static inline unsigned mpj_exposure_index(uint64_t id)
{
  return (unsigned)(id & 0xffffffff);
}
static inline uint32_t mpj_exposure_generation(uint64_t id)
{
  return (uint32_t)(id >> 32);
}

/* Owner: the generation that opening it will give. */
uint32_t mpj_exposure_next(const struct mpj_exposure *e);

/* Owner: open for `pulls` pulls (below 65536); returns the generation. */
uint32_t mpj_exposure_open(struct mpj_exposure *e, unsigned pulls);

/* Owner, before opening: say where data lies that is not dense; nothing is said of what is not
 * in rows of MPJ_ROW_LEAST_TOLD bytes, nor the columns of a matrix whose rows are shorter than
 * MPJ_ROW_LEAST_COLUMNS. */
void mpj_exposure_describe(struct mpj_exposure *e, const struct mpj_view *view, void *base);

/* Reader: where that is; false if nothing is said. */
bool mpj_exposure_rows(const struct mpj_exposure *e, uint64_t *address, struct mpj_rows *rows);

/* Reader: where a matrix is whose columns are `bytes` bytes of data; false if nothing is said, or
 * it cannot be. */
bool mpj_exposure_columns(const struct mpj_exposure *e, MPJ_Count bytes, uint64_t *address,
                          struct mpj_columns *columns);

/* Owner: whether every pull has been taken and nobody is reading. */
bool mpj_exposure_is_finished(const struct mpj_exposure *e);

/* Whether that generation is open. */
bool mpj_exposure_is_open(const struct mpj_exposure *e, uint32_t generation);

/* Owner: close to new readers. */
void mpj_exposure_close(struct mpj_exposure *e);

/* Owner, after closing: whether somebody is still reading. */
bool mpj_exposure_is_read(const struct mpj_exposure *e);

/* Reader: begin to read; false if that generation is no longer open. */
bool mpj_exposure_begin_read(struct mpj_exposure *e, uint32_t generation);

/* Reader: the end of a read of that generation that began; `pulled` also takes
 * one of the pulls. Nothing if the owner has given up waiting and opened anew. */
void mpj_exposure_end_read(struct mpj_exposure *e, uint32_t generation, bool pulled);

/* Reader or owner: take one of the pulls without reading. */
void mpj_exposure_take(struct mpj_exposure *e, uint32_t generation);

#endif
