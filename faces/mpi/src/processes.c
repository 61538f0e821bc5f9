/* Calls that meet other jobs, and sessions, in blocking regions of ULTs. */
#include "caller.h"
#include "export.h"
#include "fortran.h"
#include "real.h"
#include "region.h"
#include "serial.h"

COLLECTIVE_REGION(Comm_spawn, comm,
                  (const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *intercomm,
                   int errcodes[]),
                  command, argv, maxprocs, info, root, comm, intercomm, errcodes)
COLLECTIVE_REGION(Comm_spawn_multiple, comm,
                  (int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[], int root,
                   MPI_Comm comm, MPI_Comm *intercomm, int errcodes[]),
                  count, commands, argvs, maxprocs, infos, root, comm, intercomm, errcodes)
COLLECTIVE_REGION(Comm_accept, comm, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
                  port_name, info, root, comm, newcomm)
COLLECTIVE_REGION(Comm_connect, comm, (const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm),
                  port_name, info, root, comm, newcomm)

REGION(Comm_join, (int fd, MPI_Comm *intercomm), fd, intercomm)

#if MPI_VERSION >= 4
REGION(Session_finalize, (MPI_Session * session), session)
REGION(Comm_create_from_group,
       (MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm), group, stringtag,
       info, errhandler, newcomm)
REGION(Intercomm_create_from_groups,
       (MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *stringtag, MPI_Info info,
        MPI_Errhandler errhandler, MPI_Comm *newintercomm),
       local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm)
#endif
