/* This header declares packing: moving data between a layout and a dense
 * stream, or straight from one layout to another, within one address space.
 *
 * The packed stream is the type map's bytes in type map order, nothing added.
 * Types must be committed (MPJ_ERR_TYPE). A NULL base is legal where the
 * type's displacements are absolute (MPJ_BOTTOM) or it has no data, else
 * MPJ_ERR_ARG.
 * Threads: any; the caller keeps buffers from changing meanwhile. */
#ifndef MPJ_PACK_H
#define MPJ_PACK_H

#include <mpj/base.h>
#include <mpj/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Append the whole of buf to packed[*position..size) and advance *position.
 * Errors: MPJ_ERR_TRUNCATE (it does not fit; nothing written), MPJ_ERR_ARG. */
MPJ_PUBLIC int MPJ_Pack(const void *buf, MPJ_Datatype type, void *packed, MPJ_Count size,
                        MPJ_Count *position);

/* The reverse. MPJ_ERR_TRUNCATE: packed[*position..size) is too short; buf is
 * untouched. */
MPJ_PUBLIC int MPJ_Unpack(const void *packed, MPJ_Count size, MPJ_Count *position, void *buf,
                          MPJ_Datatype type);

/* Bytes [offset, offset + bytes) of the packed stream, which may begin and end
 * inside a basic element.
 * Errors: MPJ_ERR_ARG (the range is not within the type's size). */
MPJ_PUBLIC int MPJ_Pack_range(const void *buf, MPJ_Datatype type, MPJ_Count offset, void *packed,
                              MPJ_Count bytes);
MPJ_PUBLIC int MPJ_Unpack_range(const void *packed, MPJ_Count bytes, void *buf, MPJ_Datatype type,
                                MPJ_Count offset);

/* Copy src to dst, element by element in type map order, with no buffer
 * between. The two may not overlap.
 * Errors: MPJ_ERR_SIGNATURE (the types' signatures differ; dst untouched). */
MPJ_PUBLIC int MPJ_Copy(const void *src, MPJ_Datatype srctype, void *dst, MPJ_Datatype dsttype);

#ifdef __cplusplus
}
#endif
#endif
