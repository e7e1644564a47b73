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

#include <sys/uio.h>

#include <mpj/base.h>
#include <mpj/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that packing the type's data takes; the type need not be committed. */
MPJ_PUBLIC int MPJ_Pack_size(MPJ_Datatype type, MPJ_Count *bytes);

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

/* The data as segments: dense stretches of memory in stream order, those that
 * adjoin merged, numbered from 0.
 *
 * How many whole segments the first max_bytes bytes of the stream hold (-1: the
 * whole stream), and how many bytes those are. O(1) a batch of segments: equal ones
 * at one stride are one batch. */
MPJ_PUBLIC int MPJ_Type_iov_len(MPJ_Datatype type, MPJ_Count max_bytes, MPJ_Count *nsegments,
                                MPJ_Count *bytes);

/* List the segments from number first_segment on, at most max of them.
 *   buf   base address of the data
 *   iov[max]  set; MPJ_Type_iov lists whole segments
 *   n     set to the number of segments listed; 0 at the end
 * O(1) for each batch of segments before the first and each segment listed. Long
 * lists are taken in parts by MPJ_Type_iov_at, which passes over nothing.
 * Errors: MPJ_ERR_ARG (first_segment or max is negative, first_segment is greater than
 * the number of segments). */
MPJ_PUBLIC int MPJ_Type_iov(const void *buf, MPJ_Datatype type, MPJ_Count first_segment,
                            struct iovec iov[], MPJ_Count max, MPJ_Count *n);

/* The same from byte `offset` of the stream on: the first segment listed begins
 * there, be it inside a stretch or not. To go on, add the listed lengths to offset.
 * O(depth + log blocks), then O(1) a segment.
 * Errors: MPJ_ERR_ARG (offset is outside the stream, max is negative). */
MPJ_PUBLIC int MPJ_Type_iov_at(const void *buf, MPJ_Datatype type, MPJ_Count offset,
                               struct iovec iov[], MPJ_Count max, MPJ_Count *n);

/* Packing for unlike machines, in the format external32 of MPI 4.1, 14.5.2:
 * big-endian, IEEE; characters, C_BOOL and BYTE 1 byte, WCHAR 2, integers by
 * name: SHORT 2, INT and LONG 4, LONG_LONG, AINT and COUNT 8, INT<n> n bits; FLOAT
 * 4, DOUBLE 8, LONG_DOUBLE 16 (binary128); complex twice that. So MPJ_LONG and
 * MPJ_INT64 differ here, though their signatures are one: both sides must use the
 * same types.
 * packed, size and position are as in MPJ_Pack and MPJ_Unpack.
 * Errors: as there; MPJ_ERR_OVERFLOW (a LONG, UNSIGNED_LONG or WCHAR that does
 *   not fit its external size; position unchanged, what was packed undefined);
 *   MPJ_ERR_UNSUPPORTED (LONG_DOUBLE, where it has neither 64 nor 113 bits). */
MPJ_PUBLIC int MPJ_Pack_external_size(MPJ_Datatype type, MPJ_Count *bytes);
MPJ_PUBLIC int MPJ_Pack_external(const void *buf, MPJ_Datatype type, void *packed, MPJ_Count size,
                                 MPJ_Count *position);
MPJ_PUBLIC int MPJ_Unpack_external(const void *packed, MPJ_Count size, MPJ_Count *position,
                                   void *buf, MPJ_Datatype type);

#ifdef __cplusplus
}
#endif
#endif
