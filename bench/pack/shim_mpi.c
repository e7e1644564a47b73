/* This file lets the packing benchmark drive an MPI library; it is compiled once
 * for each, with the library's name in SHIM_ENGINE. The program runs as the only
 * rank, without a launcher. An error ends it: MPI's default handler. */
#include "shim.h"

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { TYPES_MOST = 64 };

const char pack_engine[] = SHIM_ENGINE;
const bool pack_has_ranges = false;
const bool pack_has_sum = false;

static MPI_Datatype made[TYPES_MOST];
static int nmade;

void pack_engine_start(void)
{
  MPI_Init(NULL, NULL);
}

void pack_engine_stop(void)
{
  MPI_Finalize();
}

static void unsupported(const char *what)
{
  fprintf(stderr, "%s: %s\n", pack_engine, what);
  exit(1);
}

static MPI_Datatype of(pack_type type)
{
  return (MPI_Datatype)type;
}

static pack_type keep(MPI_Datatype type)
{
  if (nmade == TYPES_MOST) unsupported("too many types for one pattern");
  made[nmade++] = type;
  return (pack_type)type;
}

pack_type pack_float(void)
{
  return (pack_type)MPI_FLOAT;
}

pack_type pack_double(void)
{
  return (pack_type)MPI_DOUBLE;
}

pack_type pack_int(void)
{
  return (pack_type)MPI_INT;
}

pack_type pack_contiguous(long count, pack_type old)
{
  MPI_Datatype new;
  MPI_Type_contiguous((int)count, of(old), &new);
  return keep(new);
}

pack_type pack_vector(long count, long blocklen, long stride, pack_type old)
{
  MPI_Datatype new;
  MPI_Type_vector((int)count, (int)blocklen, (int)stride, of(old), &new);
  return keep(new);
}

pack_type pack_hvector(long count, long blocklen, ptrdiff_t stride_bytes, pack_type old)
{
  MPI_Datatype new;
  MPI_Type_create_hvector((int)count, (int)blocklen, stride_bytes, of(old), &new);
  return keep(new);
}

pack_type pack_indexed(long count, long blocklen, const int displs[], pack_type old)
{
  MPI_Datatype new;
  MPI_Type_create_indexed_block((int)count, (int)blocklen, displs, of(old), &new);
  return keep(new);
}

pack_type pack_indexed_each(long count, const int blocklens[], const int displs[], pack_type old)
{
  MPI_Datatype new;
  MPI_Type_indexed((int)count, blocklens, displs, of(old), &new);
  return keep(new);
}

pack_type pack_struct(int count, const int blocklens[], const ptrdiff_t displs_bytes[],
                      const pack_type types[])
{
  MPI_Datatype new, *members = malloc((size_t)count * sizeof *members);
  if (!members) unsupported("no memory for the members of a struct");
  for (int i = 0; i < count; i++)
    members[i] = of(types[i]);
  MPI_Type_create_struct(count, blocklens, displs_bytes, members, &new);
  free(members);
  return keep(new);
}

pack_type pack_subarray(int ndims, const int sizes[], const int subsizes[], const int starts[],
                        pack_type old)
{
  MPI_Datatype new;
  MPI_Type_create_subarray(ndims, sizes, subsizes, starts, MPI_ORDER_C, of(old), &new);
  return keep(new);
}

pack_type pack_resized(pack_type old, ptrdiff_t extent_bytes)
{
  MPI_Datatype new;
  MPI_Type_create_resized(of(old), 0, extent_bytes, &new);
  return keep(new);
}

void pack_commit(pack_type *type)
{
  MPI_Datatype handle = of(*type);
  MPI_Type_commit(&handle);
}

void pack_types_free(void)
{
  while (nmade > 0)
    MPI_Type_free(&made[--nmade]);
}

void pack_pack(const void *mem, pack_type type, void *packed, size_t bytes)
{
  int position = 0;
  MPI_Pack(mem, 1, of(type), packed, (int)bytes, &position, MPI_COMM_SELF);
}

void pack_unpack(const void *packed, size_t bytes, void *mem, pack_type type)
{
  int position = 0;
  MPI_Unpack(packed, (int)bytes, &position, mem, 1, of(type), MPI_COMM_SELF);
}

void pack_pack_range(const void *mem, pack_type type, size_t offset, void *packed, size_t bytes)
{
  (void)mem;
  (void)type;
  (void)offset;
  (void)packed;
  (void)bytes;
  unsupported("MPI has no call that packs a range");
}

void pack_copy(const void *src, pack_type src_type, void *dst, pack_type dst_type, void *bounce,
               size_t bytes)
{
  pack_pack(src, src_type, bounce, bytes);
  pack_unpack(bounce, bytes, dst, dst_type);
}

void pack_unpack_sum(const void *packed, size_t bytes, void *mem, pack_type type)
{
  (void)packed;
  (void)bytes;
  (void)mem;
  (void)type;
  unsupported("MPI has no call that unpacks and adds");
}
