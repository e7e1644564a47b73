/* This header declares attributes: values that a program hangs on a handle (of a
 * datatype, of a communicator) under keys of its own, with callbacks for when
 * they are copied and deleted.
 *
 * A key is of one kind of handle and of no other. It lives until it is freed and
 * no attribute uses it; its number is never used again. Callbacks are called with
 * no lock held. Threads: keys, any; attributes, one at a time for one handle. */
#ifndef MPJ_SRC_BASE_ATTRIBUTES_H
#define MPJ_SRC_BASE_ATTRIBUTES_H

#include <stddef.h>

struct mpj_attribute;

/* A callback of whatever type its kind of handle gives it; and how to call one. */
typedef void mpj_attribute_fn(void);
struct mpj_attribute_kind {
  const char *name; /* of the handle, as an argument */
  int (*copy)(mpj_attribute_fn *fn, void *handle, int key, void *extra_state, void *value_in,
              void **value_out, int *flag);
  int (*remove)(mpj_attribute_fn *fn, void *handle, int key, void *value, void *extra_state);
};

/* Make a key; copy and remove may be NULL: not copied, nothing to do. *key is set on
 * success. Errors: MPJ_ERR_ARG (key is NULL), MPJ_ERR_NO_MEM. */
int mpj_attribute_key_create(const struct mpj_attribute_kind *kind, mpj_attribute_fn *copy,
                             mpj_attribute_fn *remove, void *extra_state, int *key);
/* Give a key up, and set *key to 0. Errors: MPJ_ERR_ARG (no such key). */
int mpj_attribute_key_free(const struct mpj_attribute_kind *kind, int *key);

/* The attributes of a handle, an owned list with the last set first.
 *   list    its head; NULL: none
 *   handle  what callbacks are given
 * set replaces, get sets *value only with *flag = 1. Errors: MPJ_ERR_ARG (no such key;
 * nothing to delete; NULL), MPJ_ERR_NO_MEM, what a callback returned. */
int mpj_attribute_set(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                      void *handle, int key, void *value);
int mpj_attribute_get(const struct mpj_attribute_kind *kind, struct mpj_attribute *const *list,
                      int key, void **value, int *flag);
int mpj_attribute_delete(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                         void *handle, int key);

/* Copy to an empty list what the callbacks of `from` want, the first set first. On
 * failure `to` has what was copied before. */
int mpj_attributes_copy(const struct mpj_attribute_kind *kind, struct mpj_attribute *from,
                        void *from_handle, struct mpj_attribute **to);

/* Delete all, the last set first. If a callback fails, its attribute and those set
 * before it stay. */
int mpj_attributes_clear(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                         void *handle);

/* Bytes that a list takes of the heap, keys and values apart. */
size_t mpj_attributes_bytes(const struct mpj_attribute *list);

/* Drop all without a word to anybody. */
void mpj_attributes_drop(struct mpj_attribute **list);

#endif
