/* This file counts the references to what descriptions hold: part tables and forms, each of
 * which holds descriptions in turn. One that dies lets go of those that it refers
 * to, so types that nest take as many as they are deep: they are put on a list, and die
 * one after another, on a stack that does not grow. */
#include <stdbool.h>

#include "base/memory.h"
#include "types/make/form.h"
#include "types/parts/parts.h"

struct mpj_parts *mpj_parts_retain(struct mpj_parts *parts)
{
  if (parts) mpj_refcount_up(&parts->references);
  return parts;
}

struct mpj_form *mpj_form_retain(struct mpj_form *form)
{
  if (form) mpj_refcount_up(&form->references);
  return form;
}

void mpj_spec_hold(const struct mpj_type_spec *spec)
{
  mpj_layout_retain(spec->map.layout);
  mpj_parts_retain(spec->parts);
  mpj_form_retain(spec->form);
}

struct mpj_type_spec mpj_spec_retain(const struct mpj_type_spec *spec)
{
  mpj_spec_hold(spec);
  return *spec;
}

/* Without references, not destroyed yet. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  struct mpj_parts *parts;
  struct mpj_form *forms;
  bool busy; /* a call of destroy_dead is on the stack */
} dead;

static void destroy_form(struct mpj_form *form)
{
  mpj_spec_release(&form->old);
  mpj_free(form->bucket_lens);
  mpj_free(form->by_length);
  mpj_free(form);
}

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
      destroy_form(form);
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

void mpj_spec_release(struct mpj_type_spec *spec)
{
  mpj_layout_release(spec->map.layout);
  mpj_parts_release(spec->parts);
  mpj_form_release(spec->form);
  spec->map = (struct mpj_piece){NULL, 0};
  spec->parts = NULL;
  spec->form = NULL;
}
