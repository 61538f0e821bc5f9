/* Loops in C: the Collatz sequences of all numbers up to a million. Some are long, most are
 * short, so workers take parts as they come. */
#include <stdio.h>
#include <stdlib.h>

#include <weft/loops.h>

#include "must.h"

enum { count = 1000000 };

struct number {
  unsigned number, steps;
};

static unsigned steps_to_one(unsigned long number) {
  unsigned steps = 0;
  for (; number != 1; ++steps) number = number % 2 != 0 ? 3 * number + 1 : number / 2;
  return steps;
}

static void measure(size_t from, size_t to, void *argument) {
  struct number *numbers = argument;
  for (size_t i = from; i < to; ++i) numbers[i] = (struct number){(unsigned)i + 1, steps_to_one(i + 1)};
}

static void add_steps(size_t from, size_t to, void *argument, void *value) {
  const struct number *numbers = argument;
  for (size_t i = from; i < to; ++i) *(unsigned long *)value += numbers[i].steps;
}
static void add(void *value, const void *value_of_later, void *argument) {
  (void)argument;
  *(unsigned long *)value += *(const unsigned long *)value_of_later;
}

static int longest_first(const void *left, const void *right, void *argument) {
  (void)argument;
  const struct number *l = left, *r = right;
  if (l->steps != r->steps) return l->steps > r->steps ? -1 : 1;
  return (l->number > r->number) - (l->number < r->number);
}

int main(void) {
  struct number *numbers = malloc(count * sizeof *numbers);
  if (numbers == NULL) return 1;
  must(weft_init(NULL));

  must(weft_parallel_for(0, count, 0, measure, numbers));

  const unsigned long none = 0;
  unsigned long steps = 0;
  const weft_reduction sum = {sizeof steps, &none, add_steps, add};
  must(weft_parallel_reduce(0, count, 0, &sum, numbers, &steps));
  printf("%lu steps in all\n", steps);

  must(weft_parallel_sort(numbers, count, sizeof *numbers, longest_first, NULL));
  for (int i = 0; i < 3; ++i) printf("%u takes %u steps\n", numbers[i].number, numbers[i].steps);

  must(weft_finalize());
  free(numbers);
  return 0;
}
