/* This header declares the shm transport's own state: the pulls that this rank
 * has begun and the requests of others that it serves. */
#ifndef MPJ_SRC_NET_SHM_STATE_H
#define MPJ_SRC_NET_SHM_STATE_H

#include "base/hot.h"
#include "base/map.h"
#include "net/cells/cells.h"
#include "net/cells/exposure.h"
#include "net/pull/pull.h"

enum { MPJ_SHM_SCRATCH_BYTES = 524288 };

/* Bytes of a row from which owners write into a receiver's rows what they pack. */
enum { MPJ_SHM_ROW_WRITTEN = 4096 };

/* Bytes of a row that a receiver reads by itself rather than leave it to the owner. */
enum { MPJ_SHM_ROW_READ = 8192 };

/* Bytes of a row in a shared block from which owners are told of it: they copy. */
enum { MPJ_SHM_ROW_SHARED = 512 };

enum mpj_shm_way { MPJ_WAY_WRITE, MPJ_WAY_STREAM };

/* A request that this rank, as owner, has accepted; where to write in the receiver, if it is. */
struct mpj_shm_serve {
  bool active;
  int peer;
  enum mpj_shm_way way;
  uint64_t exposure; /* id */
  uint64_t pull;     /* the receiver's id of it: index | generation << 32 */
  struct mpj_place to;
  struct mpj_stream *stream; /* the receiver's, for MPJ_WAY_STREAM, and its pieces */
  unsigned char *pieces;
  uint32_t piece, generation, filled; /* bytes; of the ring; pieces so far */
  bool past;                          /* pieces are to be written past the caches */
  bool has_cursor;
  struct mpj_cursor cursor; /* over the exposed view */
  uint32_t outcome;         /* enum mpj_shm_outcome, once it is to be told */
  bool tell;                /* the outcome has still to be sent */
};

enum mpj_shm_outcome {
  MPJ_PUSHED_IN_PLACE,
  MPJ_PUSHED_REFUSED, /* process_vm is not permitted */
  MPJ_PUSHED_GONE,    /* withdrawn, or never there */
  MPJ_PUSHED_FAILED   /* a buffer is not all in memory */
};

/* A peer's shared block as this process sees it (blocks.h). */
struct mpj_shm_mapping {
  uint32_t generation; /* of the peer's entry; 0: never looked at */
  void *base;          /* NULL: cannot be mapped */
  size_t bytes;
};

struct mpj_shm {
  struct mpj_cells cells; /* first */
  int fd;
  bool single_copy; /* process_vm calls have not been refused so far */
  unsigned active_serves;
  unsigned char *scratch;            /* [MPJ_SHM_SCRATCH_BYTES] for layouts of small blocks */
  struct mpj_shm_mapping **mappings; /* [nranks] of [MPJ_SHARED_BLOCKS], made when needed */
  struct mpj_pulls pulls;
  struct mpj_measured_row streams; /* what is likely to be the fastest way */
  unsigned tries;                  /* ways that are tried: a set bit each; 0: none */
  unsigned nserves;                /* entries, MPJ_PULLS_PER_SOURCE a peer at most */
  struct mpj_tried_table tried;
  struct mpj_shm_serve *serves; /* [nserves]; moves when it gets longer */
  uint32_t rings;               /* of this rank that are not lent: a set bit each */
  int ring_had[MPJ_STREAMS];    /* 1 + the source that was lent it last; 0: none */
  MPJ_Count past_caches;        /* bytes from which what comes goes past the caches */
  struct pollfd *watched;       /* [nranks] processes of the other ranks, or NULL (watch.c) */
  struct mpj_map extents;       /* further ones of common memory that are mapped here (extents.c) */
  double look_at;               /* when to look at them next, in seconds */
  unsigned idles;               /* calls of idle, to look at the clock now and then */
};

/* Messages between the two sides. */
struct mpj_shm_request {
  uint64_t exposure, pull;
  union {
    struct mpj_place to; /* for MPJ_WAY_WRITE */
    struct {             /* for MPJ_WAY_STREAM */
      MPJ_Count offset;  /* of the first byte in the stream */
      uint32_t piece;    /* bytes */
      uint32_t ring, generation;
      bool past; /* the pieces are to be written past the caches */
    } stream;
  };
  MPJ_Count bytes; /* from there to the end */
  uint32_t way;
};
struct mpj_shm_pushed {
  uint64_t pull;
  uint32_t outcome;
};

