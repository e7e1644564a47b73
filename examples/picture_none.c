/* This file stands in for the picture where cairo is missing. */
#include <stdio.h>

#include "picture.h"

const bool picture_available = false;

int picture_write(const char *path, const struct npy *m, const uint16_t *owners, int nranks,
                  const char *title, char why[NPY_WHY])
{
  (void)path;
  (void)m;
  (void)owners;
  (void)nranks;
  (void)title;
  snprintf(why, NPY_WHY, "this program was built without cairo");
  return -1;
}
