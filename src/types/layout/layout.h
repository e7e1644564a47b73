/* This header declares layouts: normalised type maps, free of parts and bounds.
 *
 * A layout is a tree of five kinds of node, immutable and interned: equal trees
 * are one object, so equality of layouts is equality of pointers, and equal
 * subtrees are stored once. Every layout starts at displacement 0: its first
 * element in type map order lies at the origin. A piece adds the displacement.
 *
 * Invariants of a normalised layout (checked by mpj_layout_check):
 *   RUN    count >= 1
 *   LOOP   count >= 2; child is not EMPTY; not expressible as a RUN; if child is a
 *          LOOP of m at stride t, stride != m * t
 *   INDEX  nblocks >= 2, every length >= 1, the first displacement 0; not
 *          expressible as LOOP. Blocks of one length only: uniform = 1, the block
 *          is the child
 *   SEQ    npieces >= 2, no piece EMPTY, nor a SEQ that opens: of MPJ_LAYOUT_SEQ_OPEN
 *          pieces or fewer (longer ones stay closed, so that nesting does not multiply
 *          memory), or over MPJ_LAYOUT_SEQ_DEPTH nested ones; the first piece at 0. Up to
 *          MPJ_LAYOUT_SEQ_OPEN pieces: no two neighbours that join to one RUN or one LOOP.
 *          More: only numbers of shapes and displacements are kept, and few neighbours join
 * signature, basics, depth, alignment and true bounds of every node are those of its
 * children put together, whatever form it is kept in (layout_measure.h).
 * The functions below establish them; nobody else makes layouts. */
#ifndef MPJ_SRC_TYPES_LAYOUT_LAYOUT_H
#define MPJ_SRC_TYPES_LAYOUT_LAYOUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpj/base.h>

#include "base/refcount.h"
#include "types/signature.h"

enum mpj_layout_kind {
  MPJ_LAYOUT_EMPTY,
  MPJ_LAYOUT_RUN,
  MPJ_LAYOUT_LOOP,
  MPJ_LAYOUT_INDEX,
  MPJ_LAYOUT_SEQ
};

/* How deep layouts are: a LOOP or an INDEX at least doubles the bytes of what is in it, so
 * a nest has at most 62 of those, a RUN below, a SEQ around each, and at most
 * MPJ_LAYOUT_SEQ_DEPTH further ones, straight inside another. */
enum { MPJ_LAYOUT_SEQ_OPEN = 64, MPJ_LAYOUT_SEQ_DEPTH = 24, MPJ_LAYOUT_ROWS_MAX = 62 };
enum { MPJ_LAYOUT_DEPTH_MAX = 2 * MPJ_LAYOUT_ROWS_MAX + 2 + MPJ_LAYOUT_SEQ_DEPTH };

struct mpj_footprint;
struct mpj_layout;
struct mpj_sequence;
struct mpj_shapes;

/* A layout at a displacement. Owns one reference unless said otherwise. */
struct mpj_piece {
  struct mpj_layout *layout;
  MPJ_Aint displ; /* bytes from the base address to the layout's origin */
};

/* Something another layer derived from a layout and keeps with it. */
struct mpj_attachment {
  void (*destroy)(struct mpj_attachment *self); /* NULL: nothing to do */
  /* Add to f what it owns, and itself (footprint.h). */
  void (*measure)(const struct mpj_attachment *self, struct mpj_footprint *f);
};
enum {
  MPJ_ATTACH_PROGRAM,
  MPJ_ATTACH_TYPED_PROGRAM,
  MPJ_ATTACH_PACKED,
  MPJ_ATTACH_OVERLAP,
  MPJ_ATTACH_SLOTS
};

struct mpj_layout {
  enum mpj_layout_kind kind;
  int depth;              /* 1 for EMPTY and RUN, else 1 + the deepest child's */
  int alignment;          /* strictest of the basic types, bytes; 1 if none */
  unsigned char straight; /* SEQs straight inside another, at most, on the way down to a RUN */
  bool has_room;          /* behind the object, for an attachment; not if it is permanent */
  atomic_bool room_taken;
  uint64_t id;     /* never reused while the process lives */
  uint64_t hash;   /* of the structure; for interning */
  uint64_t basics; /* which basic types there are in it: a bit each, by row of mpj_basics */
  mpj_refcount references;
  struct mpj_layout *next; /* in its intern bucket */

  struct mpj_signature signature; /* signature.bytes is the packed size */
  MPJ_Aint true_lb, true_ub;      /* of the data, bytes from the origin; 0, 0 if EMPTY */

