/* This header declares cursors: a place in the packed stream of a view, from
 * which data is packed, unpacked, copied, combined or listed piece by piece.
 *
 * A cursor walks the layout's copy program (program.h). It may be moved to any
 * byte of the stream, inside a basic element too; every piece runs the same
 * kernels as the whole. Seeking costs nothing: each piece finds its place anew,
 * in O(depth + log blocks).
 *
 * `base` is the user's base address, possibly NULL with absolute
 * displacements. The view's layout and the memory are borrowed and must
 * outlive the cursor. A cursor belongs to one thread at a time. All pieces
 * advance the offset by what they move; moving past the end is a caller's bug
 * (asserted): ask mpj_cursor_remaining first. */
#ifndef MPJ_SRC_PACK_RUN_CURSOR_H
#define MPJ_SRC_PACK_RUN_CURSOR_H

#include <assert.h>
#include <stddef.h>
#include <sys/uio.h>

#include "pack/reduce/reduce.h"
#include "types/parts/view.h"

struct mpj_program;

/* Invariant: the view's data is `count` copies of program's, stride bytes
 * apart, the first at origin; or, where program is NULL, the `bytes` bytes from
 * origin on. */
struct mpj_cursor {
  struct mpj_view view;
  char *base;
  MPJ_Count offset;                  /* of the place, in packed bytes from the view's start */
  MPJ_Count bytes;                   /* of the whole view, or where mpj_cursor_limit ended it */
  const struct mpj_program *program; /* borrowed; NULL: the view is dense */
  MPJ_Count count;
  MPJ_Aint stride;
  char *origin; /* address of the first byte of the stream */
};

/* Dense rows of equal size at equal distances: what some layouts are, and can be told to others
 * in two numbers. */
struct mpj_rows {
  MPJ_Count row;   /* bytes of each; 0: all is one dense stretch */
  MPJ_Aint stride; /* bytes from one row's start to the next one's */
};

/* A matrix in rows whose columns follow one another in the stream. */
struct mpj_columns {
  MPJ_Count unit;       /* bytes of an element */
  MPJ_Count count;      /* of rows: elements of a column */
  struct mpj_rows rows; /* row: of all columns */
};

/* Start at the view's first byte. Compiles the layout's program if nobody did:
 * only that can fail, with MPJ_ERR_NO_MEM. On success mpj_cursor_end must follow. */
int mpj_cursor_begin(struct mpj_cursor *c, const struct mpj_view *view, void *base);

/* The same for the `bytes` bytes from `origin` on; byte: the layout of one. Field by field: what is
 * written in small pieces and read in larger ones waits until all that was written before has left
 * the core (message.h). */
static inline void mpj_cursor_begin_bytes(struct mpj_cursor *c, struct mpj_layout *byte,
                                          char *origin, MPJ_Count bytes)
{
  c->view.layout = byte;
  c->view.count = bytes;
  c->view.stride = 1;
  c->view.displ = 0;
  c->base = c->origin = origin;
  c->offset = 0;
  c->bytes = bytes;
  c->program = NULL;
}

/* A cursor owns nothing today; callers end it all the same, so that it may. */
static inline void mpj_cursor_end(struct mpj_cursor *c)
{
  (void)c;
}

/* Let the stream end after `bytes` bytes, 0 <= bytes <= the cursor's: the rest of the view is not
 * touched. */
static inline void mpj_cursor_limit(struct mpj_cursor *c, MPJ_Count bytes)
{
  assert(0 <= bytes && bytes <= c->bytes);
  c->bytes = bytes;
}

static inline MPJ_Count mpj_cursor_remaining(const struct mpj_cursor *c)
{
  return c->bytes - c->offset;
}

/* Move to byte `offset` of the packed stream, 0 <= offset <= bytes. */
static inline void mpj_cursor_seek(struct mpj_cursor *c, MPJ_Count offset)
{
  assert(0 <= offset && offset <= c->bytes);
  c->offset = offset;
}

/* Whether all of the view is such rows, the first at c->origin. */
bool mpj_cursor_rows(const struct mpj_cursor *c, struct mpj_rows *rows);

/* Whether all of the view is the columns of a matrix, at least two, the first row at c->origin,
 * later ones behind it, and whether there is a transposition for its elements. */
bool mpj_cursor_columns(const struct mpj_cursor *c, struct mpj_columns *columns);

