/* See texts.h. */
#include "texts.h"
#include "wait_name.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 1024u /* above three times the functions that wait */

typedef struct call_text {
  char text[CALL_TEXT_BYTES];
  struct call_text *next;
} call_text;

/* By the address of the literal. */
static struct {
  const char *call;
  call_text *free;
} names[NAMES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of names */

static size_t place_of(const char *call) {
  size_t at = ((uintptr_t)call >> 2) % NAMES;
  while (names[at].call != NULL && names[at].call != call) at = (at + 1) % NAMES;
  names[at].call = call;
  return at;
}

static void shorten(const char *call, char *text) {
  const size_t length = strlen(call) - WAIT_NAME_BEGIN - WAIT_NAME_END;
  memset(text + length, 0, CALL_TEXT_BYTES - length);
  memcpy(text, call + WAIT_NAME_BEGIN, length);
}

char *take_text(const char *call) {
  pthread_mutex_lock(&lock);
  call_text **const free = &names[place_of(call)].free;
  call_text *one = *free;
  if (one != NULL) *free = one->next;
  pthread_mutex_unlock(&lock);
  if (one != NULL) return one->text;
  one = malloc(sizeof *one);
  if (one != NULL) shorten(call, one->text);
  return one == NULL ? NULL : one->text;
}

void give_text_back(const char *call, char *text) {
  if (text == NULL) return;
  call_text *const one = (call_text *)(void *)text; /* its first member */
  shorten(call, text);
  pthread_mutex_lock(&lock);
  call_text **const free = &names[place_of(call)].free;
  one->next = *free;
  *free = one;
  pthread_mutex_unlock(&lock);
}
