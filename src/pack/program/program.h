/* This header declares copy programs: a layout compiled for moving bytes.
 *
 * A program is a short nest: loops and indices on top, and at the bottom a
 * kernel chosen by block size and stride (kernels.h). It knows bytes, not basic
 * types: neighbours of unlike type merge into one block. The typed form, for
 * reductions, keeps them apart. A program is immutable and kept with its layout
 * (an attachment), so there is at most one of each form per distinct layout; a
 * program refers to those of the layouts inside its own, which live as long.
 *
 * Invariants, for every program:
 *   bytes = the layout's signature.bytes, and > 0 but for the empty layout's
 *   LOOP   count >= 2; bytes = count * child->bytes; not expressible as DENSE;
 *          child is not a LOOP that the strides continue
 *   INDEX  block i holds `copies` of child, as its layout's accessors say;
 *          short dense blocks are units of one size, nunits * unit = bytes, and flat
 *          lists them if they are few; others are listed by blocks if they are few
 *   SEQ    npieces >= 2; no two listed dense neighbours adjoin (and, typed, are alike);
 *          pieces that are not listed are those of the layout */
#ifndef MPJ_SRC_PACK_PROGRAM_PROGRAM_H
#define MPJ_SRC_PACK_PROGRAM_PROGRAM_H

#include "base/checked.h"
#include "types/layout/layout.h"

enum mpj_program_kind {
  MPJ_PROGRAM_DENSE, /* `bytes` adjoining bytes */
  MPJ_PROGRAM_LOOP,
  MPJ_PROGRAM_INDEX,
  MPJ_PROGRAM_SEQ
};

struct mpj_program_block {
  int32_t displ;  /* bytes from the origin */
  uint32_t start; /* packed bytes before it */
};

/* So many units, or blocks where there are none, of an INDEX are kept decoded, and so many pieces
 * of a SEQ, while all lists of what is compiled together take no more than this, in bytes. */
enum {
  MPJ_PROGRAM_FEW_UNITS = 240,
  MPJ_PROGRAM_FEW_BLOCKS = 128,
  MPJ_PROGRAM_FEW_PIECES = 64,
  MPJ_PROGRAM_FEW_LISTS = 1 << 10
};

/* More units are listed when they are first moved, while the lists of all programs together
 * take no more than the one, and this list no more than the other. */
enum { MPJ_PROGRAM_ALL_LISTS = 8 << 20, MPJ_PROGRAM_ONE_LIST = 1 << 20 }; /* bytes */

/* A listed piece. */
struct mpj_program_piece {
  uintptr_t what; /* its program, borrowed; or, odd, that it is dense: 2 (basic + 1) + 1 */
  int32_t displ;  /* bytes from the origin */
  uint32_t start; /* packed bytes before it */
};

/* NULL: it is dense. */
static inline const struct mpj_program *mpj_piece_program(const struct mpj_program_piece *piece)
{
  return piece->what & 1 ? NULL : (const struct mpj_program *)piece->what;
}

/* As in struct mpj_program, of one that is dense. */
static inline int mpj_piece_basic(const struct mpj_program_piece *piece)
{
  return (int)(piece->what >> 1) - 1;
}

struct mpj_program {
  struct mpj_attachment attachment; /* must come first */
  enum mpj_program_kind kind;
  bool in_room; /* lies in its layout's room (layout.h): not to be freed */
  bool plain;   /* one call of a kernel moves all of it to or from a stream: it is DENSE,
                 * a LOOP over DENSE, or a flat INDEX */
  bool typed;   /* of the typed form */
  unsigned char block_class; /* plain: of its blocks (kernels.h) */
  int basic;       /* typed form: the row of mpj_basics that all its data is of; else -1 */
  MPJ_Count bytes; /* packed size */
  MPJ_Count runs;  /* dense runs in it, neighbours of different copies apart; 0: no data */
  union {          /* last: there is memory for what the layout's kind can need */
    struct {
      const struct mpj_program *child; /* borrowed */
      MPJ_Count count;
      MPJ_Aint stride; /* bytes */
    } loop;
    struct {
      const struct mpj_program *child; /* borrowed */
      const struct mpj_layout *layout; /* borrowed: holds the blocks */
      MPJ_Count nblocks;
      MPJ_Aint stride;  /* bytes between the copies in a block */
      bool dense;       /* every block is dense */
      MPJ_Count nunits; /* 0: none */
      MPJ_Count unit;   /* bytes of each */
      /* [nunits], owned: where each lies, bytes from the origin; NULL: they are decoded. Set
       * when it is compiled, or later, once, by mpj_program_list. */
      _Atomic(int32_t *) flat;
      struct mpj_program_block *blocks; /* [nblocks], owned; NULL: they are many, or units */
    } index;
    struct {
      MPJ_Count npieces;
      bool dense;                       /* every piece is dense */
      struct mpj_program_piece *pieces; /* [npieces], owned: a list of them; or NULL */
      const struct mpj_layout *layout;  /* borrowed: holds those that are not listed */
      MPJ_Count nshapes;
      const struct mpj_program **shapes; /* [nshapes], owned list: of the layout's shapes, if it
                                          * has any */
    } seq;
  } u;
};

