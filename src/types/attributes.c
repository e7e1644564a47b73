/* This file keeps the attributes of datatypes: values that a program hangs on a
 * handle under keys of its own, with callbacks for when they are copied and
 * deleted. Callbacks are called with no lock held. */
#include <pthread.h>

#include "base/memory.h"
#include "base/status.h"
#include "types/annex.h"
#include "types/basic.h"
#include "types/build.h"

/* A key. It lives until it is freed and no attribute uses it; its number is never
 * used again. */
struct key {
  struct key *next; /* in the list of all keys */
  int number;
  long references; /* attributes, and one until it is freed */
  bool freed;
  MPJ_Type_copy_attr_fn copy;
  MPJ_Type_delete_attr_fn delete;
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
static struct key *find_key(int number)
{
  pthread_mutex_lock(&lock);
  struct key *key = keys;
  while (key && (key->number != number || key->freed))
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

int MPJ_Type_create_keyval(MPJ_Type_copy_attr_fn copy, MPJ_Type_delete_attr_fn delete, int *keyval,
                           void *extra_state)
{
  int status = mpj_build_need(keyval, "keyval");
  if (status) return status;
  struct key *key = mpj_alloc_array(1, sizeof *key);
  if (!key)
    return mpj_error(MPJ_ERR_NO_MEM, "key of %zu bytes could not be allocated", sizeof *key);
  key->references = 1;
  key->copy = copy;
  key->delete = delete;
  key->extra_state = extra_state;
  pthread_mutex_lock(&lock);
  key->number = ++last_number;
  key->next = keys;
  keys = key;
  pthread_mutex_unlock(&lock);
  *keyval = key->number;
  return MPJ_SUCCESS;
}

int MPJ_Type_free_keyval(int *keyval)
{
  int status = mpj_build_need(keyval, "keyval");
  if (status) return status;
  struct key *key = find_key(*keyval);
  if (!key) return no_key(*keyval);
  pthread_mutex_lock(&lock);
  const bool first = !key->freed;
  key->freed = true;
  pthread_mutex_unlock(&lock);
  release_key(key);
  if (!first) return no_key(*keyval);
  release_key(key);
  *keyval = MPJ_KEYVAL_INVALID;
  return MPJ_SUCCESS;
}

/* Where the list of type has the attribute of this number, or NULL. */
static struct mpj_attribute **find_attribute(struct mpj_type *type, int number)
{
  struct mpj_attribute **at = type->annex ? &type->annex->attributes : NULL;
  while (at && *at && (*at)->key->number != number)
    at = &(*at)->next;
  return at && *at ? at : NULL;
}

static int callback_failed(const char *what, int number, int status)
{
  return mpj_error(status, "keyval %d: its %s callback returned %d", number, what, status);
}

/* Call the delete callback, then take the attribute out. */
static int delete_attribute(struct mpj_type *type, struct mpj_attribute **at)
{
  struct mpj_attribute *gone = *at;
  struct key *key = gone->key;
  const int number = key->number;
  const int status = key->delete ? key->delete (type, number, gone->value, key->extra_state) : 0;
  if (status) return callback_failed("delete", number, status);
  at = find_attribute(type, number); /* the callback may have changed the list */
  if (!at || *at != gone) return MPJ_SUCCESS;
  *at = gone->next;
  mpj_free(gone);
  release_key(key);
  return MPJ_SUCCESS;
}

/* Put a new attribute first in the list; takes over the reference to key. */
static int add_attribute(struct mpj_type *type, struct key *key, void *value)
{
  struct mpj_annex *annex = NULL;
  struct mpj_attribute *made = mpj_alloc_array(1, sizeof *made);
  int status = made ? mpj_annex_need(type, &annex)
                    : mpj_error(MPJ_ERR_NO_MEM, "attribute could not be allocated");
  if (status) {
    mpj_free(made);
    release_key(key);
    return status;
  }
  *made = (struct mpj_attribute){annex->attributes, key, value};
  annex->attributes = made;
  return MPJ_SUCCESS;
}

static int resolve(MPJ_Datatype type, struct mpj_type **t)
{
  int status = mpj_type_resolve(type, "type", t);
  if (status || (*t)->basic < 0) return status;
  return mpj_error(MPJ_ERR_TYPE, "type is %s, a basic type, which has no attributes",
                   mpj_basics[(*t)->basic].name);
}

int MPJ_Type_set_attr(MPJ_Datatype type, int keyval, void *value)
{
  struct mpj_type *t;
  int status = resolve(type, &t);
  if (status) return status;
  struct key *key = find_key(keyval);
  if (!key) return no_key(keyval);
  struct mpj_attribute **old = find_attribute(t, keyval);
  if (old) status = delete_attribute(t, old);
  if (!status) return add_attribute(t, key, value);
  release_key(key);
  return status;
}

int MPJ_Type_get_attr(MPJ_Datatype type, int keyval, void **value, int *flag)
{
  struct mpj_type *t;
  int status = mpj_build_need(value, "value");
  if (!status) status = mpj_build_need(flag, "flag");
  if (!status) status = resolve(type, &t);
  if (status) return status;
  struct key *key = find_key(keyval);
  if (!key) return no_key(keyval);
  release_key(key);
  struct mpj_attribute **at = find_attribute(t, keyval);
  *flag = at != NULL;
  if (at) *value = (*at)->value;
  return MPJ_SUCCESS;
}

int MPJ_Type_delete_attr(MPJ_Datatype type, int keyval)
{
  struct mpj_type *t;
  int status = resolve(type, &t);
  if (status) return status;
  struct mpj_attribute **at = find_attribute(t, keyval);
  if (!at) return mpj_error(MPJ_ERR_ARG, "keyval is %d, under which type has nothing", keyval);
  return delete_attribute(t, at);
}

/* The first set is copied first. Recursion: one level an attribute. */
static int copy_from(struct mpj_type *from, const struct mpj_attribute *attribute,
                     struct mpj_type *to)
{
  void *value = NULL;
  int flag = 0;
  if (!attribute) return MPJ_SUCCESS;
  int status = copy_from(from, attribute->next, to);
  struct key *key = attribute->key;
  if (status || !key->copy) return status;
  status = key->copy(from, key->number, key->extra_state, attribute->value, &value, &flag);
  if (status) return callback_failed("copy", key->number, status);
  if (!flag) return MPJ_SUCCESS;
  retain_key(key);
  return add_attribute(to, key, value);
}

int mpj_annex_copy(struct mpj_type *from, struct mpj_type *to)
{
  if (!from->annex) return MPJ_SUCCESS;
  int status = copy_from(from, from->annex->attributes, to);
  if (status) mpj_annex_clear(to);
  return status;
}

int mpj_annex_clear(struct mpj_type *type)
{
  int status = MPJ_SUCCESS;
  if (!type->annex) return MPJ_SUCCESS;
  while (type->annex->attributes && !status)
    status = delete_attribute(type, &type->annex->attributes);
  if (status) return status;
  mpj_free(type->annex->name);
  mpj_free(type->annex);
  type->annex = NULL;
  return MPJ_SUCCESS;
}

int MPJ_Type_dup_attr(MPJ_Datatype oldtype, int keyval, void *extra_state, void *value_in,
                      void **value_out, int *flag)
{
  (void)oldtype;
  (void)keyval;
  (void)extra_state;
  *value_out = value_in;
  *flag = 1;
  return MPJ_SUCCESS;
}
