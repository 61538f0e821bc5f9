/* Reads and writes of files, and the other calls on files that may wait, in blocking regions of
 * ULTs. */
#include "caller.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

REGION(File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh), comm, filename, amode, info, fh)
REGION(File_close, (MPI_File * fh), fh)
REGION(File_sync, (MPI_File fh), fh)
REGION(File_set_size, (MPI_File fh, MPI_Offset size), fh, size)
REGION(File_preallocate, (MPI_File fh, MPI_Offset size), fh, size)

#define READ(NAME, COUNT) \
  REGION(NAME, (MPI_File fh, void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, buf, count, type, status)
#define WRITE(NAME, COUNT) \
  REGION(NAME, (MPI_File fh, const void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, buf, count, type, status)
#define READ_AT(NAME, COUNT)                                                                                                     \
  REGION(NAME, (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, offset, buf, \
         count, type, status)
#define WRITE_AT(NAME, COUNT)                                                                                             \
  REGION(NAME, (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype type, MPI_Status *status), fh, \
         offset, buf, count, type, status)

READ(File_read, int)
READ(File_read_all, int)
READ(File_read_shared, int)
READ(File_read_ordered, int)
READ_AT(File_read_at, int)
READ_AT(File_read_at_all, int)
WRITE(File_write, int)
WRITE(File_write_all, int)
WRITE(File_write_shared, int)
WRITE(File_write_ordered, int)
WRITE_AT(File_write_at, int)
WRITE_AT(File_write_at_all, int)

/* Both halves may wait. */
#define READ_BEGIN(NAME, COUNT) REGION(NAME, (MPI_File fh, void *buf, COUNT count, MPI_Datatype type), fh, buf, count, type)
#define WRITE_BEGIN(NAME, COUNT) \
  REGION(NAME, (MPI_File fh, const void *buf, COUNT count, MPI_Datatype type), fh, buf, count, type)
#define READ_AT_BEGIN(NAME, COUNT) \
  REGION(NAME, (MPI_File fh, MPI_Offset offset, void *buf, COUNT count, MPI_Datatype type), fh, offset, buf, count, type)
#define WRITE_AT_BEGIN(NAME, COUNT) \
  REGION(NAME, (MPI_File fh, MPI_Offset offset, const void *buf, COUNT count, MPI_Datatype type), fh, offset, buf, count, type)
#define READ_END(NAME) REGION(NAME, (MPI_File fh, void *buf, MPI_Status *status), fh, buf, status)
#define WRITE_END(NAME) REGION(NAME, (MPI_File fh, const void *buf, MPI_Status *status), fh, buf, status)

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

REGION(File_set_view,
       (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char *datarep, MPI_Info info), fh, disp,
       etype, filetype, datarep, info)
REGION(File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence), fh, offset, whence)

#if HAS_LARGE_COUNTS
READ(File_read_c, MPI_Count)
READ(File_read_all_c, MPI_Count)
READ(File_read_shared_c, MPI_Count)
READ(File_read_ordered_c, MPI_Count)
READ_AT(File_read_at_c, MPI_Count)
READ_AT(File_read_at_all_c, MPI_Count)
WRITE(File_write_c, MPI_Count)
WRITE(File_write_all_c, MPI_Count)
WRITE(File_write_shared_c, MPI_Count)
WRITE(File_write_ordered_c, MPI_Count)
WRITE_AT(File_write_at_c, MPI_Count)
WRITE_AT(File_write_at_all_c, MPI_Count)
READ_BEGIN(File_read_all_begin_c, MPI_Count)
READ_BEGIN(File_read_ordered_begin_c, MPI_Count)
READ_AT_BEGIN(File_read_at_all_begin_c, MPI_Count)
WRITE_BEGIN(File_write_all_begin_c, MPI_Count)
WRITE_BEGIN(File_write_ordered_begin_c, MPI_Count)
WRITE_AT_BEGIN(File_write_at_all_begin_c, MPI_Count)
#endif
