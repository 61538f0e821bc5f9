/* The MPI for which this library is compiled: its mpi.h, its name, and those handles that a program
 * which links it takes from its data. This library links no MPI, so it asks for them by name. */
#ifndef WEFT_MPI_FAMILY_H
#define WEFT_MPI_FAMILY_H

#include <mpi.h>

/* Handles of the standard ABI and of MPICH are numbers. MPICH's header for the ABI does not name
 * MPICH. */
#if defined(OPEN_MPI)
#define WEFT_MPI_FAMILY "Open MPI"
#define WEFT_MPI_LIBRARY "libweft-mpi-openmpi"
#define NULL_REQUEST ((MPI_Request)find_mpi_symbol("ompi_request_null"))
#define WORLD ((MPI_Comm)find_mpi_symbol("ompi_mpi_comm_world"))
#define NULL_COMM ((MPI_Comm)find_mpi_symbol("ompi_mpi_comm_null"))
#define PACKED_TYPE ((MPI_Datatype)find_mpi_symbol("ompi_mpi_packed"))
#define BYTE_TYPE ((MPI_Datatype)find_mpi_symbol("ompi_mpi_byte"))
#define UINT64_TYPE ((MPI_Datatype)find_mpi_symbol("ompi_mpi_uint64_t"))
#define MAXIMUM ((MPI_Op)find_mpi_symbol("ompi_mpi_op_max"))
#else
#if defined(MPI_ABI_VERSION) && !defined(MPICH_VERSION)
#define IS_FOR_STANDARD_ABI true
#define WEFT_MPI_FAMILY "the standard ABI of MPI 5"
#define WEFT_MPI_LIBRARY "libweft-mpi-abi"
#else
#define WEFT_MPI_FAMILY "MPICH"
#define WEFT_MPI_LIBRARY "libweft-mpi-mpich"
#endif
#define NULL_REQUEST MPI_REQUEST_NULL
#define WORLD MPI_COMM_WORLD
#define NULL_COMM MPI_COMM_NULL
#define PACKED_TYPE MPI_PACKED
#define BYTE_TYPE MPI_BYTE
#define UINT64_TYPE MPI_UINT64_T
#define MAXIMUM MPI_MAX
#endif

#if !defined(IS_FOR_STANDARD_ABI)
#define IS_FOR_STANDARD_ABI false
#endif

#define VERSION_BYTES 8192 /* MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the largest */

/* MPI 4: counts of type MPI_Count, in functions whose names end in _c. */
#define HAS_LARGE_COUNTS (MPI_VERSION >= 4)

#endif
