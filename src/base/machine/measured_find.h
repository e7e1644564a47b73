/* This header declares how the file of a machine is found and read. */
#ifndef MPJ_SRC_BASE_MACHINE_MEASURED_FIND_H
#define MPJ_SRC_BASE_MACHINE_MEASURED_FIND_H

#include "base/machine/measured.h"

void mpj_machine_key(struct mpj_machine_key *key);

/* 32 bits that stand for a key, in a file's name and in its member "ready". */
uint32_t mpj_machine_digest(const struct mpj_machine_key *key);

/* Whether a file's text begins with a member "ready" for such a machine that belongs to the rest of
 * the text: then that is what the rest says. False, *m unspecified: the rest is to be parsed. */
bool mpj_measured_ready(const char *text, uint32_t key, struct mpj_measured *m, int64_t *made);

/* A file's text with that member before the others: *m and `made` are what mpj_measured_parse read
 * in `text`, which is an object of JSON and not empty. The caller's (mpj_free); NULL: no memory. */
char *mpj_measured_make_ready(const char *text, uint32_t key, const struct mpj_measured *m,
                              int64_t made);

/* The user's file for such a machine: in $XDG_CACHE_HOME/mpj or $HOME/.cache/mpj. False: neither
 * is set. */
bool mpj_machine_path(const struct mpj_machine_key *key, char path[PATH_MAX]);

/* From MPJ_MACHINE_FILE, else the user's file, else /etc/mpj/machine.json, else defaults. */
void mpj_measured_find(struct mpj_measured *m, struct mpj_measured_source *source);

/* How far apart the CPUs are that this thread may use; all of the machine, if that is one alone. */
enum mpj_placement mpj_machine_placement(void);

/* By the CPUs that this thread may use: where each rank has a core of its own, rows[0], and where
 * they share cores, rows[1]. In the latter two ranks may be on one core or on two, so both must
 * have been faster. */
void mpj_measured_rows(const struct mpj_measured *m, struct mpj_measured_row rows[2]);

/* What is likely where nothing has been measured, on a processor of `vendor`. */
void mpj_measured_guess(struct mpj_measured *m, const char *vendor);

#endif
