/* Calls that meet other jobs, and sessions, in blocking regions of ULTs. */
#include "caller.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

REGION(Comm_spawn,
       (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
        int errcodes[]),
       command, argv, maxprocs, info, root, comm, intercomm, errcodes)
REGION(Comm_spawn_multiple,
       (int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[], int root, MPI_Comm comm,
        MPI_Comm *intercomm, int errcodes[]),
       count, commands, argvs, maxprocs, infos, root, comm, intercomm, errcodes)
REGION(Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), port_name, info, root,
       comm, newcomm)
REGION(Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm), port_name, info, root,
       comm, newcomm)

#if MPI_VERSION >= 4
REGION(Session_finalize, (MPI_Session * session), session)
REGION(Comm_create_from_group,
       (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm), group, stringtag,
       info, errhandler, newcomm)
#endif
