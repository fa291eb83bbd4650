/* expect: ok - a session and a communicator from its process set: no MPI_Init at all; ranks: 3 */
#include <mpi.h>
#include <stdio.h>

int main(void) {
    int rank, size, sum;
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mpilab", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("rank %d of %d: %d\n", rank, size, sum);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
