/* What mixed.tc and mixed.cpp share. A worker function has two parameters before its own: the
 * Tascell compiler writes them where it sees `worker`, and C++ spells them out. */
#ifndef MIXED_H
#define MIXED_H

#include <weft/tascell.h>

enum { squares = 9, pieces = 4, found = 7 };

typedef struct workspace {
  int count;
  int square[pieces];
} workspace;

#ifdef __cplusplus
extern "C" long search(weft_tascell_worker *worker, weft_tascell_record *up, workspace *w, int from);
extern "C" void find(weft_tascell_worker *worker, weft_tascell_record *up, workspace *w, int from);
extern "C" long visit(weft_tascell_worker *worker, weft_tascell_record *up, workspace *w, int depth);
#else
worker long search(workspace *w, int from);
worker void find(workspace *w, int from);
worker long visit(workspace *w, int depth);
#endif

#endif
