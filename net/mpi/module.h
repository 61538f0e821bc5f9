/* What libweft-dist calls of an MPI: a table in a module that is compiled against that MPI, and
 * loaded at the start of a rank (dlopen), so that no program is linked with an MPI. In C, because a
 * site may compile it with its own mpicc, or once for the standard ABI of MPI 5 with mpicc_abi:
 *
 *   mpicc -O2 -shared -fPIC -o libweft-net-mine.so module.c messages.c hydra.c patience.c
 *
 * One OS thread at a time calls it, be it always the one that called start (MPI_THREAD_FUNNELED)
 * or not (MPI_THREAD_SERIALIZED); with MPI_THREAD_MULTIPLE several call send, is_sent, find and
 * receive. Ranks (MPI_THREAD_FUNNELED) have a processor each: their flush and fetch_add spin.
 * With the other two a process has more threads, and may have less than a processor: they let
 * others run. Functions that return an int return 0, or MPI's error code, which error_text
 * explains. */
#ifndef WEFT_NET_MPI_MODULE_H
#define WEFT_NET_MPI_MODULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_NET_MODULE_VERSION 4
#define WEFT_NET_MODULE_SYMBOL "weft_net_module_table"

/* Which OS threads call an MPI. */
typedef enum weft_net_threads { WEFT_NET_FUNNELED, WEFT_NET_SERIALIZED, WEFT_NET_MULTIPLE } weft_net_threads;

typedef struct weft_net_facts {
  int rank, ranks;
  int node;       /* the least rank whose memory this rank may share, as the MPI sees it */
  int is_unified; /* windows: loads see what the network wrote */
  int threads;    /* a weft_net_threads: as many as were wanted, if the MPI can */
  char host[64];
  char library[128]; /* the MPI that is loaded */
  char avoided[160]; /* a component of it that would crash, and what stands for it; empty: none */
} weft_net_facts;

/* A message that find found, and that no other find will find. */
typedef struct weft_net_message {
  int is_there, rank;
  size_t bytes;
  void *handle; /* for receive */
} weft_net_message;

typedef struct weft_net_module {
  uint32_t version, bytes;
  const char *built_for; /* the MPI whose mpi.h it was compiled with */

  int (*start)(int threads, weft_net_facts *out);
  void (*end)(int status); /* collective, at the exit of the process with this status */
  void (*abort)(int status);
  void (*error_text)(int code, char *out, size_t bytes);

  /* Collective. all: of each rank, in their order. */
  int (*gather)(const void *mine, size_t bytes, void *all);
  int (*barrier)(void);

  /* Collective. base null: the MPI allocates, zeroed memory, *own. */
  int (*open_window)(void *base, size_t bytes, void **own, void **window);
  int (*get)(void *window, int rank, size_t offset, void *into, size_t bytes);
  int (*put)(void *window, int rank, size_t offset, const void *from, size_t bytes);
  int (*fetch_add)(void *window, int rank, size_t offset, uint64_t by, uint64_t *before);
  int (*compare_swap)(void *window, int rank, size_t offset, uint64_t expected, uint64_t desired, uint64_t *before);
  int (*flush)(void *window, int rank);
  int (*progress)(void *window);

  /* Messages: those from one rank to another are found in the order in which they were sent. send
   * does not wait; from stays unchanged until is_sent says so, once, which forgets the request. */
  int (*send)(const void *from, size_t bytes, int rank, void **request);
  int (*is_sent)(void **request, int *out);
  int (*find)(weft_net_message *out);
  int (*receive)(weft_net_message *found, void *into);

  /* As put, but from stays unchanged until a flush. */
  int (*put_later)(void *window, int rank, size_t offset, const void *from, size_t bytes);

  /* What put has taken and the MPI may still keep here leaves for the rank. */
  int (*send_puts)(void *window, int rank);

  /* Has this called when the process exits, before the destructors of the MPI and its libraries. */
  void (*call_at_unload)(void (*call)(void));
} weft_net_module;

#ifdef __cplusplus
}
#endif

#endif
