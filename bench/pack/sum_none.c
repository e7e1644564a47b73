/* This file stands in for unpack-and-add where a worker sees only MPJ's public
 * calls, which have none. */
#include "shim.h"

#include <stdio.h>
#include <stdlib.h>

const bool pack_has_sum = false;

void pack_unpack_sum(const void *packed, size_t bytes, void *mem, pack_type type)
{
  (void)packed;
  (void)bytes;
  (void)mem;
  (void)type;
  fprintf(stderr, "mpj: there is no public call that unpacks and adds\n");
  exit(1);
}