/* The receiver's side (pull.c). */
int mpj_shm_pull(struct mpj_transport *t, int source, const struct mpj_am_remote *remote,
                 struct mpj_cursor *dst, const struct mpj_pull_how *how,
                 mpj_am_complete_fn *complete, void *arg);
/* Before the first pull. */
void mpj_shm_pulls_begin(struct mpj_shm *shm);

static inline struct mpj_shm *mpj_shm_of(const struct mpj_pulls *pulls)
{
  return (struct mpj_shm *)pulls->transport;
}
static inline struct mpj_exposure *mpj_shm_exposure(struct mpj_shm *shm, const struct mpj_pull *p)
{
  return mpj_segment_exposure(shm->cells.segment, p->source, mpj_exposure_index(p->remote.id));
}
/* Tell the owner, through the exposure's word, that the data is here. */
void mpj_shm_take_exposure(struct mpj_shm *shm, const struct mpj_pull *p);
/* The error of a process_vm call. */
int mpj_shm_vm_failed(struct mpj_shm *shm, const struct mpj_pull *p, MPJ_Count error);

/* The movers (shm.h says what each is for) and what decides between them (choose.c). */
extern const struct mpj_mover mpj_shm_pieces, mpj_shm_both, mpj_shm_read, mpj_shm_columns,
    mpj_shm_write, mpj_shm_stream;
bool mpj_shm_can_pieces(struct mpj_pulls *t, struct mpj_pull *p);
bool mpj_shm_can_both(struct mpj_pulls *t, struct mpj_pull *p);
bool mpj_shm_can_read(struct mpj_pulls *t, struct mpj_pull *p);
bool mpj_shm_can_columns(struct mpj_pulls *t, struct mpj_pull *p);
bool mpj_shm_can_write(struct mpj_pulls *t, struct mpj_pull *p);
/* process_vm is not permitted: never again in this process. The pull goes another way. */
void mpj_shm_refused(struct mpj_shm *shm, struct mpj_pull *p);

/* A message of the owner (write.c). */
enum mpj_am_verdict mpj_shm_on_pushed(void *ctx, const struct mpj_am_arrival *arrival,
                                      struct mpj_am_dest *dest);

/* The owner's side (serve.c). */
bool mpj_shm_poll_serves(struct mpj_shm *shm);
enum mpj_am_verdict mpj_shm_on_request(void *ctx, const struct mpj_am_arrival *arrival,
                                       struct mpj_am_dest *dest);

/* Push a chunk of exposure i (help.c; contract in cells.h), to a receiver that
 * shares its pull. */
bool mpj_shm_help(struct mpj_cells *cells, unsigned i);

/* extents.c: as mpj_net_common, of extent MPJ_EXTENTS_AT_ONCE and up; and unmap them all. */
unsigned char *mpj_shm_further(struct mpj_cells *cells, int rank, unsigned extent);
void mpj_shm_end_extents(struct mpj_shm *shm);

/* watch.c: idle, looking at the ranks' processes; and the end of watching. */
MPJ_HOT void mpj_shm_idle(struct mpj_transport *t, unsigned *idle, long us);
void mpj_shm_end_watch(struct mpj_shm *shm);

/* One step's worth (vm.c): move some of the next `most` (> 0) bytes of `local` from
 * (to) byte `at` of a place in peer's process: by a copy if that lies in a shared block,
 * else by a process_vm call. Layouts of small blocks then go through the scratch buffer.
 * Returns the bytes moved (> 0), by which the cursor advanced, or a negative errno,
 * the cursor unmoved. `most` must remain. */
MPJ_Count mpj_shm_vm_read(struct mpj_shm *shm, int peer, const struct mpj_place *from, MPJ_Count at,
                          struct mpj_cursor *local, MPJ_Count most);
MPJ_Count mpj_shm_vm_write(struct mpj_shm *shm, int peer, const struct mpj_place *to, MPJ_Count at,
                           struct mpj_cursor *local, MPJ_Count most);

/* One step's worth (columns.c): read some of the columns of a matrix at `address` in peer's
 * process into dst, which takes such (pack/run/cursor.h); `done` bytes of it have been read so.
 * Returns the bytes moved (> 0), or a negative errno. */
MPJ_Count mpj_shm_read_columns(struct mpj_shm *shm, int peer, uint64_t address,
                               const struct mpj_columns *columns, MPJ_Count done,
                               const struct mpj_cursor *dst);

#endif
