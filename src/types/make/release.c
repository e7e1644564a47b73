/* This file releases part tables and forms. One that dies lets go of those that it refers
 * to, so types that nest take as many as they are deep: they are put on a list, and die
 * one after another, on a stack that does not grow. */
#include <stdbool.h>

#include "types/make/form.h"
#include "types/parts/parts.h"

/* Without references, not destroyed yet. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  struct mpj_parts *parts;
  struct mpj_form *forms;
  bool busy; /* a call of destroy_dead is on the stack */
} dead;

static void destroy_dead(void)
{
  if (dead.busy) return;
  dead.busy = true;
  while (dead.parts || dead.forms) {
    struct mpj_parts *parts = dead.parts;
    struct mpj_form *form = dead.forms;
    if (parts) {
      dead.parts = parts->released;
      parts->ops->destroy(parts);
    } else {
      dead.forms = form->released;
      mpj_form_destroy(form);
    }
  }
  dead.busy = false;
}

void mpj_parts_release(struct mpj_parts *parts)
{
  if (!parts || mpj_refcount_down(&parts->references) != 1) return;
  parts->released = dead.parts;
  dead.parts = parts;
  destroy_dead();
}

void mpj_form_release(struct mpj_form *form)
{
  if (!form || mpj_refcount_down(&form->references) != 1) return;
  form->released = dead.forms;
  dead.forms = form;
  destroy_dead();
}
