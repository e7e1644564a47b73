/* This header declares how interposed calls wait. */
#ifndef MPJ_SRC_MPI_INTERPOSE_WAITING_H
#define MPJ_SRC_MPI_INTERPOSE_WAITING_H

#include <stdbool.h>

/* Once, at the beginning: what the next two say. */
void wait_how(bool yields, bool many);

/* Whether this node has more ranks than cores, so that waiting must give way. */
bool wait_yields(void);

/* Whether the program's threads may call MPI at the same time. */
bool threads_many(void);

/* The program starts a send, from now on. in_turns: what must_take_turns says then. */
void mpi_sends_now(bool in_turns);

/* Whether the program has started a send that may still need this rank: served calls then let
 * MPI progress while they wait. */
bool mpi_may_send(void);

/* Whether a blocking call may not wait within MPJ: it would keep another thread of the program out,
 * or MPI from progressing. */
bool must_take_turns(void);

/* A served call has ended: MPI has not progressed in it as in one of its own, so its next "no" is
 * asked again. */
void mpi_is_behind(void);

/* Whether a call that said "no" is to be made again; `looks` counts from 0. MPI's progress has
 * no answer of its own: after so many looks in a row nothing new comes from messages that
 * had been sent before the served call (a look takes what is there of each sender). */
bool must_look_again(int *looks);

/* requests.c: such looks at MPI where it is behind, for a call that makes none: what has left gives
 * back its room in an attached buffer. */
void let_mpi_catch_up(void);

/* requests.c: between two looks, MPJ progresses, and others get the processor where it is short. */
void wait_a_little(void);

#endif
