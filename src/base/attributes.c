/* This file keeps attributes and their keys. */
#include "base/attributes.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/entry.h"
#include "base/memory.h"
#include "base/status.h"

struct key {
  struct key *next; /* in the list of all keys */
  const struct mpj_attribute_kind *kind;
  int number;
  long references; /* attributes, and one until it is freed */
  bool freed;
  mpj_attribute_fn *copy, *remove;
  void *extra_state;
};

struct mpj_attribute {
  struct mpj_attribute *next;
  struct key *key; /* counted */
  void *value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list and its counts */
static struct key *keys;
static int last_number;

/* The key of this number with one more reference, or NULL. */
static struct key *find_key(const struct mpj_attribute_kind *kind, int number)
{
  pthread_mutex_lock(&lock);
  struct key *key = keys;
  while (key && (key->number != number || key->freed || key->kind != kind))
    key = key->next;
  if (key) key->references++;
  pthread_mutex_unlock(&lock);
  return key;
}

static void unlink_key(struct key *key)
{
  struct key **at = &keys;
  while (*at != key)
    at = &(*at)->next;
  *at = key->next;
}

static void release_key(struct key *key)
{
  pthread_mutex_lock(&lock);
  const bool last = --key->references == 0;
  if (last) unlink_key(key);
  pthread_mutex_unlock(&lock);
  if (last) mpj_free(key);
}

static void retain_key(struct key *key)
{
  pthread_mutex_lock(&lock);
  key->references++;
  pthread_mutex_unlock(&lock);
}

static int no_key(int number)
{
  return mpj_error(MPJ_ERR_ARG, "keyval is %d, which is no key or was freed", number);
}

int mpj_attribute_key_create(const struct mpj_attribute_kind *kind, mpj_attribute_fn *copy,
                             mpj_attribute_fn *remove, void *extra_state, int *number)
{
  if (!number) return mpj_error(MPJ_ERR_ARG, "keyval is NULL");
  struct key *key = mpj_alloc_array(1, sizeof *key);
  if (!key)
    return mpj_error(MPJ_ERR_NO_MEM, "key of %zu bytes could not be allocated", sizeof *key);
  key->references = 1;
  key->kind = kind;
  key->copy = copy;
  key->remove = remove;
  key->extra_state = extra_state;
  pthread_mutex_lock(&lock);
  key->number = ++last_number;
  key->next = keys;
  keys = key;
  pthread_mutex_unlock(&lock);
  *number = key->number;
  return MPJ_SUCCESS;
}

int mpj_attribute_key_free(const struct mpj_attribute_kind *kind, int *number)
{
  if (!number) return mpj_error(MPJ_ERR_ARG, "keyval is NULL");
  struct key *key = find_key(kind, *number);
  if (!key) return no_key(*number);
  pthread_mutex_lock(&lock);
  const bool first = !key->freed;
  key->freed = true;
  pthread_mutex_unlock(&lock);
  release_key(key);
  if (!first) return no_key(*number);
  release_key(key);
  *number = 0;
  return MPJ_SUCCESS;
}

/* Where the list has the attribute of this number, or NULL. */
static struct mpj_attribute **find(struct mpj_attribute **list, int number)
{
  while (*list && (*list)->key->number != number)
    list = &(*list)->next;
  return *list ? list : NULL;
}

static int callback_failed(const char *what, int number, int status)
{
  return mpj_error(status, "keyval %d: its %s callback returned %d", number, what, status);
}

/* Call the delete callback, then take the attribute out. */
static int delete_one(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                      void *handle, struct mpj_attribute *gone)
{
  struct key *key = gone->key;
  const int number = key->number;
  int status = MPJ_SUCCESS;
  if (key->remove) {
    const struct mpj_entry entered = mpj_entry_suspend();
    status = kind->remove(key->remove, handle, number, gone->value, key->extra_state);
    mpj_entry_resume(&entered);
  }
  if (status) return callback_failed("delete", number, status);
  struct mpj_attribute **at = find(list, number); /* the callback may have changed the list */
  if (!at || *at != gone) return MPJ_SUCCESS;
  *at = gone->next;
  mpj_free(gone);
  release_key(key);
  return MPJ_SUCCESS;
}

/* Put a new attribute first in the list; takes over the reference to key. */
static int add(struct mpj_attribute **list, struct key *key, void *value)
{
  struct mpj_attribute *made = mpj_alloc_array(1, sizeof *made);
  if (!made) {
    release_key(key);
    return mpj_error(MPJ_ERR_NO_MEM, "attribute could not be allocated");
  }
  *made = (struct mpj_attribute){*list, key, value};
  *list = made;
  return MPJ_SUCCESS;
}

int mpj_attribute_set(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                      void *handle, int number, void *value)
{
  struct key *key = find_key(kind, number);
  if (!key) return no_key(number);
  struct mpj_attribute **old = find(list, number);
  const int status = old ? delete_one(kind, list, handle, *old) : MPJ_SUCCESS;
  if (!status) return add(list, key, value);
  release_key(key);
  return status;
}

int mpj_attribute_get(const struct mpj_attribute_kind *kind, struct mpj_attribute *const *list,
                      int number, void **value, int *flag)
{
  struct key *key = find_key(kind, number);
  if (!key) return no_key(number);
  release_key(key);
  const struct mpj_attribute *at = *list;
  while (at && at->key->number != number)
    at = at->next;
  *flag = at != NULL;
  if (at) *value = at->value;
  return MPJ_SUCCESS;
}

int mpj_attribute_delete(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                         void *handle, int number)
{
  struct mpj_attribute **at = find(list, number);
  if (at) return delete_one(kind, list, handle, *at);
  return mpj_error(MPJ_ERR_ARG, "keyval is %d, under which %s has nothing", number, kind->name);
}

/* Recursion: one level an attribute. */
int mpj_attributes_copy(const struct mpj_attribute_kind *kind, struct mpj_attribute *from,
                        void *from_handle, struct mpj_attribute **to)
{
  void *value = NULL;
  int flag = 0;
  if (!from) return MPJ_SUCCESS;
  int status = mpj_attributes_copy(kind, from->next, from_handle, to);
  struct key *key = from->key;
  if (status || !key->copy) return status;
  const struct mpj_entry entered = mpj_entry_suspend();
  status =
      kind->copy(key->copy, from_handle, key->number, key->extra_state, from->value, &value, &flag);
  mpj_entry_resume(&entered);
  if (status) return callback_failed("copy", key->number, status);
  if (!flag) return MPJ_SUCCESS;
  retain_key(key);
  return add(to, key, value);
}

int mpj_attributes_clear(const struct mpj_attribute_kind *kind, struct mpj_attribute **list,
                         void *handle)
{
  int status = MPJ_SUCCESS;
  while (*list && !status)
    status = delete_one(kind, list, handle, *list);
  return status;
}

void mpj_attributes_drop(struct mpj_attribute **list)
{
  while (*list) {
    struct mpj_attribute *gone = *list;
    *list = gone->next;
    release_key(gone->key);
    mpj_free(gone);
  }
}

size_t mpj_attributes_bytes(const struct mpj_attribute *list)
{
  size_t bytes = 0;
  for (; list; list = list->next)
    bytes += mpj_memory_size(list);
  return bytes;
}
