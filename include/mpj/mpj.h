/* This header is the public interface but for three headers of their own: datatypes,
 * packing, operations, communicators, collectives, requests. The others are <mpj/am.h>, users'
 * active messages; <mpj/array.h>, distributed arrays; and <mpj/mpi.h>, which includes <mpi.h>. */
#ifndef MPJ_MPJ_H
#define MPJ_MPJ_H

#include <mpj/base.h>
#include <mpj/coll.h>
#include <mpj/comm.h>
#include <mpj/datatype.h>
#include <mpj/introspect.h>
#include <mpj/op.h>
#include <mpj/pack.h>
#include <mpj/peers.h>
#include <mpj/request.h>

#endif
