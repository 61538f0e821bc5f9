/* What a puzzle is made of, for C and Tascell: sets are words. */
#ifndef WEFT_BENCH_PENTOMINO_TABLES_H
#define WEFT_BENCH_PENTOMINO_TABLES_H

typedef struct pentomino_tables {
  const unsigned long *shapes, *of_same_piece; /* by position */
  const unsigned long *inside;                 /* by square */
} pentomino_tables;

typedef struct pentomino_count {
  unsigned long solutions, placements;
} pentomino_count;

#endif
