/* One function a collective, which fills `one->out`. Included twice: with counts of int, and of
 * MPI_Count for the functions whose names end in _c. CALL(Bcast) is the function of the library, or,
 * if one->is_mpi, that of the MPI alone. TELL keeps what it returns. */

static void COLLECTIVE(bcast)(data *one) {
  if (rank == 0) memcpy(one->out, one->in, sizeof one->out);
  TELL(CALL(Bcast)(one->out, LENGTH, MPI_INT, 0, one->comm));
}
static void COLLECTIVE(gather)(data *one) {
  TELL(CALL(Gather)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, ranks - 1, one->comm));
}
static void COLLECTIVE(gatherv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Gatherv)(one->in, PART, MPI_INT, one->out, counts, displs, MPI_INT, ranks - 1, one->comm));
}
static void COLLECTIVE(scatter)(data *one) { TELL(CALL(Scatter)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, 0, one->comm)); }
static void COLLECTIVE(scatterv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Scatterv)(one->in, counts, displs, MPI_INT, one->out, PART, MPI_INT, 0, one->comm));
}
static void COLLECTIVE(allgather)(data *one) {
  TELL(CALL(Allgather)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, one->comm));
}
static void COLLECTIVE(allgatherv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Allgatherv)(one->in, PART, MPI_INT, one->out, counts, displs, MPI_INT, one->comm));
}
static void COLLECTIVE(alltoall)(data *one) { TELL(CALL(Alltoall)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, one->comm)); }
static void COLLECTIVE(alltoallv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Alltoallv)(one->in, counts, displs, MPI_INT, one->out, counts, displs, MPI_INT, one->comm));
}
static void COLLECTIVE(alltoallw)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Alltoallw)(one->in, counts, in_bytes, types, one->out, counts, in_bytes, types, one->comm));
}
static void COLLECTIVE(reduce)(data *one) {
  TELL(CALL(Reduce)(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, ranks - 1, one->comm));
}
static void COLLECTIVE(allreduce)(data *one) {
  memcpy(one->out, one->in, sizeof one->out);
  TELL(CALL(Allreduce)(MPI_IN_PLACE, one->out, LENGTH, MPI_INT, MPI_MAX, one->comm));
}
static void COLLECTIVE(reduce_scatter_block)(data *one) {
  TELL(CALL(Reduce_scatter_block)(one->in, one->out, PART, MPI_INT, MPI_SUM, one->comm));
}
static void COLLECTIVE(reduce_scatter)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Reduce_scatter)(one->in, one->out, counts, MPI_INT, MPI_SUM, one->comm));
}
static void COLLECTIVE(scan)(data *one) { TELL(CALL(Scan)(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, one->comm)); }
static void COLLECTIVE(exscan)(data *one) { TELL(CALL(Exscan)(one->in, one->out, LENGTH, MPI_INT, MPI_SUM, one->comm)); }

/* Of a line or ring, where each rank has two neighbours, or MPI_PROC_NULL. */
static void COLLECTIVE(neighbor_allgather)(data *one) {
  TELL(CALL(Neighbor_allgather)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, one->ring));
}
static void COLLECTIVE(neighbor_allgatherv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Neighbor_allgatherv)(one->in, PART, MPI_INT, one->out, counts, displs, MPI_INT, one->ring));
}
static void COLLECTIVE(neighbor_alltoall)(data *one) {
  TELL(CALL(Neighbor_alltoall)(one->in, PART, MPI_INT, one->out, PART, MPI_INT, one->ring));
}
static void COLLECTIVE(neighbor_alltoallv)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Neighbor_alltoallv)(one->in, counts, displs, MPI_INT, one->out, counts, displs, MPI_INT, one->ring));
}
static void COLLECTIVE(neighbor_alltoallw)(data *one) {
  SET_COUNTS(one);
  TELL(CALL(Neighbor_alltoallw)(one->in, counts, far_bytes, types, one->out, counts, far_bytes, types, one->ring));
}