/* Bytes of each block of a plain program. */
static inline MPJ_Count mpj_program_block(const struct mpj_program *p)
{
  if (p->kind == MPJ_PROGRAM_LOOP) return p->u.loop.child->bytes;
  return p->kind == MPJ_PROGRAM_INDEX ? p->u.index.unit : p->bytes;
}

/* Bytes in a dense run of p, on average. */
static inline MPJ_Count mpj_program_run(const struct mpj_program *p)
{
  return p->runs > 0 ? p->bytes / p->runs : 0;
}

/* Whether copies of p `stride` bytes apart are one longer loop. */
static inline bool mpj_program_continues(const struct mpj_program *p, MPJ_Aint stride)
{
  MPJ_Aint whole;
  return p->kind == MPJ_PROGRAM_LOOP && mpj_mul_aint(p->u.loop.count, p->u.loop.stride, &whole) &&
         stride == whole;
}

/* Find the units of an INDEX of short dense blocks, and list them if they are few, or else
 * the blocks if they are, while the list takes at most *left bytes, from which it is taken;
 * without memory for that list, leave it without. */
void mpj_program_flatten(struct mpj_program *p, size_t *left);

/* The list of its units, made now if it may be; or NULL. Threads: any. */
const int32_t *mpj_program_list(const struct mpj_program *p);

/* Give back what it has listed: it is being destroyed. */
void mpj_program_unlist(struct mpj_program *p);

static inline const int32_t *mpj_program_flat(const struct mpj_program *p)
{
  return atomic_load_explicit(&p->u.index.flat, memory_order_acquire);
}

/* Packed bytes of listed block i of an INDEX. */
static inline MPJ_Count mpj_program_block_bytes(const struct mpj_program *p, MPJ_Count i)
{
  const struct mpj_program_block *b = &p->u.index.blocks[i];
  return (i + 1 < p->u.index.nblocks ? (MPJ_Count)b[1].start : p->bytes) - (MPJ_Count)b->start;
}

/* Packed bytes of listed piece i of a SEQ. */
static inline MPJ_Count mpj_program_listed_bytes(const struct mpj_program *p, MPJ_Count i)
{
  const struct mpj_program_piece *piece = &p->u.seq.pieces[i];
  return (i + 1 < p->u.seq.npieces ? (MPJ_Count)piece[1].start : p->bytes) - piece->start;
}

/* The block of an INDEX with `blocks` that holds packed byte `byte`, 0 <= byte < bytes.
 * O(log nblocks). */
MPJ_Count mpj_program_find_block(const struct mpj_program *p, MPJ_Count byte);

/* Piece i of a SEQ, listed or not. O(1). */
struct mpj_program_item {
  const struct mpj_program *program; /* NULL: dense */
  MPJ_Aint displ;                    /* bytes from the origin */
  MPJ_Count bytes;
  int basic; /* if dense */
};
struct mpj_program_item mpj_program_item(const struct mpj_program *p, MPJ_Count i);

/* Pieces [first, first + n) of a SEQ that does not list them, n at most MPJ_LAYOUT_FRAME: their
 * programs, and where they lie, bytes from the origin. */
void mpj_program_frame(const struct mpj_program *p, MPJ_Count first, MPJ_Count n,
                       const struct mpj_program *programs[], MPJ_Aint displs[]);

/* The piece of a SEQ that holds packed byte `byte`, 0 <= byte < bytes, and the
 * packed bytes before it. O(log npieces). */
MPJ_Count mpj_program_find_piece(const struct mpj_program *p, MPJ_Count byte, MPJ_Count *start);

/* Whether the invariants above hold for p itself (what it refers to was checked
 * when it was made); for debug builds and tests. */
bool mpj_program_check(const struct mpj_program *p);

#endif
