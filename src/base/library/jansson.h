/* This header declares jansson, which reads and writes JSON, loaded when a file is first read.
 * Its calls are written as ever once mpj_jansson_load has been successful; json_decref is not
 * among them: json_delete ends what has one reference. */
#ifndef MPJ_SRC_BASE_LIBRARY_JANSSON_H
#define MPJ_SRC_BASE_LIBRARY_JANSSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/library/library.h"

#define MPJ_JANSSON_CALLS(X)                                                                       \
  X(json_loads)                                                                                    \
  X(json_dumps)                                                                                    \
  X(json_delete)                                                                                   \
  X(json_pack)                                                                                     \
  X(json_object_get)                                                                               \
  X(json_object_iter)                                                                              \
  X(json_object_iter_key)                                                                          \
  X(json_object_iter_value)                                                                        \
  X(json_object_iter_next)                                                                         \
  X(json_object_key_to_iter)                                                                       \
  X(json_array_size)                                                                               \
  X(json_array_get)                                                                                \
  X(json_integer_value)                                                                            \
  X(json_number_value)                                                                             \
  X(json_string_value)

struct mpj_jansson {
  MPJ_JANSSON_CALLS(MPJ_LIBRARY_POINTER)
};
extern struct mpj_jansson mpj_jansson;

/* Whether the calls are there, loaded once for the process; else why[size] says why not. */
bool mpj_jansson_load(char *why, size_t size);

#define json_loads mpj_jansson.json_loads
#define json_dumps mpj_jansson.json_dumps
#define json_delete mpj_jansson.json_delete
#define json_pack mpj_jansson.json_pack
#define json_object_get mpj_jansson.json_object_get
#define json_object_iter mpj_jansson.json_object_iter
#define json_object_iter_key mpj_jansson.json_object_iter_key
#define json_object_iter_value mpj_jansson.json_object_iter_value
#define json_object_iter_next mpj_jansson.json_object_iter_next
#define json_object_key_to_iter mpj_jansson.json_object_key_to_iter
#define json_array_size mpj_jansson.json_array_size
#define json_array_get mpj_jansson.json_array_get
#define json_integer_value mpj_jansson.json_integer_value
#define json_number_value mpj_jansson.json_number_value
#define json_string_value mpj_jansson.json_string_value

#endif
