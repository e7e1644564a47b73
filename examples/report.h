/* This header declares what matrix_gather tells of its work. All functions
 * return 0, or -1 after printing this rank's error. */
#ifndef EXAMPLES_REPORT_H
#define EXAMPLES_REPORT_H

#include "rank.h"

/* All ranks together: root prints the table of times. */
int report_times(struct rank *r);

/* All ranks together: root draws the result and who owns what. */
int report_picture(struct rank *r);

/* Root alone: compute serially, in r->matrix, and compare every element of the
 * result with it; -1 if one differs. */
int report_check(struct rank *r);

/* Root alone: write the result's file. */
int report_result(struct rank *r);

#endif
