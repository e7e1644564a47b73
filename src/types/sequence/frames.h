/* This header declares frames: 128 integers stored as a line and what is left.
 *
 * All values are multiples of 2^shift. Value i of frame f is, modulo 2^64,
 *   (base + i * slope + residual(i)) << shift,   0 <= residual(i) < 2^width
 * and residuals are bit fields of `width` bits in order, least significant bits
 * first. A frame's residuals take 16 * width bytes, so they start at multiples of
 * 16; those of the last frame end where its values do. width is 0 to 56, or 64.
 * Where one level line and width for all frames take less room, there is one head.
 * The line is the one through the frame's ends, or level where that is no worse:
 * sorted displacements with random gaps stay close to it (the bridge of a random
 * walk), while every value is found without its neighbours. */
#ifndef MPJ_SRC_TYPES_SEQUENCE_FRAMES_H
#define MPJ_SRC_TYPES_SEQUENCE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "types/sequence/series.h"

enum { MPJ_FRAME = 128 };

struct mpj_frame {
  int64_t base;
  int32_t slope;
  uint32_t at; /* its residuals, in units of 16 bytes; width is the next one's less this */
};

struct mpj_frames {
  MPJ_Count n;
  unsigned shift;
  bool level;              /* heads[0] is every frame's, and heads[1].at the width */
  struct mpj_frame *heads; /* [number of frames + 1], or [2] if level */
  unsigned char *bits;     /* [nbytes]; the last 8 are padding */
  size_t nbytes;
};

/* Frames whose lines and widths have been chosen: bits is NULL, and heads is `few`, or owned. */
enum { MPJ_FRAMES_FEW = 8 };
struct mpj_frames_plan {
  struct mpj_frames frames;
  struct mpj_frame few[MPJ_FRAMES_FEW + 1];
};

/* Choose lines and widths; on success the plan is to be released. False: no memory, or more than
 * 2^36 bytes. */
bool mpj_frames_measure(const struct mpj_series *values, struct mpj_frames_plan *out);
/* Put the values of the plan's series into `room`, mpj_frames_bytes large and aligned as a head,
 * which *out refers to. */
void mpj_frames_fill(const struct mpj_series *values, const struct mpj_frames_plan *plan,
                     void *room, struct mpj_frames *out);
void mpj_frames_release(struct mpj_frames_plan *plan);

/* Of heads and bits. */
size_t mpj_frames_bytes(const struct mpj_frames *frames);

MPJ_Count mpj_frames_at(const struct mpj_frames *frames, MPJ_Count i);
void mpj_frames_read(const struct mpj_frames *frames, MPJ_Count first, MPJ_Count n,
                     MPJ_Count out[]);

/* out[k] := value first + k - *origin, k < n, and *most is no less
 * than any of these, and 0 only if all are 0; false if they are not known to be so near to one
 * another that all fit 32 bits. MPJ_NEAR_SPARE (unpack.h) values behind out[n] are overwritten. */
bool mpj_frames_near(const struct mpj_frames *frames, MPJ_Count first, MPJ_Count n,
                     MPJ_Count *origin, int32_t out[], MPJ_Count *most);

#endif