/* Whether all of the view is dense, or each column comes to a row of its own. */
bool mpj_cursor_takes_columns(const struct mpj_cursor *c, const struct mpj_columns *columns);

/* Take a tile of that matrix into such a view: the bytes [at, at + width) of rows [first, first +
 * height), which lie at `from`, `pitch` bytes apart; at and width are of whole elements. The
 * place stays as it is. */
void mpj_cursor_take_tile(const struct mpj_cursor *c, const struct mpj_columns *columns,
                          MPJ_Count first, MPJ_Count height, MPJ_Count at, MPJ_Count width,
                          const char *from, MPJ_Aint pitch);

/* Whether some of the view's blocks lie at listed places. */
bool mpj_cursor_is_listed(const struct mpj_cursor *c);

/* The next `bytes` bytes of the stream, out of or into the layout. */
void mpj_cursor_pack(struct mpj_cursor *c, void *packed, MPJ_Count bytes);
void mpj_cursor_unpack(struct mpj_cursor *c, const void *packed, MPJ_Count bytes);

/* As mpj_cursor_pack, with streaming stores: for a reader that shares no cache with this core. */
void mpj_cursor_pack_past(struct mpj_cursor *c, void *packed, MPJ_Count bytes);

/* Copy the next `bytes` bytes of src's stream over the next of dst's, layout to
 * layout with no buffer between. The memory must not overlap. */
void mpj_cursor_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes);

/* The same to, and from, bytes [at, at + bytes) of such rows, the first at `origin`, of
 * rows->row > 0 bytes; at + bytes is at most what the view has. */
void mpj_cursor_to_rows(struct mpj_cursor *src, char *origin, const struct mpj_rows *rows,
                        MPJ_Count at, MPJ_Count bytes);
void mpj_cursor_from_rows(struct mpj_cursor *dst, char *origin, const struct mpj_rows *rows,
                          MPJ_Count at, MPJ_Count bytes);

/* Describe the next bytes, at most max_bytes, as at most max dense segments in
 * stream order, neighbours merged. Returns the number of segments, sets *bytes
 * to their sum, and advances by it. */
size_t mpj_cursor_iov(struct mpj_cursor *c, struct iovec *iov, size_t max, MPJ_Count max_bytes,
                      MPJ_Count *bytes);

/* Pass over the next segments of such a list, whole ones only: at most max of
 * them, and at most max_bytes bytes in all. Returns their number, sets *bytes to
 * their sum, and advances by it. O(1) a batch: a loop over dense blocks is one. */
MPJ_Count mpj_cursor_pass(struct mpj_cursor *c, MPJ_Count max, MPJ_Count max_bytes,
                          MPJ_Count *bytes);

/* inout[i] := in[i] (op) inout[i] for n >= 1 elements of the basic type (row of
 * mpj_basics); both arrays aligned for that type. */
typedef void mpj_combine_fn(void *ctx, const void *in, void *inout, MPJ_Count n, int basic);

/* Combine `bytes` bytes of a packed stream into the layout: for each run of one
 * basic type, fn is called with the packed elements as `in` and the layout's as
 * `inout`, copied to aligned scratch where they are not aligned. A run may come
 * in several calls. The place and bytes must fall between basic elements (else
 * MPJ_ERR_ARG, nothing done).
 * Errors: MPJ_ERR_NO_MEM (the typed program could not be compiled). */
int mpj_cursor_combine(struct mpj_cursor *c, const void *packed, MPJ_Count bytes,
                       mpj_combine_fn *fn, void *ctx);

/* The same through a predefined operation, element by element in stream order:
 * layout := packed (op) layout.
 * Errors: MPJ_ERR_OP (op does not apply to a basic type in the layout; nothing
 * done), and as for mpj_cursor_combine. */
int mpj_cursor_reduce(struct mpj_cursor *c, const void *packed, MPJ_Count bytes,
                      enum mpj_reduce_op op);

/* The same from another layout, whose basic types are those of dst's in order:
 * dst := src (op) dst for the next `bytes` bytes of both. The memory must not
 * overlap. On an error that is found midway (MPJ_ERR_ARG: bytes end inside an
 * element) the places are where it was found. */
int mpj_cursor_reduce_copy(struct mpj_cursor *dst, struct mpj_cursor *src, MPJ_Count bytes,
                           enum mpj_reduce_op op);

#endif
