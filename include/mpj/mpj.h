/* This header is the whole public interface: datatypes, packing,
 * operations, communicators, collectives, requests. */
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
