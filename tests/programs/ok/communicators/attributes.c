/* expect: ok - keyvals, attributes, info, an error handler of one's own: all freed; ranks: 2 */
#include <mpi.h>
#include <stdio.h>

static int deleted = 0;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra) {
    (void)comm, (void)key, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

static void on_error(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    fprintf(stderr, "error %d\n", *code);
}

int main(int argc, char **argv) {
    int rank, key, flag, *found, value = 17, *most;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Errhandler handler;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_get_attr(comm, key, &found, &flag);
    MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &flag);
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, *most, 1 - rank, *most, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    printf("rank %d: %d, %d deleted\n", rank, *found, deleted);
    MPI_Finalize();
    return 0;
}
