/* This header declares random programs of calls on several communicators in which one rank goes
 * astray once (astray.c), and what is true of them. */
#ifndef MPJ_TESTS_COLL_ASTRAY_PROGRAM_H
#define MPJ_TESTS_COLL_ASTRAY_PROGRAM_H

#include "coll/items.h"

enum { ASTRAY_CALLS = 200, ASTRAY_COMMS = 3, ASTRAY_SENTENCE = 400 };
enum fault { LEFT_OUT, SWAPPED, OTHER_ROOT, FAULTS };

struct call {
  struct item item;
  enum item_form form;
  int comm;       /* index */
  int number;     /* of this rank's operation on its communicator; -1: it does not call it */
  int start_at;   /* position; of a persistent one */
  int wait_at;    /* position, this rank's own */
  bool under_way; /* to be waited for */
};

struct program {
  struct run run;
  struct mpj_random own;
  struct place places[ASTRAY_COMMS];
  int ncalls;
  struct call calls[ASTRAY_CALLS]; /* [ncalls] */
  int order[ASTRAY_CALLS];         /* in which this rank calls them */
  enum fault fault;
  int at, strayed; /* position of the fault, index of its communicator */
  int odd;         /* rank of it that goes astray */
  int root;        /* of the call, on the others */
  bool frees;      /* communicators before MPJ_Finalize */
  int first;       /* number of the first operation there that differs */
  char told[ASTRAY_SENTENCE];
};

/* A line on stderr; returns 1. */
int astray_complain(const struct program *p, const char *what);

/* Make the communicators, and plan the calls and the fault from p->run.seed: alike on all ranks but
 * for the places of waits, and for what the odd rank does differently. 0, or 1 after a line. */
int astray_plan(struct program *p);

/* Whether this rank is a member of the call's communicator. */
bool astray_is_there(const struct program *p, const struct call *c);

/* Whether a sentence names an operation and two ranks that differ there, as it says. */
bool astray_is_true(const struct program *p, const char *sentence);

/* Whether the operation that a sentence numbers, if it does, can be one that differs. */
bool astray_fits(const struct program *p, const char *sentence);

#endif
