/* What libweft-dist calls of an MPI: a table in a module that is compiled against that MPI, and
 * loaded at the start of a rank (dlopen), so that no program is linked with an MPI. In C, because a
 * site may compile module.c with its own mpicc:
 *
 *   mpicc -O2 -shared -fPIC -o libweft-net-mine.so module.c
 *
 * All functions are called from the OS thread that runs main. Those that return an int return 0, or
 * MPI's error code, which error_text explains. */
#ifndef WEFT_NET_MPI_MODULE_H
#define WEFT_NET_MPI_MODULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEFT_NET_MODULE_VERSION 1
#define WEFT_NET_MODULE_SYMBOL "weft_net_module_table"

typedef struct weft_net_facts {
  int rank, ranks;
  int node;       /* the least rank whose memory this rank may share, as the MPI sees it */
  int is_unified; /* windows: loads see what the network wrote */
  char host[64];
  char library[128]; /* the MPI that is loaded */
  char avoided[160]; /* a component of it that would crash, and what stands for it; empty: none */
} weft_net_facts;

typedef struct weft_net_module {
  uint32_t version, bytes;
  const char *built_for; /* the MPI whose mpi.h it was compiled with */

  int (*start)(weft_net_facts *out);
  void (*end)(void); /* collective */
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
} weft_net_module;

#ifdef __cplusplus
}
#endif

#endif
