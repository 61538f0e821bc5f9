/* Reads and writes of a file, each rank's words beside the other's. Included twice: with counts of
 * int, and of MPI_Count for the functions whose names end in _c. */

/* Calls that begin and calls that end. */
static void FILES(halves)(MPI_Comm comm, MPI_File file, const int *words) {
  MPI_Status status;
  int got[4];
  const MPI_Offset at = rank * (MPI_Offset)sizeof got;
  const MPI_Offset shared = ranks * (MPI_Offset)sizeof got;
  OK(FILE_CALL(write_at_all_begin)(file, at, words, 2, MPI_INT));
  OK(MPI_File_write_at_all_end(file, words, &status));
  memset(got, 0, sizeof got);
  OK(FILE_CALL(read_at_all_begin)(file, at, got, 2, MPI_INT));
  OK(MPI_File_read_at_all_end(file, got, &status));
  CHECK(memcmp(words, got, 2 * sizeof(int)) == 0);
  OK(MPI_File_set_view(file, at, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  OK(FILE_CALL(write_all_begin)(file, words, 2, MPI_INT));
  OK(MPI_File_write_all_end(file, words, &status));
  OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
  memset(got, 0, sizeof got);
  OK(FILE_CALL(read_all_begin)(file, got, 2, MPI_INT));
  OK(MPI_File_read_all_end(file, got, &status));
  CHECK(memcmp(words, got, 2 * sizeof(int)) == 0);
  OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));

  OK(MPI_File_seek_shared(file, shared, MPI_SEEK_SET));
  OK(FILE_CALL(write_ordered_begin)(file, words, 2, MPI_INT));
  OK(MPI_File_write_ordered_end(file, words, &status));
  OK(MPI_Barrier(comm));
  OK(MPI_File_seek_shared(file, shared, MPI_SEEK_SET));
  memset(got, 0, sizeof got);
  OK(FILE_CALL(read_ordered_begin)(file, got, 2, MPI_INT));
  OK(MPI_File_read_ordered_end(file, got, &status));
  CHECK(memcmp(words, got, 2 * sizeof(int)) == 0);
}

static void FILES(files)(void *argument) {
  MPI_Comm comm = *(MPI_Comm *)argument;
  MPI_File file;
  MPI_Info info;
  MPI_Status status;
  char path[200];
  int words[4] = {rank, 10 + rank, 20 + rank, 30 + rank};
  int got[4] = {-1, -1, -1, -1};
  const MPI_Offset at = rank * (MPI_Offset)sizeof words;
  const MPI_Offset shared = ranks * (MPI_Offset)sizeof words;
  snprintf(path, sizeof path, "%s/words", getenv("WEFT_TEST_FOLDER"));
  OK(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  OK(MPI_File_set_size(file, 0));
  OK(MPI_Info_create(&info));
  OK(MPI_File_set_info(file, info));
  OK(MPI_Info_free(&info));
  OK(MPI_File_set_atomicity(file, 0));
  OK(MPI_File_preallocate(file, 2 * shared));
  OK(FILE_CALL(write_at)(file, at, words, 2, MPI_INT, &status));
  OK(FILE_CALL(write_at_all)(file, at + 8, words + 2, 2, MPI_INT, &status));
  OK(MPI_File_sync(file));
  OK(FILE_CALL(read_at)(file, at, got, 2, MPI_INT, &status));
  OK(FILE_CALL(read_at_all)(file, at + 8, got + 2, 2, MPI_INT, &status));
  CHECK(memcmp(words, got, sizeof words) == 0);

  OK(MPI_File_seek(file, at, MPI_SEEK_SET));
  OK(FILE_CALL(write)(file, words, 2, MPI_INT, &status));
  OK(FILE_CALL(write_all)(file, words + 2, 2, MPI_INT, &status));
  OK(MPI_File_seek(file, at, MPI_SEEK_SET));
  memset(got, 0, sizeof got);
  OK(FILE_CALL(read)(file, got, 2, MPI_INT, &status));
  OK(FILE_CALL(read_all)(file, got + 2, 2, MPI_INT, &status));
  CHECK(memcmp(words, got, sizeof words) == 0);

  FILES(halves)(comm, file, words);

  OK(MPI_File_seek_shared(file, shared, MPI_SEEK_SET));
  OK(FILE_CALL(write_ordered)(file, words, 2, MPI_INT, &status));
  OK(MPI_Barrier(comm));
  OK(MPI_File_seek_shared(file, shared, MPI_SEEK_SET));
  OK(FILE_CALL(read_ordered)(file, got, 2, MPI_INT, &status));
  CHECK(memcmp(words, got, 2 * sizeof(int)) == 0);
  OK(MPI_Barrier(comm));
  OK(FILE_CALL(write_shared)(file, words, 1, MPI_INT, &status));
  OK(MPI_Barrier(comm));
  OK(MPI_File_seek_shared(file, shared, MPI_SEEK_SET));
  OK(FILE_CALL(read_shared)(file, got, 1, MPI_INT, &status));
  CHECK(got[0] == 0 || got[0] == 10); /* the words of rank 0 come first */
  OK(MPI_File_close(&file));
}