  _Atomic(struct mpj_attachment *) attachments[MPJ_ATTACH_SLOTS];

  /* Last: there is memory for the member of this kind alone. */
  union {
    struct {
      int basic;       /* row of mpj_basics */
      MPJ_Count count; /* elements, dense */
    } run;
    struct {
      struct mpj_layout *child; /* shared */
      MPJ_Count count;
      MPJ_Aint stride; /* bytes between copies; any sign, may be 0 */
    } loop;
    struct {
      struct mpj_layout *child; /* shared */
      MPJ_Aint stride;          /* bytes between the copies inside a block */
      MPJ_Count nblocks;
      MPJ_Count uniform; /* copies in every block, or 0: see lens */
      /* Shared. lens and starts are NULL if uniform. */
      struct mpj_sequence *displs; /* [nblocks], bytes */
      struct mpj_sequence *lens;   /* [nblocks], copies */
      struct mpj_sequence *starts; /* copies before block k * MPJ_LAYOUT_FRAME; last: in all */
    } index;
    struct {
      MPJ_Count npieces;
      /* Of a short sequence, else NULL: */
      struct mpj_piece *pieces;   /* [npieces], owned, each layout shared */
      MPJ_Count *starts_of_short; /* [npieces + 1], behind pieces: packed bytes before piece i */
      /* Of a long sequence, else NULL; shared: */
      struct mpj_shapes *shapes;   /* the layouts that pieces are */
      struct mpj_sequence *rows;   /* [npieces], numbers of shapes */
      struct mpj_sequence *displs; /* [npieces], bytes */
      struct mpj_sequence
          *starts; /* packed bytes before piece k * MPJ_LAYOUT_FRAME; last: in all */
    } seq;
  } u;
};

/* nblocks blocks; block i is blocklens[i] copies of child, stride bytes apart,
 * at displs[i] bytes. blocklens NULL: `uniform` copies in each. Arrays borrowed. */
int mpj_layout_index(MPJ_Count nblocks, const MPJ_Count blocklens[], MPJ_Count uniform,
                     const MPJ_Aint displs[], MPJ_Aint stride, struct mpj_piece child,
                     struct mpj_piece *out);
/* The pieces one after another. Pieces borrowed. Errors: also MPJ_ERR_UNSUPPORTED
 * (sequences nest so deep that they would have to be opened, into 2^24 pieces or more). */
int mpj_layout_seq(MPJ_Count npieces, const struct mpj_piece pieces[], struct mpj_piece *out);

/* Whether a layout that becomes a piece of a SEQ is taken apart; and how many SEQs that are
 * straight inside another a SEQ has with it, if it is not. */
static inline bool mpj_layout_opens(const struct mpj_layout *layout)
{
  return layout->kind == MPJ_LAYOUT_SEQ &&
         (layout->u.seq.npieces <= MPJ_LAYOUT_SEQ_OPEN || layout->straight >= MPJ_LAYOUT_SEQ_DEPTH);
}

static inline unsigned char mpj_layout_straight_over(const struct mpj_layout *piece)
{
  return (unsigned char)(piece->straight + (piece->kind == MPJ_LAYOUT_SEQ));
}

/* Reading INDEX and SEQ nodes. How they are stored is this layer's own affair:
 * other layers go through these, which any output may be NULL for. */

/* Block i of an INDEX, 0 <= i < nblocks: *displ bytes from the origin to its
 * first copy, *copies in it, *start copies in the blocks before it. */
void mpj_layout_index_block(const struct mpj_layout *layout, MPJ_Count i, MPJ_Aint *displ,
                            MPJ_Count *copies, MPJ_Count *start);
/* Blocks [first, first + n) at once, n >= 1: displs[n] and copies[n] as above, and
 * *start copies before block `first`. What a kernel calls for each frame of at
 * most MPJ_LAYOUT_FRAME blocks. */
enum { MPJ_LAYOUT_FRAME = 128 };
void mpj_layout_index_blocks(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                             MPJ_Aint displs[], MPJ_Count copies[], MPJ_Count *start);
/* How many blocks from `first` on are known to be of *copies copies each, the first at
 * *displ bytes, *stride bytes apart; 1, and nothing set, where the index does not tell without
 * being read. What is regular but for a few exceptions tells. O(log nblocks). */
MPJ_Count mpj_layout_index_row(const struct mpj_layout *layout, MPJ_Count first, MPJ_Aint *displ,
                               MPJ_Aint *stride, MPJ_Count *copies);
