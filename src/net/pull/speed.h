/* This header declares what an endpoint learns of its movers' speed from the pulls that they carry.
 *
 * How fast one core's stores reach another differs by a factor of ten with where the two are: on
 * one cache, on two, in two packages; and on a virtual machine it changes while a program runs. So
 * what is better, pieces through the caches or straight copies, is measured where it matters: in
 * this process, by size and by kind of pull. The other one is tried again now and then, the more
 * seldom the slower it was: r times as slow, after 32 r^2 pulls, so that trying costs a percent or
 * two.
 *
 * Choices are the receiver's alone and change no result. */
#ifndef MPJ_SRC_NET_PULL_SPEED_H
#define MPJ_SRC_NET_PULL_SPEED_H

#include <stdbool.h>
#include <stdint.h>

enum { MPJ_SPEED_KINDS = 4, MPJ_SPEED_SIZES = 16 };

struct mpj_speed {
  uint32_t ps[2]; /* picoseconds a byte, of both; 0: not tried yet */
  uint32_t begun; /* pulls so far, up to those that try both in turn */
  uint32_t since; /* pulls since the slower one was tried */
};

struct mpj_speeds {
  struct mpj_speed of[MPJ_SPEED_KINDS][MPJ_SPEED_SIZES];
};

/* The speeds of pulls of one kind with about that many bytes; at first those of fewer bytes. */
struct mpj_speed *mpj_speed_of(struct mpj_speeds *s, unsigned kind, int64_t bytes);

/* Which of the two the next pull is to take: 0 or 1. */
unsigned mpj_speed_choose(struct mpj_speed *s);

/* A pull has taken so long. The first ones meet cold caches and pages: of them the least counts;
 * then an estimate follows by a quarter of the difference, at most one of its own size up, since a
 * pull that has met a late source says little. */
void mpj_speed_note(struct mpj_speed *s, unsigned which, int64_t bytes, int64_t ns);

#endif
