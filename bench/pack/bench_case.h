/* This header declares a case: a pattern in one size with its buffers and the
 * engine's type. */
#ifndef MPJ_BENCH_PACK_BENCH_CASE_H
#define MPJ_BENCH_PACK_BENCH_CASE_H

#include "face.h"
#include "worker.h"

struct pack_case {
  const struct pack_pattern *pattern;
  const char *name;
  enum pack_size size;
  struct pack_shape shape;
  pack_type type;
  const struct pack_face *other; /* another build, or NULL */
  pack_type other_type;
  void *memory;             /* owned, shape.memory bytes, filled */
  char *mem;                /* memory + shape.first */
  char *packed, *reference; /* owned, shape.bytes each; reference is what the hand loop packs */
};

void pack_case_open(struct pack_case *c, int pattern, enum pack_size size,
                    const struct pack_face *other);
void pack_case_close(struct pack_case *c);

/* One run each; arg is the case. */
void pack_case_hand_pack(void *arg);
void pack_case_hand_unpack(void *arg);
void pack_case_engine_pack(void *arg);
void pack_case_engine_unpack(void *arg);
void pack_case_other_pack(void *arg);
void pack_case_other_unpack(void *arg);
void pack_case_memcpy(void *arg); /* reference to packed */

/* Call run for every chosen pattern and size. */
void pack_cases(const struct pack_options *o, void (*run)(struct pack_case *c, double seconds));

#endif
