/* This file lets the packing benchmark drive MPJ. */
#include "shim.h"

#include <mpj/mpj.h>

#include <stdio.h>
#include <stdlib.h>

enum { TYPES_MOST = 64 };

const char pack_engine[] = "mpj";
const bool pack_has_ranges = true;

static MPJ_Datatype made[TYPES_MOST];
static int nmade;

void pack_engine_start(void)
{
}

void pack_engine_stop(void)
{
}

static void must(int status, const char *call)
{
  if (status == MPJ_SUCCESS) return;
  fprintf(stderr, "mpj: %s: %s: %s\n", call, MPJ_Error_string(status), MPJ_Error_detail());
  exit(1);
}

static MPJ_Datatype of(pack_type type)
{
  return (MPJ_Datatype)type;
}

static pack_type keep(int status, const char *call, MPJ_Datatype type)
{
  must(status, call);
  if (nmade == TYPES_MOST) must(MPJ_ERR_NO_MEM, call);
  made[nmade++] = type;
  return (pack_type)type;
}

pack_type pack_float(void)
{
  return (pack_type)MPJ_FLOAT;
}

pack_type pack_double(void)
{
  return (pack_type)MPJ_DOUBLE;
}

pack_type pack_int(void)
{
  return (pack_type)MPJ_INT;
}

pack_type pack_contiguous(long count, pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_contiguous(count, of(old), &new);
  return keep(status, "contiguous", new);
}

pack_type pack_vector(long count, long blocklen, long stride, pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_vector(count, blocklen, stride, of(old), &new);
  return keep(status, "vector", new);
}

pack_type pack_hvector(long count, long blocklen, ptrdiff_t stride_bytes, pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_create_hvector(count, blocklen, stride_bytes, of(old), &new);
  return keep(status, "hvector", new);
}

/* *wide := a copy of x[n] in 64 bits. */
static MPJ_Count *widened(const int x[], long n)
{
  MPJ_Count *wide = malloc((size_t)n * sizeof *wide);
  if (!wide) must(MPJ_ERR_NO_MEM, "widening an array");
  for (long i = 0; i < n; i++)
    wide[i] = x[i];
  return wide;
}

pack_type pack_indexed(long count, long blocklen, const int displs[], pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  MPJ_Count *places = widened(displs, count);
  int status = MPJ_Type_create_indexed_block(count, blocklen, places, of(old), &new);
  free(places);
  return keep(status, "indexed_block", new);
}

pack_type pack_indexed_each(long count, const int blocklens[], const int displs[], pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  MPJ_Count *places = widened(displs, count), *lengths = widened(blocklens, count);
  int status = MPJ_Type_indexed(count, lengths, places, of(old), &new);
  free(lengths);
  free(places);
  return keep(status, "indexed", new);
}

pack_type pack_struct(int count, const int blocklens[], const ptrdiff_t displs_bytes[],
                      const pack_type types[])
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL, *members = malloc((size_t)count * sizeof *members);
  if (!members) must(MPJ_ERR_NO_MEM, "struct");
  MPJ_Count *lengths = widened(blocklens, count);
  for (int i = 0; i < count; i++)
    members[i] = of(types[i]);
  int status = MPJ_Type_create_struct(count, lengths, displs_bytes, members, &new);
  free(lengths);
  free(members);
  return keep(status, "struct", new);
}

pack_type pack_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                        pack_type old)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  MPJ_Count *whole = widened(sizes, ndims), *box = widened(subsizes, ndims),
            *corner = widened(starts, ndims);
  int status = MPJ_Type_create_subarray(ndims, whole, box, corner, MPJ_ORDER_C, of(old), &new);
  free(corner);
  free(box);
  free(whole);
  return keep(status, "subarray", new);
}

pack_type pack_resized(pack_type old, ptrdiff_t extent_bytes)
{
  MPJ_Datatype new = MPJ_DATATYPE_NULL;
  int status = MPJ_Type_create_resized(of(old), 0, extent_bytes, &new);
  return keep(status, "resized", new);
}

void pack_commit(pack_type *type)
{
  MPJ_Datatype handle = of(*type);
  must(MPJ_Type_commit(&handle), "commit");
}

void pack_types_free(void)
{
  while (nmade > 0)
    must(MPJ_Type_free(&made[--nmade]), "free");
}

void pack_pack(const void *mem, pack_type type, void *packed, size_t bytes)
{
  MPJ_Count position = 0;
  int status = MPJ_Pack(mem, of(type), packed, (MPJ_Count)bytes, &position);
  if (status) must(status, "pack");
}

void pack_unpack(const void *packed, size_t bytes, void *mem, pack_type type)
{
  MPJ_Count position = 0;
  int status = MPJ_Unpack(packed, (MPJ_Count)bytes, &position, mem, of(type));
  if (status) must(status, "unpack");
}

void pack_pack_range(const void *mem, pack_type type, size_t offset, void *packed, size_t bytes)
{
  int status = MPJ_Pack_range(mem, of(type), (MPJ_Count)offset, packed, (MPJ_Count)bytes);
  if (status) must(status, "pack_range");
}

void pack_copy(const void *src, pack_type src_type, void *dst, pack_type dst_type, void *bounce,
               size_t bytes)
{
  (void)bounce;
  (void)bytes;
  int status = MPJ_Copy(src, of(src_type), dst, of(dst_type));
  if (status) must(status, "copy");
}
