/* This header is the whole public interface: datatypes, packing, collectives. */
#ifndef MPJ_MPJ_H
#define MPJ_MPJ_H

#include <mpj/base.h>
#include <mpj/coll.h>
#include <mpj/datatype.h>
#include <mpj/introspect.h>
#include <mpj/pack.h>

#endif
