/* What an MPI's own start and end take: `mpirun -n RANKS uni-mpi-alone MODULE`. Each process loads Weft's module for that MPI, has it
 * start the MPI and find out who shares memory, and ends it. */
#include <dlfcn.h>
#include <stdio.h>

#include "net/mpi/module.h"

int main(int count, char **words) {
  weft_net_facts facts = {0};
  void *const opened = count == 2 ? dlopen(words[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
  const weft_net_module *const module = opened != NULL ? dlsym(opened, WEFT_NET_MODULE_SYMBOL) : NULL;
  if (module == NULL) {
    fprintf(stderr, "usage: mpirun -n RANKS uni-mpi-alone MODULE\n");
    return 2;
  }
  const int code = module->start(WEFT_NET_SERIALIZED, &facts);
  if (code == 0) module->end(0);
  return code != 0;
}
