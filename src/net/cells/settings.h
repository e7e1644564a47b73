/* This header declares what ranks compare of the configuration variables that all must share. */
#ifndef MPJ_SRC_NET_CELLS_SETTINGS_H
#define MPJ_SRC_NET_CELLS_SETTINGS_H

#include <stddef.h>
#include <stdint.h>

enum { MPJ_SETTINGS = 16, MPJ_SETTINGS_TEXT = 200 };

/* Digest of all of them. */
uint64_t mpj_settings_digest(void);

/* 32 bits of each one's digest: where they differ, so do the variables. */
void mpj_settings_each(uint32_t each[MPJ_SETTINGS]);

/* The variables that `each` shows to differ from this process's, "MPJ_CHECK, MPJ_COLL_BCAST"; the
 * beginnings of all names where it shows none. Returns text. */
const char *mpj_settings_name(const uint32_t each[MPJ_SETTINGS], char text[MPJ_SETTINGS_TEXT]);

#endif
