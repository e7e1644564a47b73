/* This header declares the files that are written: opened before anything runs, so that a path that
 * cannot be written to is known at once. What is wrong is said on stderr. */
#ifndef MPJ_TOOLS_MPJ_SIM_FILES_H
#define MPJ_TOOLS_MPJ_SIM_FILES_H

#include <stdbool.h>
#include <stdio.h>

struct file {
  const char *option, *path; /* NULL: there is none; borrowed */
  FILE *f;                   /* NULL, too, where it could not be opened, or has been closed */
};

/* Open the files of n options; false: one cannot be, and none is open. */
bool files_open(struct file files[], int n);
/* Close them; false: something of one has not been written. */
bool files_close(struct file files[], int n);

#endif
