/* Reads and writes of files, and the other calls on files that may wait, in blocking regions of
 * ULTs. */
#include "caller.h"
#include "export.h"
#include "real.h"
#include "region.h"

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
#endif
