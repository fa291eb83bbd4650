/* Two threads post and complete operations all the time, below and above an area that stays; a third looks for it.
 *
 * Says how many of its looks gave the wrong answer. */
#include <flight.h>

#include <pthread.h>
#include <stdio.h>

static int over;

static void *churn(void *first) {
    int op = *(int *)first;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        for (int i = 0; i < 100; i++) {
            struct flight_block block = {(char *)(40000 + 200 * (uintptr_t)i), 50, 20 * (i % 2), 30 * (i % 2)};
            mpilab_flight_add(&block, 1, 1, op + i, NULL);
        }
        for (int i = 0; i < 100; i++) mpilab_flight_remove(op + i);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int firsts[2] = {1000, 2000}, wrong = 0;
    struct flight_block stays = {(char *)50060, 30, 0, 0};
    struct flight_area found;
    mpilab_flight_add(&stays, 1, 1, 0, NULL);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, churn, &firsts[i]);
    for (int i = 0; i < 2000000; i++) {
        wrong += !mpilab_flight_find((char *)50070, 8, 0, &found);
        wrong += mpilab_flight_find((char *)50090, 8, 1, &found);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d wrong\n", wrong);
}
