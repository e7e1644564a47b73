/* This header declares the table of basic types. */
#ifndef MPJ_SRC_TYPES_BASIC_H
#define MPJ_SRC_TYPES_BASIC_H

#include <mpj/datatype.h>

enum mpj_basic_class {
  MPJ_CLASS_BYTE,   /* uninterpreted */
  MPJ_CLASS_SIGNED, /* two's complement integers, plain char among them where it is signed */
  MPJ_CLASS_UNSIGNED,
  MPJ_CLASS_BOOL,
  MPJ_CLASS_REAL,
  MPJ_CLASS_COMPLEX,
  MPJ_CLASS_BFLOAT,      /* the upper half of an IEEE single */
  MPJ_CLASS_PAIR_REAL,   /* a real value, then an int: struct { T value; int index; } */
  MPJ_CLASS_PAIR_SIGNED, /* an int or a long, then an int */
  MPJ_CLASS_PAIR_SHORT   /* a short, then an int */
};

struct mpj_basic {
  const char *name; /* "MPJ_INT" */
  int size;         /* bytes, also the extent */
  int alignment;    /* bytes */
  enum mpj_basic_class class;
  uint64_t letter; /* equal for equal class and size */
};

enum { MPJ_BASIC_COUNT = 39, MPJ_BASIC_ALIGN_MAX = 16 };

/* Row n describes the handle MPJ_BASIC_(n). */
extern const struct mpj_basic mpj_basics[MPJ_BASIC_COUNT];

/* The row a handle stands for, or -1 if it is no basic type's. */
static inline int mpj_basic_of_handle(MPJ_Datatype type)
{
  uintptr_t n = (uintptr_t)type - 0x10;
  return n < MPJ_BASIC_COUNT ? (int)n : -1;
}

#endif
