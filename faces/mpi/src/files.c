/* Reads and writes of files, and the other calls on files that may wait, in blocking regions of
 * ULTs. */
#include "caller.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

/* Of a collective on a file. */
#define FILE_RANKS ranks_of((uintptr_t)fh)

MAKING_REGION(File_open, fh, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh), comm, filename, amode,
              info, fh)
FREEING_REGION(File_close, fh, (MPI_File * fh))
COLLECTIVE_REGION(File_sync, FILE_RANKS, (MPI_File fh), fh)
COLLECTIVE_REGION(File_set_size, FILE_RANKS, (MPI_File fh, MPI_Offset size), fh, size)
COLLECTIVE_REGION(File_preallocate, FILE_RANKS, (MPI_File fh, MPI_Offset size), fh, size)

/* KIND: REGION, or ALL_RANKS for a collective. */
#define ALL_RANKS(NAME, ...) COLLECTIVE_REGION(NAME, FILE_RANKS, __VA_ARGS__)

#define READ(KIND, NAME, COUNT) \
  KIND(NAME, (MPI_File fh, void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, buf, count, type, status)
#define WRITE(KIND, NAME, COUNT) \
  KIND(NAME, (MPI_File fh, const void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, buf, count, type, status)
#define READ_AT(KIND, NAME, COUNT)                                                                                             \
  KIND(NAME, (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, offset, buf, \
       count, type, status)
#define WRITE_AT(KIND, NAME, COUNT)                                                                                             \
  KIND(NAME, (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, offset, \
       buf, count, type, status)

READ(REGION, File_read, int)
READ(ALL_RANKS, File_read_all, int)
READ(REGION, File_read_shared, int)
READ(ALL_RANKS, File_read_ordered, int)
READ_AT(REGION, File_read_at, int)
READ_AT(ALL_RANKS, File_read_at_all, int)
WRITE(REGION, File_write, int)
WRITE(ALL_RANKS, File_write_all, int)
WRITE(REGION, File_write_shared, int)
WRITE(ALL_RANKS, File_write_ordered, int)
WRITE_AT(REGION, File_write_at, int)
WRITE_AT(ALL_RANKS, File_write_at_all, int)

/* Both halves may wait. */
#define READ_BEGIN(NAME, COUNT) ALL_RANKS(NAME, (MPI_File fh, void *buf, COUNT count, MPI_Datatype type), fh, buf, count, type)
#define WRITE_BEGIN(NAME, COUNT) \
  ALL_RANKS(NAME, (MPI_File fh, const void *buf, COUNT count, MPI_Datatype type), fh, buf, count, type)
#define READ_AT_BEGIN(NAME, COUNT) \
  ALL_RANKS(NAME, (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype type), fh, offset, buf, count, type)
#define WRITE_AT_BEGIN(NAME, COUNT) \
  ALL_RANKS(NAME, (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype type), fh, offset, buf, count, type)
#define READ_END(NAME) ALL_RANKS(NAME, (MPI_File fh, void *buf, MPI_Status *status), fh, buf, status)
#define WRITE_END(NAME) ALL_RANKS(NAME, (MPI_File fh, const void *buf, MPI_Status *status), fh, buf, status)

READ_BEGIN(File_read_all_begin, int)
READ_BEGIN(File_read_ordered_begin, int)
READ_AT_BEGIN(File_read_at_all_begin, int)
WRITE_BEGIN(File_write_all_begin, int)
WRITE_BEGIN(File_write_ordered_begin, int)
WRITE_AT_BEGIN(File_write_at_all_begin, int)
READ_END(File_read_all_end)
READ_END(File_read_ordered_end)
READ_END(File_read_at_all_end)
WRITE_END(File_write_all_end)
WRITE_END(File_write_ordered_end)
WRITE_END(File_write_at_all_end)

COLLECTIVE_REGION(File_set_view, FILE_RANKS,
                  (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info),
                  fh, disp, etype, filetype, datarep, info)
COLLECTIVE_REGION(File_set_info, FILE_RANKS, (MPI_File fh, MPI_Info info), fh, info)
COLLECTIVE_REGION(File_set_atomicity, FILE_RANKS, (MPI_File fh, int flag), fh, flag)
COLLECTIVE_REGION(File_seek_shared, FILE_RANKS, (MPI_File fh, MPI_Offset offset, int whence), fh, offset, whence)

#if HAS_LARGE_COUNTS
READ(REGION, File_read_c, MPI_Count)
READ(ALL_RANKS, File_read_all_c, MPI_Count)
READ(REGION, File_read_shared_c, MPI_Count)
READ(ALL_RANKS, File_read_ordered_c, MPI_Count)
READ_AT(REGION, File_read_at_c, MPI_Count)
READ_AT(ALL_RANKS, File_read_at_all_c, MPI_Count)
WRITE(REGION, File_write_c, MPI_Count)
WRITE(ALL_RANKS, File_write_all_c, MPI_Count)
WRITE(REGION, File_write_shared_c, MPI_Count)
WRITE(ALL_RANKS, File_write_ordered_c, MPI_Count)
WRITE_AT(REGION, File_write_at_c, MPI_Count)
WRITE_AT(ALL_RANKS, File_write_at_all_c, MPI_Count)
READ_BEGIN(File_read_all_begin_c, MPI_Count)
READ_BEGIN(File_read_ordered_begin_c, MPI_Count)
READ_AT_BEGIN(File_read_at_all_begin_c, MPI_Count)
WRITE_BEGIN(File_write_all_begin_c, MPI_Count)
WRITE_BEGIN(File_write_ordered_begin_c, MPI_Count)
WRITE_AT_BEGIN(File_write_at_all_begin_c, MPI_Count)
#endif
