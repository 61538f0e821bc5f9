/* A program without a libevent: libweft-event says so. */
int evthread_use_pthreads(void);

int main(void) { return evthread_use_pthreads() == -1 ? 0 : 1; }