/* The same of blocks of which neither places nor numbers of copies are far from one another,
 * n at most MPJ_LAYOUT_NEAR: displs[n] are bytes from *origin, and copies[n] are how many more
 * than *least, at most *most more: if *most is 0, copies is not set. False: they are far.
 * MPJ_NEAR_SPARE (unpack.h) entries behind the n are overwritten. */
enum { MPJ_LAYOUT_NEAR = 512 };
bool mpj_layout_index_near(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                           MPJ_Aint *origin, int32_t displs[], MPJ_Count *least, MPJ_Count *most,
                           int32_t copies[]);
/* Copies in all blocks of an INDEX. O(1). */
MPJ_Count mpj_layout_index_copies(const struct mpj_layout *layout);
/* The block that holds the copy'th copy, 0 <= copy < copies. O(log nblocks). */
MPJ_Count mpj_layout_index_find(const struct mpj_layout *layout, MPJ_Count copy);
/* The same up to the frame: a block k * MPJ_LAYOUT_FRAME at or before the one that holds
 * it, less than a frame before, and the copies before it. */
MPJ_Count mpj_layout_index_find_frame(const struct mpj_layout *layout, MPJ_Count copy,
                                      MPJ_Count *start);
/* Piece i of a SEQ, 0 <= i < npieces, borrowed, and the packed bytes before it. */
void mpj_layout_seq_piece(const struct mpj_layout *layout, MPJ_Count i, struct mpj_piece *piece,
                          MPJ_Count *start);
/* The different layouts that a SEQ's pieces are, borrowed: *n of them. NULL if it is
 * short and has its pieces only. */
struct mpj_layout *const *mpj_layout_seq_shapes(const struct mpj_layout *layout, MPJ_Count *n);
/* Pieces [first, first + n) of one that has shapes, n at most MPJ_LAYOUT_FRAME: the
 * shapes they are, and where they lie, bytes from the origin. */
void mpj_layout_seq_frame(const struct mpj_layout *layout, MPJ_Count first, MPJ_Count n,
                          MPJ_Count rows[], MPJ_Aint displs[]);
/* The piece that holds packed byte `byte`, 0 <= byte < signature.bytes.
 * O(log npieces). */
MPJ_Count mpj_layout_seq_find(const struct mpj_layout *layout, MPJ_Count byte);

/* References; a NULL layout is let pass. Threads: any. */
static inline struct mpj_layout *mpj_layout_retain(struct mpj_layout *layout)
{
  if (layout) mpj_refcount_up(&layout->references);
  return layout;
}
void mpj_layout_release(struct mpj_layout *layout);

/* The attachment in `slot`, or NULL (acquire order). put stores `made` and
 * returns it, or, if another thread was first, destroys it and returns theirs. */
static inline struct mpj_attachment *mpj_layout_attachment(const struct mpj_layout *layout,
                                                           int slot)
{
  return atomic_load_explicit(&layout->attachments[slot], memory_order_acquire);
}

/* Memory behind the layout for an attachment of at most mpj_layout_room_bytes, not
 * zeroed, which is neither freed nor given again; or NULL where there is none left.
 * So a small type costs one allocation a node, its program included. */
enum {
  MPJ_LAYOUT_ROOM_RUN = 48,
  MPJ_LAYOUT_ROOM_LOOP = 72,
  MPJ_LAYOUT_ROOM_INDEX = 120,
  MPJ_LAYOUT_ROOM_SEQ = 96
};
static inline size_t mpj_layout_room_bytes(enum mpj_layout_kind kind)
{
  return kind == MPJ_LAYOUT_RUN    ? MPJ_LAYOUT_ROOM_RUN
         : kind == MPJ_LAYOUT_LOOP ? MPJ_LAYOUT_ROOM_LOOP
         : kind == MPJ_LAYOUT_SEQ  ? MPJ_LAYOUT_ROOM_SEQ
                                   : MPJ_LAYOUT_ROOM_INDEX;
}

/* Whether every invariant above holds, recursively; for debug builds and tests. */
bool mpj_layout_check(const struct mpj_layout *layout);

/* Layouts alive now, those of no data and of one basic element apart, which are
 * permanent; for leak checks. */
size_t mpj_layout_live(void);

/* Destroy what is attached to the permanent layouts; for leak checks, at a
 * moment when no other thread uses the library. */
void mpj_layout_forget_permanent(void);

#endif
