/* This file feeds text to MPJ_Type_parse; what is parsed must hold its invariants
 * and survive printing. */
#include <string.h>

#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "types/basic.h"
#include "types/type.h"

static void release(MPJ_Datatype type)
{
  if (mpj_basic_of_handle(type) < 0) must_hold(MPJ_Type_free(&type) == MPJ_SUCCESS, "free");
}

static char *print(MPJ_Datatype type)
{
  MPJ_Count length;
  must_hold(MPJ_Type_print(type, NULL, 0, &length) == MPJ_SUCCESS, "length");
  char *text = malloc((size_t)length + 1);
  must_hold(text != NULL, "memory");
  must_hold(MPJ_Type_print(type, text, length + 1, &length) == MPJ_SUCCESS, "print");
  return text;
}

/* The check visits shared subtrees each time it meets them. */
static int may_check(const struct mpj_type *t)
{
  return t->map.layout->depth < 6 && t->parts->count < 256;
}

static void use(MPJ_Datatype type)
{
  struct mpj_type *t;
  MPJ_Datatype again;
  int same;
  must_hold(mpj_type_resolve(type, "type", &t) == MPJ_SUCCESS, "handle");
  if (may_check(t)) must_hold(mpj_type_check(t), "invariants");
  char *text = print(type);
  must_hold(MPJ_Type_parse(text, &again) == MPJ_SUCCESS, text);
  must_hold(MPJ_Type_match(type, again, NULL, &same) == MPJ_SUCCESS && same, "same map");
  char *second = print(again);
  must_hold(strcmp(text, second) == 0, "same text");
  free(second);
  free(text);
  release(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  MPJ_Datatype type;
  const long before = mpj_memory_outstanding();
  char *text = malloc(size + 1);
  must_hold(text != NULL, "memory");
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  if (!asks_for_much(text) && MPJ_Type_parse(text, &type) == MPJ_SUCCESS) {
    use(type);
    release(type);
  }
  free(text);
  must_hold(mpj_memory_outstanding() == before && mpj_type_live() == 0, "leak");
  return 0;
}
