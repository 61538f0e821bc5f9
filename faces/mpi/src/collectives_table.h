/* The collectives that have nonblocking twins, by their parameters. Included twice: with COUNT and
 * DISPLACEMENT as int, and as MPI_Count and MPI_Aint for the functions whose names end in _c.
 * COLLECTIVE(NAME, TWIN, (parameters), arguments...) defines one; comm is the communicator. */

COLLECTIVE(Bcast, Ibcast, (void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm), buffer, count, type, root,
           comm)

COLLECTIVE(Gather, Igather,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)

COLLECTIVE(Gatherv, Igatherv,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],
            const DISPLACEMENT displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm)

COLLECTIVE(Scatter, Iscatter,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            int root, MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)

COLLECTIVE(Scatterv, Iscatterv,
           (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT displs[], MPI_Datatype sendtype, void *recvbuf,
            COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),
           sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm)

COLLECTIVE(Allgather, Iallgather,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

COLLECTIVE(Allgatherv, Iallgatherv,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],
            const DISPLACEMENT displs[], MPI_Datatype recvtype, MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)

COLLECTIVE(Alltoall, Ialltoall,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

COLLECTIVE(Alltoallv, Ialltoallv,
           (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[], MPI_Datatype sendtype, void *recvbuf,
            const COUNT recvcounts[], const DISPLACEMENT rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
           sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)

COLLECTIVE(Alltoallw, Ialltoallw,
           (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[], const MPI_Datatype sendtypes[],
            void *recvbuf, const COUNT recvcounts[], const DISPLACEMENT rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
           sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)

COLLECTIVE(Reduce, Ireduce,
           (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), sendbuf,
           recvbuf, count, type, op, root, comm)

COLLECTIVE(Allreduce, Iallreduce, (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           sendbuf, recvbuf, count, type, op, comm)

COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void *sendbuf, void *recvbuf, COUNT recvcount, MPI_Datatype type, MPI_Op op, MPI_Comm comm), sendbuf, recvbuf,
           recvcount, type, op, comm)

COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm), sendbuf,
           recvbuf, recvcounts, type, op, comm)

COLLECTIVE(Scan, Iscan, (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm), sendbuf,
           recvbuf, count, type, op, comm)

COLLECTIVE(Exscan, Iexscan, (const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           sendbuf, recvbuf, count, type, op, comm)

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],
            const DISPLACEMENT displs[], MPI_Datatype recvtype, MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm)

COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall,
           (const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, MPI_Datatype recvtype,
            MPI_Comm comm),
           sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)

COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv,
           (const void *sendbuf, const COUNT sendcounts[], const DISPLACEMENT sdispls[], MPI_Datatype sendtype, void *recvbuf,
            const COUNT recvcounts[], const DISPLACEMENT rdispls[], MPI_Datatype recvtype, MPI_Comm comm),
           sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)

COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
           (const void *sendbuf, const COUNT sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
            void *recvbuf, const COUNT recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),
           sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
